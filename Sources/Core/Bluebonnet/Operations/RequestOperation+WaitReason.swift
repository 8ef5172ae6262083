// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

extension RequestOperation {
    /// The reason why the operation waits at this moment: dependencies, its queue, a slot of its manager, a rate limit,
    /// the back-off of its origin, a network, a pause, its next attempt, or a block of the program. Nil if it waits for
    /// nothing: it is in no queue and was not started, its request is being prepared or sent, or it is finished.
    ///
    /// Any thread. The calling task is suspended until the network thread has answered, usually within a millisecond.
    /// `summary.timings.waits` has the time that a finished operation has waited for each reason.
    public var waitReason: WaitReason? {
        get async {
            let lifecycle = state.lifecycle
            if lifecycle.isPaused { return .pause }
            guard lifecycle.isBeforeStart || lifecycle.isExecuting else { return nil }
            if lifecycle.isBeforeStart { return await reasonBeforeStart }
            return await askNetworkThread { $0.runner?.publicWaitReason }
        }
    }

    private var reasonBeforeStart: WaitReason? {
        get async {
            guard let queue = state.schedule.queue, !isCancelled else { return dependencyReason }
            if let reason = dependencyReason ?? queue.waitReason(of: self) { return reason }
            guard let origin = state.origin else { return .slot(limit: nil) }
            return await askNetworkThread { $0.services.scheduler.waitReason(to: origin) }
        }
    }

    private var dependencyReason: WaitReason? {
        guard dependencyNode.isWaiting else { return nil }
        let unfinished = dependencies.filter { !$0.isFinished }
        guard let first = unfinished.first else { return nil }
        return .dependency(first: first.name ?? "\(first)", count: unfinished.count)
    }

    /// The first reason why an operation waits that is added to a queue; for its events.
    func firstWaitReason(in queue: RequestOperationQueue) -> WaitReason? {
        dependencyReason ?? (queue.isSuspended ? .suspended : nil)
    }

    private func askNetworkThread(
        _ question: @escaping @Sendable (RequestOperation) -> WaitReason?
    ) async -> WaitReason? {
        await NetworkThread.shared.answer { [self] in question(self) }
    }
}

extension RequestMachine.Wait {
    /// - Parameter isBackingOff: whether the next attempt follows a failed attempt. If not, the governor has refused
    ///   the transfer.
    func kind(isBackingOff: Bool) -> WaitReason.Kind {
        switch self {
        case .network: .connectivity
        case .credential: .credential
        case .slot: .slot
        case .adapter: .adapter
        case .block: .block
        case .retry: isBackingOff ? .backoff : .hold
        case .writing: .writing
        case .flight: .coalesced
        }
    }

    /// Returns the reason with its details.
    func publicReason(_ slot: HopSlot, _ retries: RetryController?) -> WaitReason? {
        switch self {
        case .network: .connectivity
        case .credential: .credential
        case .slot(let origin): slot.waitReason(to: origin)
        case .adapter: .adapter
        case .block: .block
        case .retry(let instant): retries?.waitReason(until: instant)
        case .writing: .writing
        case .flight: .coalesced
        }
    }
}
