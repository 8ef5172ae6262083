// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Dispatch
public import Foundation

extension RequestOperationManager {
    /// Stops the manager before the program ends: starts no further operations, lets running operations finish, and
    /// cancels the operations that are unfinished after `timeout`.
    ///
    /// The manager never starts operations again. Operations that wait in `operationQueue` or for a slot, and later
    /// calls, end at once with the error `notStarted`, which says that the manager was drained. Waiting operations in
    /// `operationQueue` that are not request operations are cancelled.
    ///
    /// The drain does not wait for paused operations, nor for operations that run outside of `operationQueue`. If an
    /// operation is paused during the drain, the drain waits for it until the timeout. Redirects and answers to
    /// challenges of running operations are still sent. The method may be called again, also while it runs.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait for running operations; zero cancels them immediately. Cancelling the calling task
    ///     cancels them too.
    ///   - expirationHandler: called once, on the manager's `completionQueue`, if operations had to be cancelled.
    /// - Returns: the outcome of the operations, when all running operations are finished and their handlers have run.
    public func drain(
        timeout: Duration, expirationHandler: (@Sendable () -> Void)? = nil
    ) async -> DrainSummary {
        services.setDrained()
        operationQueue.close()
        return await finishRunning(within: timeout, expirationHandler, unstarted: operationQueue.endUnstarted)
    }

    /// Drains the manager, but leaves unstarted operations to the caller.
    package func drainLeavingUnstarted(timeout: Duration) async -> DrainSummary {
        await finishRunning(within: timeout, nil) { _ in }
    }

    private func finishRunning(
        within timeout: Duration, _ expirationHandler: (@Sendable () -> Void)?, unstarted end: (Operation) -> Void
    ) async -> DrainSummary {
        let found = sorted(await stopAndLook())
        // In reverse order, so that an operation ends before the end of a dependency makes it ready.
        for operation in found.unstarted.reversed() { end(operation) }
        let drain = Drain(found, queue: completionQueue ?? Queues.callbacks, expirationHandler)
        return await drain.finish(within: timeout, waitingForUnstarted: services.isDrained)
    }

    /// Stops the queue and its scheduler from starting operations. Work submitted to the network thread after this call
    /// runs after the stop.
    package func stopStarting() {
        operationQueue.isSuspended = true
        NetworkThread.shared.submit { [services] in services.scheduler.stopAdmittingNew() }
    }

    /// Stops starting operations. Returns all operations, and the running operations among them.
    private func stopAndLook() async -> (operations: [Operation], underWay: Set<ObjectIdentifier>) {
        operationQueue.isSuspended = true
        return await withCheckedContinuation { waiter in
            NetworkThread.shared.submit { [self] in
                let dropped = services.scheduler.stopAdmittingNew().compactMap { $0 as? RequestOperation }
                // Operations that were admitted or started in this round have begun at its end.
                NetworkThread.shared.eventLoop.atEndOfRound {
                    var known: Set<ObjectIdentifier> = []
                    let operations = (self.operationQueue.operations + self.operationsOfOtherQueues + dropped)
                        .filter { known.insert(ObjectIdentifier($0)).inserted }
                    let underWay = operations.filter { ($0 as? RequestOperation)?.isUnderWay ?? false }
                    waiter.resume(returning: (operations, Set(underWay.map(ObjectIdentifier.init))))
                }
            }
        }
    }

    /// The manager's operations that wait for a slot in other queues. Network thread only.
    private var operationsOfOtherQueues: [RequestOperation] {
        services.scheduler.queues.lazy.compactMap { $0 as? RequestOperationQueue }.filter { $0 !== self.operationQueue }
            .flatMap(\.operations).compactMap { $0 as? RequestOperation }.filter { $0.services === self.services }
    }

    /// Sorts the operations. Running operations are put into `finished`, where they will be when they end.
    private func sorted(_ found: (operations: [Operation], underWay: Set<ObjectIdentifier>)) -> DrainSummary {
        var summary = DrainSummary()
        for operation in found.operations {
            if (operation as? RequestOperation)?.wasDrained == true {
                summary.unstarted.append(operation)  // added since the drain began
            } else if found.underWay.contains(ObjectIdentifier(operation)) || operation.isEnding {
                summary.finished.append(operation)
            } else if (operation as? RequestOperation)?.isPaused ?? false {
                summary.paused.append(operation)
            } else {
                summary.unstarted.append(operation)
            }
        }
        return summary
    }
}

extension RequestOperation {
    /// Whether the operation ends because its manager was drained.
    fileprivate var wasDrained: Bool { state.details.cancelReason?.code == .notStarted }

    /// Network thread only.
    fileprivate var isUnderWay: Bool {
        state.lifecycle.state == .processing || runner?.isUnderWay ?? false
    }
}

extension Operation {
    /// Whether the operation has ended or ends by itself. A cancelled operation ends without being admitted. An
    /// operation that is not a request operation counts while it is executing.
    fileprivate var isEnding: Bool {
        isCancelled || isFinished || !(self is RequestOperation) && isExecuting
    }
}

/// One drain: waits for running operations, and cancels them after the timeout.
private final class Drain: Sendable {
    private enum State { case waiting, ended, expired }

    private let sorted: DrainSummary
    private let queue: DispatchQueue
    private let expirationHandler: (@Sendable () -> Void)?
    private let group = DispatchGroup()
    private let timing = DispatchQueue(label: "org.bluebonnet.drain")
    private let state = Mutex(State.waiting)

    init(_ sorted: DrainSummary, queue: DispatchQueue, _ expirationHandler: (@Sendable () -> Void)?) {
        self.sorted = sorted
        self.queue = queue
        self.expirationHandler = expirationHandler
    }

    /// - Parameter waitsForUnstarted: whether unstarted request operations are being ended.
    func finish(within timeout: Duration, waitingForUnstarted waitsForUnstarted: Bool) async -> DrainSummary {
        for operation in sorted.finished { watch(operation) }
        if waitsForUnstarted { for case let operation as RequestOperation in sorted.unstarted { watch(operation) } }
        let timer = DispatchWorkItem { [self] in expire() }
        if timeout <= .zero {
            expire()
        } else {
            timing.asyncAfter(deadline: .now() + min(timeout.seconds, 1e9), execute: timer)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                group.notify(queue: timing) { waiter.resume() }
            }
        } onCancel: {
            expire()
        }
        timer.cancel()
        return summary()
    }

    /// Adds the end of an operation to `group`; for a request operation, the end of its handlers. The handlers of other
    /// operations cannot be waited for.
    private func watch(_ operation: Operation) {
        group.enter()
        if let request = operation as? RequestOperation {
            return request.addBatchHandler { [group] _ in group.leave() }
        }
        OperationWatch.begin([operation]) { [group] in group.leave() }
    }

    private func expire() {
        let unfinished = sorted.finished.filter { !$0.isFinished }
        let isFirst = state.withLock { state in
            guard state == .waiting, !unfinished.isEmpty else { return false }
            state = .expired
            return true
        }
        guard isFirst else { return }
        if let expirationHandler { queue.async(group: group, execute: expirationHandler) }
        for operation in unfinished { operation.cancel() }
    }

    private func summary() -> DrainSummary {
        var summary = sorted
        summary.hasExpired = state.withLock { state in
            if state == .waiting { state = .ended }
            return state == .expired
        }
        guard summary.hasExpired else { return summary }
        summary.cancelled = sorted.finished.filter(\.wasCancelledBeforeItsEnd)
        summary.finished = sorted.finished.filter { !$0.wasCancelledBeforeItsEnd }
        return summary
    }
}

extension Operation {
    /// Whether a cancellation took effect. A cancellation that came too late changes no outcome.
    fileprivate var wasCancelledBeforeItsEnd: Bool {
        guard let request = self as? RequestOperation else { return isCancelled }
        return request.error?.code == .cancelled
    }
}

/// The manager's operations after a drain.
public struct DrainSummary: Sendable {
    /// Running operations that ended without being cancelled by the drain, with any result.
    public internal(set) var finished: [Operation] = []
    /// Running operations that were cancelled at the timeout.
    public internal(set) var cancelled: [Operation] = []
    /// Operations that never had a slot. Request operations have ended with the error `notStarted` and have sent
    /// nothing; other operations were cancelled.
    public internal(set) var unstarted: [Operation] = []
    /// Operations that were paused. They stay unfinished. An operation that was paused before its start ends with
    /// `notStarted` when it is resumed.
    public internal(set) var paused: [Operation] = []
    /// Whether the timeout passed before all running operations had ended.
    public internal(set) var hasExpired = false
}
