// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

extension RequestOperation {
    /// Whether the operation is paused: before its start or during it.
    public var isPaused: Bool { shared.withLock { $0.lifecycle.isPaused } }

    /// Starts the operation unless a dependency is unfinished; false then. An operation whose dependency failed may end
    /// instead.
    func startIfReady() -> Bool {
        let isCancelled = shared.withLock { $0.lifecycle.isCancelled }
        guard isCancelled || !dependencyNode.isWaiting else { return false }
        if !isCancelled, let reason = skipReason() { skip(reason) } else { handle(.start) }
        return true
    }

    /// Pauses the operation and frees its slot.
    ///
    /// GET and HEAD close their connection; `resume()` continues with a range request, when the server sent a strong
    /// validator, or starts again. Any other method keeps its connection, so that the server never sees the request
    /// twice.
    public func pause() {
        handle(.pause)
    }

    /// Continues after `pause()`, as soon as a slot is free. An operation that was paused before its start is ready
    /// again and waits for its queue.
    public func resume() {
        handle(.resume)
    }
}

// MARK: - Events and effects

extension RequestOperation {
    /// Applies an event. Its effect is queued inside the lock, so that effects run in the order of the transitions; on
    /// the network thread it runs at once, when none is on its way.
    ///
    /// - Parameter result: what comes with the end of the transfers.
    func handle(_ event: OperationLifecycle.Event, result: Box<TransferResult>? = nil) {
        let mayRunNow = NetworkThread.isCurrent
        let (change, effect, startHandler) = shared.withLock { state in
            if let result { state.transferResult = result }
            // Looked at inside the lock: who settles what it waits for looks at its state afterwards.
            let (change, effect) = state.handle(event, isWaiting: dependencyNode.isWaiting)
            let startHandler = change.hasStartHandler ? state.takeStartHandler() : nil
            let runsNow = mayRunNow && queuedEffectCount.load(ordering: .relaxed) == 0
            if let effect, !runsNow { submit(effect) }  // only queues; calls no one
            postNotification(of: change)
            return (change, runsNow ? effect : nil, startHandler)
        }
        announce(change, startHandler)
        if let effect { perform(effect) }
    }

    /// Publishes the outcome and takes everything that has to be called or released outside the lock.
    func finish(with outcome: Box<OperationOutcome>) -> OperationDelivery {
        let (change, delivery) = shared.withLock { state in
            state.sharedOutcome = outcome
            let (change, _) = state.handle(.processed, isWaiting: false)
            return (change, state.takeDelivery())
        }
        announce(change)
        return delivery
    }

    private func submit(_ effect: OperationLifecycle.Effect) {
        queuedEffectCount.wrappingAdd(1, ordering: .relaxed)
        NetworkThread.shared.submit { [self] in
            perform(effect)
            queuedEffectCount.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    /// Carries out one effect, on the network thread.
    private func perform(_ effect: OperationLifecycle.Effect) {
        switch effect {
        case .begin: madeRunner().begin()
        case .hold: madeRunner().hold()
        case .abort: madeRunner().abort()
        case .process:
            runner = nil
            ProcessingRound.shared.value.add(self)
        }
    }

    private func madeRunner() -> RequestRunner {
        if let runner { return runner }
        let made = RequestRunner(self)
        runner = made
        return made
    }

    /// Files were opened; network thread only. When the operation has ended meanwhile, they are closed.
    func opened(_ result: Result<HopOpening.Opened, NetworkingError>) {
        if let runner { return runner.opened(result) }
        if case .success(let opened) = result { opened.files?.giveUp() }
    }

    /// The transfers are over; called once, on the network thread, by the runner.
    func transferEnded(_ result: Box<TransferResult>) {
        handle(.ended, result: result)
    }

    /// Queues the notification of a change, inside the lock: a start is posted before the finish that follows it,
    /// whichever thread is faster. The finish at the end comes with delivery.
    private func postNotification(of change: LifecycleChange) {
        guard change.changesExecuting, !change.after.isFinished else { return }
        let notification: OperationNotification = change.after.isExecuting ? .start : .finish
        notification.post(for: self)
    }

    /// Lets a new priority count where the operation waits.
    func priorityChanged() {
        let (queue, isExecuting) = shared.withLock { ($0.queue, $0.lifecycle.state == .executing) }
        queue?.priorityChanged(of: self)
        guard isExecuting else { return }
        NetworkThread.shared.submit { [self] in runner?.priorityChanged() }
    }

    /// Tells Foundation and the queue, after the lock was released. Foundation has to hear of the way to the end only
    /// when the operation may be in one of its own queues. Called once, when the operation is first started, by
    /// whatever thread starts it: it must be short.
    package func setStartHandler(_ handler: @escaping @Sendable (RequestOperation) -> Void) {
        shared.withLock { $0.extras.startHandler = handler }
    }

    private func announce(_ change: LifecycleChange, _ startHandler: (@Sendable (RequestOperation) -> Void)? = nil) {
        if change.changesReadiness { announceReadiness(isReady: change.isReady) }
        startHandler?(self)
        if change.changesExecuting, !change.isInQueue { didChangeValue(forKey: "isExecuting") }
        if change.after.isFinished && !change.before.isFinished { didChangeValue(forKey: "isFinished") }
    }

    func announceReadiness(isReady: Bool) {
        let queue = shared.withLock { state in
            if isReady, state.queue != nil { state.readyInstant = MonotonicClock.now() }
            return state.queue
        }
        guard let queue else { return didChangeValue(forKey: "isReady") }
        if isReady { queue.operationBecameReady(self) }
    }
}

/// What an event changed: others are told of it, because they have no other way to learn of a change.
private struct LifecycleChange {
    let before: OperationLifecycle
    let after: OperationLifecycle
    let wasReady: Bool
    let isReady: Bool
    let isInQueue: Bool
    /// It has just been started, and somebody wants to know.
    let hasStartHandler: Bool

    var changesExecuting: Bool { before.isExecuting != after.isExecuting }
    /// A queue is told of what may be started; a cancelled operation goes first.
    var changesReadiness: Bool {
        if isInQueue { return isReady && (!wasReady || after.isCancelled && !before.isCancelled) }
        return wasReady != isReady || isReady && after.isCancelled && !before.isCancelled
    }
}

extension RequestOperationState {
    fileprivate mutating func handle(
        _ event: OperationLifecycle.Event, isWaiting: Bool
    ) -> (LifecycleChange, OperationLifecycle.Effect?) {
        let before = lifecycle
        let effect = lifecycle.handle(event)
        let isStart = lifecycle.wasStarted && !before.wasStarted
        let change = LifecycleChange(
            before: before, after: lifecycle, wasReady: before.isReady(isWaiting: isWaiting),
            isReady: lifecycle.isReady(isWaiting: isWaiting), isInQueue: queue != nil,
            hasStartHandler: isStart && boxedExtras?.value.startHandler != nil)
        if lifecycle.state == .executing, startInstant == 0 { startInstant = MonotonicClock.now() }
        if lifecycle.isFinished, !before.isFinished { finishInstant = MonotonicClock.now() }
        return (change, effect)
    }

    /// Taken once.
    fileprivate mutating func takeStartHandler() -> (@Sendable (RequestOperation) -> Void)? {
        let handler = extras.startHandler
        extras.startHandler = nil
        return handler
    }
}
