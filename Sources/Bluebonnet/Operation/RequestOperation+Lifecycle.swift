// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

extension RequestOperation {
    /// Whether the operation is paused: before its start or during it.
    public var isPaused: Bool { shared.withLock { $0.lifecycle.isPaused } }

    /// Whose turn the operation takes when it waits: its batch's, else its queue's, else that of those in none.
    var shareNumber: Int { shared.withLock { $0.share != 0 ? $0.share : $0.queue?.number ?? 0 } }

    /// Starts the operation unless it waits for others; false then. One that needed another that did not succeed ends.
    func startIfReady() -> Bool {
        let isCancelled = shared.withLock { $0.lifecycle.isCancelled }
        guard isCancelled || !place.isWaiting else { return false }
        if !isCancelled, let reason = skipReason() { skip(reason) } else { handle(.start) }
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
    /// Applies an event. Its effects are queued inside the lock, so that they run in the order of the transitions; on the
    /// network thread they run at once, when none are on their way.
    ///
    /// - Parameter outcome: becomes visible with the event, not before.
    func handle(_ event: OperationLifecycle.Event, outcome: OperationOutcome? = nil) {
        let isWaiting = place.isWaiting
        let mayRunNow = NetworkThread.isCurrent
        let (old, new, effects) = shared.withLock { state in
            let old = state.announced(isWaiting: isWaiting)
            let effects = state.lifecycle.handle(event)
            if let outcome { state.outcome = outcome }
            let runsNow = mayRunNow && queuedEffectCount.load(ordering: .relaxed) == 0
            if !effects.isEmpty, !runsNow { submit(effects) }  // only queues; calls no one
            let new = state.announced(isWaiting: isWaiting)
            state.noteInstants(from: old, to: new)
            postChange(from: old, to: new)
            return (old, new, runsNow ? effects : [])
        }
        announceChange(from: old, to: new)
        for effect in effects { perform(effect) }
    }

    private func submit(_ effects: [OperationLifecycle.Effect]) {
        queuedEffectCount.wrappingAdd(1, ordering: .relaxed)
        NetworkThread.shared.submit { [self] in
            for effect in effects { perform(effect) }
            queuedEffectCount.wrappingSubtract(1, ordering: .relaxed)
        }
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

    /// Lets a new priority count where the operation waits.
    func priorityChanged() {
        let (queue, isExecuting) = shared.withLock { ($0.queue, $0.lifecycle.state == .executing) }
        queue?.priorityChanged(of: self)
        guard isExecuting else { return }
        NetworkThread.shared.submit { [self] in network.value.current?.priorityChanged() }
    }

    /// Tells Foundation and the queue, after the lock was let go. Foundation has to hear of the way to the end only when
    /// the operation may be in one of its own queues.
    private func announceChange(from old: AnnouncedState, to new: AnnouncedState) {
        let isNewlyCancelled = new.isCancelled && !old.isCancelled && new.isReady
        if old.isReady != new.isReady || isNewlyCancelled { announceReadiness(isReady: new.isReady, in: new.queue) }
        if new.wasStarted && !old.wasStarted, new.hasStartHandler {
            shared.withLock { $0.takeStartHandler() }?(self)
        }
        if old.isExecuting != new.isExecuting, new.queue == nil { didChangeValue(forKey: "isExecuting") }
        if new.isFinished && !old.isFinished { didChangeValue(forKey: "isFinished") }
    }

    func announceReadiness(isReady: Bool) {
        announceReadiness(isReady: isReady, in: shared.withLock { $0.queue })
    }

    private func announceReadiness(isReady: Bool, in queue: RequestOperationQueue?) {
        guard let queue else { return didChangeValue(forKey: "isReady") }
        if isReady { queue.operationBecameReady(self) }
    }
}

/// What others are told of: they have no other way to learn of a change.
private struct AnnouncedState {
    let isReady: Bool
    let isExecuting: Bool
    let isFinished: Bool
    let wasStarted: Bool
    let isCancelled: Bool
    let hasStartHandler: Bool
    let queue: RequestOperationQueue?
}

extension RequestOperationState {
    fileprivate func announced(isWaiting: Bool) -> AnnouncedState {
        AnnouncedState(
            isReady: isReady(isWaiting: isWaiting), isExecuting: lifecycle.isExecuting,
            isFinished: lifecycle.isFinished, wasStarted: lifecycle.isExecuting || lifecycle.state == .paused,
            isCancelled: lifecycle.isCancelled, hasStartHandler: startHandler != nil, queue: queue)
    }

    fileprivate mutating func noteInstants(from old: AnnouncedState, to new: AnnouncedState) {
        if lifecycle.state == .executing, startInstant == 0 { startInstant = MonotonicClock.now() }
        if new.isFinished, !old.isFinished { finishInstant = MonotonicClock.now() }
    }

    fileprivate mutating func takeStartHandler() -> (@Sendable (RequestOperation) -> Void)? {
        defer { startHandler = nil }
        return startHandler
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
    func opened(_ result: Result<RequestRunner.Opened, NetworkingError>) {
        if let runner { return runner.opened(result) }
        if case .success(let opened) = result { opened.files?.giveUp() }
    }

    /// Lets the runner go: the operation has ended.
    func close() { runner = nil }
}

@available(*, unavailable)
extension RunnerBox: Sendable {}
