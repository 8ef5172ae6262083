// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A task for the end of a round of the event loop. A protocol, so that existing objects are tasks without a closure.
protocol RoundEndTask: AnyObject {
    func roundEnds()
}

/// The stages at the end of a round, in this order. Work that a stage creates for a later stage is done in the same
/// round, so that a transfer's end starts the next transfer without another round.
enum RoundStage: Int, CaseIterable {
    /// All sockets that were ready have been read: transfers that are over are ended. Work comes after it.
    case reading
    /// Operations whose transfers have ended are finished.
    case processing
    /// Ready operations are started, and waiting ones get their slots.
    case starting
    case other
    /// Work for other threads is submitted, after the requests of the round have been sent, so that the servers work
    /// meanwhile. Pending bytes are written to their files.
    case handover
}

/// The tasks of one stage. Network thread only, and nothing looks at a list while it changes: see "Locks and waits".
final class StageTasks {
    /// The capacity that is kept from round to round.
    private static let keptCount = 4096
    private var next: [any RoundEndTask] = []
    /// The tasks that run now; empty between runs, with capacity kept.
    private var current: [any RoundEndTask] = []
    private var isRunning = false

    /// How many wait for the next time that the stage comes.
    var count: Int { next.count }

    func append(_ task: any RoundEndTask) { next.append(task) }

    /// Runs those that came before; what comes meanwhile waits for the next time.
    ///
    /// - Parameter willRun: called before each task.
    func run(willRun: (any RoundEndTask) -> Void = { _ in }) {
        guard !next.isEmpty else { return }
        precondition(!isRunning, "the network thread's run loop was run inside its own work")
        isRunning = true
        swap(&next, &current)
        current.empty(keepingRoomFor: Self.keptCount) { task in
            willRun(task)
            task.roundEnds()
        }
        isRunning = false
    }
}

/// A closure as a task.
final class RoundEndAction: RoundEndTask {
    private let action: () -> Void
    /// The file that made the task, for the record of a long turn.
    let file: StaticString

    init(_ action: @escaping () -> Void, from file: StaticString = #fileID) {
        (self.action, self.file) = (action, file)
    }

    func roundEnds() { action() }
}
