// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Something to be done at the end of a round of the event loop: an object that is there anyway, which costs no closure.
protocol RoundEndTask: AnyObject {
    func roundEnds()
}

/// What is done at the end of a round, in this order: what a stage leads to in a later one is done in the same round, so
/// that a transfer's end brings the next transfer about without another round.
enum RoundStage: Int, CaseIterable {
    /// Operations whose transfers have ended are finished.
    case processing
    /// Queues start what is ready.
    case starting
    /// What was started is let on the wire.
    case admission
    case other
}

/// The tasks of one stage.
final class StageTasks {
    /// For the next time that the stage comes.
    var next: [any RoundEndTask] = []
    /// Empty, with room for those that come while these run.
    var spare: [any RoundEndTask] = []

    func takeNext() -> [any RoundEndTask] {
        swap(&next, &spare)
        let tasks = spare
        spare = []
        return tasks
    }
}

/// A closure as a task.
final class RoundEndAction: RoundEndTask {
    private let action: () -> Void

    init(_ action: @escaping () -> Void) { self.action = action }

    func roundEnds() { action() }
}
