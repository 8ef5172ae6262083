// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

extension RequestOperation {
    /// Whether the operation is paused: before its start or during it.
    public var isPaused: Bool { shared.withLock { $0.lifecycle.isPaused } }

    /// Starts the operation unless it waits for others; false then.
    func startIfReady() -> Bool {
        guard shared.withLock({ $0.lifecycle.isCancelled || $0.node.unfinishedCount == 0 }) else { return false }
        handle(.start)
        return true
    }

    /// Stops the operation for a while; it gives its place on the wire back.
    ///
    /// GET and HEAD give up their connection and go on by a range request, when the server's strong validator allows
    /// it, or from the start. Any other method keeps its connection, so that the server never sees the request twice.
    public func pause() {
        handle(.pause)
    }

    /// Goes on after `pause()`, once there is a place on the wire again. An operation that was paused before it was
    /// started is ready again and waits for its queue.
    public func resume() {
        handle(.resume)
    }
}

// MARK: - Events and effects

extension RequestOperation {
    /// Applies an event. Its effects are queued inside the lock, so that they run in the order of the transitions.
    ///
    /// - Parameter outcome: becomes visible with the event, not before.
    func handle(_ event: OperationLifecycle.Event, outcome: OperationOutcome? = nil) {
        let (old, new) = shared.withLock { state in
            let old = state.announced
            let effects = state.lifecycle.handle(event)
            if let outcome { state.outcome = outcome }
            if !effects.isEmpty {
                NetworkThread.shared.submit { [self] in effects.forEach(perform) }  // only queues; calls no one
            }
            let new = state.announced
            postChange(from: old, to: new)
            return (old, new)
        }
        announceChange(from: old, to: new)
    }

    /// Carries out one effect, on the network thread.
    private func perform(_ effect: OperationLifecycle.Effect) {
        switch effect {
        case .begin: network.value.runner(for: self).begin()
        case .hold: network.value.runner(for: self).hold()
        case .abort: network.value.runner(for: self).abort()
        case .process:
            network.value.close()
            ProcessingRound.shared.value.add(self)
        }
    }

    /// The transfers are over; called once, on the network thread, by the runner.
    func transferEnded(_ result: TransferResult) {
        shared.withLock { $0.transferResult = result }
        handle(.ended)
    }

    /// Queues the notification of a change, inside the lock: a start is posted before the finish that follows it,
    /// whichever thread is faster. The finish at the end comes with delivery.
    private func postChange(from old: AnnouncedState, to new: AnnouncedState) {
        guard old.isExecuting != new.isExecuting, !new.isFinished else { return }
        let notification: OperationNotification = new.isExecuting ? .start : .finish
        notification.post(for: self)
    }

    /// Tells Foundation and the queue, after the lock was let go.
    private func announceChange(from old: AnnouncedState, to new: AnnouncedState) {
        let isNewlyCancelled = new.isCancelled && !old.isCancelled && new.isReady
        if old.isReady != new.isReady || isNewlyCancelled { announceReadiness(isReady: new.isReady) }
        if new.wasStarted && !old.wasStarted {
            shared.withLock { $0.takeStartHandler() }?(self)
        }
        if old.isExecuting != new.isExecuting {
            didChangeValue(forKey: "isExecuting")
        }
        if new.isFinished && !old.isFinished { didChangeValue(forKey: "isFinished") }
    }

    func announceReadiness(isReady: Bool) {
        didChangeValue(forKey: "isReady")
        guard isReady else { return }
        shared.withLock { $0.queue }?.operationBecameReady(self)
    }
}

/// What Foundation is told of: it has no other way to learn of a change.
private struct AnnouncedState: Equatable {
    let isReady: Bool
    let isExecuting: Bool
    let isFinished: Bool
    let wasStarted: Bool
    let isCancelled: Bool
}

extension RequestOperationState {
    fileprivate var announced: AnnouncedState {
        AnnouncedState(
            isReady: isReady, isExecuting: lifecycle.isExecuting, isFinished: lifecycle.isFinished,
            wasStarted: lifecycle.isExecuting || lifecycle.state == .paused, isCancelled: lifecycle.isCancelled)
    }

    fileprivate mutating func takeStartHandler() -> (@Sendable (RequestOperation) -> Void)? {
        defer { startHandler = nil }
        return startHandler
    }

    var isReady: Bool {
        lifecycle.state == .ready && (lifecycle.isCancelled || node.unfinishedCount == 0)
    }
}

/// The network thread's part of an operation: its runner, while there is one.
final class RunnerBox {
    private var runner: RequestRunner?

    func runner(for operation: RequestOperation) -> RequestRunner {
        if let runner { return runner }
        let made = RequestRunner(operation)
        runner = made
        return made
    }

    /// The runner, unless the operation has ended.
    var current: RequestRunner? { runner }

    /// Files were opened. When the operation has ended meanwhile, nobody needs them.
    func opened(_ result: Result<PreparedRequest.Files, NetworkingError>) {
        if let runner { return runner.opened(result) }
        if case .success(let files) = result { files.giveUp() }
    }

    /// Lets the runner go: the operation has ended.
    func close() { runner = nil }
}

@available(*, unavailable)
extension RunnerBox: Sendable {}
