// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

extension RequestOperation {
    /// The reason why the operation waits at this moment, as a sentence for people: dependencies, its queue, a slot of
    /// its manager, a rate limit, the back-off of its origin, a network, a pause, its next attempt, or a block of the
    /// program. Nil if it waits for nothing: it is in no queue and was not started, its request is being prepared or
    /// sent, or it is finished.
    ///
    /// Any thread. The calling task is suspended until the network thread has answered, usually within a millisecond.
    public var whyWaiting: String? {
        get async {
            let lifecycle = state.lifecycle
            if lifecycle.isPaused { return "it is paused" }
            guard lifecycle.isBeforeStart || lifecycle.isExecuting else { return nil }
            let obstacle =
                lifecycle.isBeforeStart ? await obstacleToStart : await askNetworkThread { $0.runner?.obstacle }
            return obstacle.map { "it waits: \($0)" }
        }
    }

    private var obstacleToStart: String? {
        get async {
            guard let queue = state.schedule.queue, !isCancelled else { return dependencyObstacle }
            if let obstacle = dependencyObstacle ?? queue.obstacle(to: self) { return obstacle }
            guard let origin = state.origin else { return "other operations go first" }
            return await askNetworkThread { $0.services.scheduler.obstacle(to: origin) }
        }
    }

    private var dependencyObstacle: String? {
        guard dependencyNode.isWaiting else { return nil }
        let unfinished = dependencies.filter { !$0.isFinished }
        guard let first = unfinished.first else { return nil }
        let name = first.name ?? "\(first)"
        return unfinished.count == 1
            ? "\(name) has not ended" : "\(unfinished.count) operations have not ended, the first is \(name)"
    }

    private func askNetworkThread(_ question: @escaping @Sendable (RequestOperation) -> String?) async -> String? {
        await NetworkThread.shared.answer { [self] in question(self) }
    }
}

extension RequestMachine.WaitReason {
    /// Returns the reason as a clause for messages.
    func description(_ slot: HopSlot, _ retries: RetryController?) -> String? {
        switch self {
        case .network: "there is no network by which its server can be reached"
        case .credential: "its credential is being refreshed"
        case .slot(let origin): slot.obstacle(to: origin)
        case .block: "a block of the program has not answered yet"
        case .retry(let instant): retries?.obstacle(until: instant)
        case .writing: "its body is still being written"
        }
    }
}
