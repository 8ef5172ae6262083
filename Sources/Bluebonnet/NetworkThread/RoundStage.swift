// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Something to be done at the end of a round of the event loop: an object that is there anyway, which costs no
/// closure.
protocol RoundEndTask: AnyObject {
    func roundEnds()
}

/// What is done at the end of a round, in this order: what a stage leads to in a later one is done in the same round,
/// so that a transfer's end brings the next transfer about without another round.
enum RoundStage: Int, CaseIterable {
    /// All sockets that were ready have been read: transfers that are over are ended. Work comes after it.
    case reading
    /// Operations whose transfers have ended are finished.
    case processing
    /// Queues start what is ready.
    case starting
    /// What was started is let on the wire.
    case admission
    case other
    /// What is for other threads is handed to them: when what the round starts has been sent, so that the servers have
    /// something to do before they have. Bytes that are held go to their files.
    case handover
}

/// The tasks of one stage. Network thread only, and nothing looks at a list while it changes: see "Threads and locks".
final class StageTasks {
    /// Room for so many is kept from round to round.
    private static let keptCount = 4096
    @exclusivity(unchecked) private var next: [any RoundEndTask] = []
    /// Those that are run; empty with room for others in between.
    @exclusivity(unchecked) private var current: [any RoundEndTask] = []
    private var isRunning = false

    /// How many wait for the next time that the stage comes.
    var count: Int { next.count }

    func append(_ task: any RoundEndTask) { next.append(task) }

    /// Runs those that came before; what comes meanwhile waits for the next time.
    func run() {
        guard !next.isEmpty else { return }
        precondition(!isRunning, "the network thread's run loop was run inside its own work")
        isRunning = true
        swap(&next, &current)
        current.empty(keepingRoomFor: Self.keptCount) { $0.roundEnds() }
        isRunning = false
    }
}

/// A closure as a task.
final class RoundEndAction: RoundEndTask {
    private let action: () -> Void

    init(_ action: @escaping () -> Void) { self.action = action }

    func roundEnds() { action() }
}
