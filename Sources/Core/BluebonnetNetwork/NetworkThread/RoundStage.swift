// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A task for the end of a round of the event loop. A protocol, so that existing objects can be tasks without a
/// closure.
package protocol RoundEndTask: AnyObject {
    func roundEnds()
}

/// The stages at the end of a round, in this order. Work that a stage creates for a later stage is done in the same
/// round, so that the end of a transfer starts the next transfer without another round.
package enum RoundStage: Int, CaseIterable {
    /// After all ready sockets were read: finished transfers are ended. Submitted work runs after this stage.
    case reading
    /// Operations whose transfers have ended are finished.
    case processing
    /// Ready operations are started, and waiting operations get their slots.
    case starting
    case other
    /// Work for other threads is submitted after the requests of the round were sent, so that the servers work
    /// meanwhile. Pending bytes are written to their files.
    case handover
}

/// The tasks of one stage. Network thread only. No code reads a list while it changes: see "Locks and waits".
final class StageTasks {
    /// The capacity that is kept between rounds.
    private static let keptCount = 4096
    private var next: [any RoundEndTask] = []
    /// The tasks that are running; empty between runs, with its capacity kept.
    private var current: [any RoundEndTask] = []
    private var isRunning = false

    /// The number of tasks for the next run of the stage.
    var count: Int { next.count }

    func append(_ task: any RoundEndTask) { next.append(task) }

    /// Runs the tasks that were added before. Tasks added during the run wait for the next run.
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

/// Wraps a closure as a task.
final class RoundEndAction: RoundEndTask {
    private let action: () -> Void
    /// The file that made the task, for the record of a long turn.
    let file: StaticString

    init(_ action: @escaping () -> Void, from file: StaticString = #fileID) {
        (self.action, self.file) = (action, file)
    }

    func roundEnds() { action() }
}
