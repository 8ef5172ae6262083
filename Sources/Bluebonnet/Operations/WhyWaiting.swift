// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization

extension RequestOperation {
    /// What the operation waits for at this moment, in a sentence for people: dependencies, its queue, a slot of its
    /// manager, a rate, the time until which its origin is held, a network, a pause, its next attempt, or a block of
    /// the program. Nil when it waits for nothing: it is in no queue and was not started, its request is being prepared
    /// or sent, or it is over.
    ///
    /// Any thread. The network thread is asked, and answers after what it does just then, mostly within a millisecond.
    public var whyWaiting: String? {
        let lifecycle = state.lifecycle
        if lifecycle.isPaused { return "it is paused" }
        if lifecycle.isBeforeStart { return obstacleToStart.map { "it waits: \($0)" } }
        guard lifecycle.isExecuting else { return nil }
        return onNetworkThread { $0.runner?.obstacle }.map { "it waits: \($0)" }
    }

    private var obstacleToStart: String? {
        guard let queue = state.schedule.queue, !isCancelled else { return dependencyObstacle }
        if let obstacle = dependencyObstacle ?? queue.obstacle(to: self) { return obstacle }
        guard let origin = state.origin else { return "other operations go first" }
        return onNetworkThread { $0.services.scheduler.obstacle(to: origin) }
    }

    private var dependencyObstacle: String? {
        guard dependencyNode.isWaiting else { return nil }
        let unfinished = dependencies.filter { !$0.isFinished }
        guard let first = unfinished.first else { return nil }
        let name = first.name ?? "\(first)"
        return unfinished.count == 1
            ? "\(name) has not ended" : "\(unfinished.count) operations have not ended, the first is \(name)"
    }

    private func onNetworkThread(_ question: @escaping @Sendable (RequestOperation) -> String?) -> String? {
        if NetworkThread.isCurrent { return question(self) }
        let answer = NetworkThreadAnswer()
        NetworkThread.shared.submit { [self] in answer.give(question(self)) }
        return answer.wait()
    }
}

/// What the network thread answers to a thread that waits for it.
private final class NetworkThreadAnswer: Sendable {
    private let text = Mutex<String?>(nil)
    private let isGiven = DispatchSemaphore(value: 0)

    func give(_ text: String?) {
        self.text.withLock { $0 = text }
        isGiven.signal()
    }

    func wait() -> String? {
        isGiven.wait()
        return text.withLock { $0 }
    }
}
