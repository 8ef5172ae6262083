// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking
internal import Synchronization

/// An operation that sends one request and receives its response.
///
/// Add the operation to a `RequestOperationQueue` or an `OperationQueue`, or call `start()`. All members may be used
/// from any thread. Handlers run on `completionQueue`, in this order: progress; then, after the operation is finished,
/// its completion handlers; then its batch's progress and completion.
///
/// `HTTPRequestOperation` adds validation and serialization; this class delivers any response unchanged.
public class RequestOperation: Operation, @unchecked Sendable {  // safe: one Mutex; `runner` traps on other threads
    let state: RequestOperationState
    let services: NetworkServices
    /// The part of the operation that runs on the network thread, while there is one; network thread only. The last
    /// reference to the operation may be released on any thread.
    var runner: RequestRunner? {
        get {
            NetworkThread.preconditionIsCurrent()
            return storedRunner
        }
        set {
            NetworkThread.preconditionIsCurrent()
            storedRunner = newValue
        }
    }
    private var storedRunner: RequestRunner?
    let dependencyNode = DependencyNode()
    /// The number of effects that were submitted to the network thread and have not run yet.
    let queuedEffectCount = Atomic<Int32>(0)
    /// The operation's number in its queue; written under the queue's lock.
    let queueIndex = Atomic<QueueState.Index>(QueueState.none)

    /// Makes an operation for a request.
    ///
    /// - Parameters:
    ///   - request: the request; copied.
    ///   - options: limits, trust and proxy; copied.
    public convenience init(request: URLRequest, options: TransferOptions = TransferOptions()) {
        self.init(plan: RequestPlan(request, options: ResolvedOptions(options)), services: .default)
    }

    init(plan: consuming RequestPlan, services: NetworkServices, completion: CompletionTarget = CompletionTarget()) {
        state = RequestOperationState(plan: plan, completion: completion, clock: services.clock)
        self.services = services
        super.init()
    }

    /// Makes an operation from an archive.
    ///
    /// - Throws: `NetworkingError` with `invalidSecurityPolicy` or `invalidRequest` if the contents of the archive
    ///   contradict each other.
    public convenience init(archive: OperationArchive) throws(NetworkingError) {
        self.init(plan: try RequestPlan(archive), services: .default)
        copyDetails(of: archive)
    }

    /// Releases a paused operation with its transfer and its files.
    deinit {
        if let storedRunner {
            nonisolated(unsafe) let runner = storedRunner  // safe: used on the network thread only
            let plan = LateRelease(state.plan)
            NetworkThread.shared.submit {
                runner.abandon()
                NetworkThread.shared.submit { plan.schedule() }  // after the release of the runner
            }
        }
        releaseChains()
    }

    /// Makes a new operation, ready to start, with this operation's request, components, blocks, progress handlers,
    /// `name` and `queuePriority`. The copy has no results, completion handlers, dependencies, output stream or
    /// `userInfo`. A copy of a finished operation has no progress handlers, because they were released.
    ///
    /// The copy needs a new body stream: see `onNeedNewBodyStream`.
    public func copied() -> RequestOperation {
        let copy = RequestOperation(plan: planOfCopy, services: services, completion: state.completion)
        copy.copyDetails(of: self)
        return copy
    }

    // Foundation's members. Swift requires overrides in the class itself.

    /// Whether the operation may be started: all dependencies have ended, or the operation was cancelled.
    override public var isReady: Bool {
        let isInGraph = dependencyNode.recordReadinessQuery()
        if isReadyNow { return true }
        guard isInGraph, state.lifecycle.isBeforeStart else { return false }
        listenForReadiness()
        return isReadyNow  // the operation may have become ready before it was registered
    }

    /// Whether the operation was started and is neither paused nor finished.
    override public var isExecuting: Bool { state.lifecycle.isExecuting }

    /// Whether the operation has its final result.
    override public var isFinished: Bool { state.lifecycle.isFinished }

    /// Whether the operation was cancelled before it was finished.
    override public var isCancelled: Bool { state.lifecycle.isCancelled }

    /// True: the operation runs on the network thread.
    override public var isAsynchronous: Bool { true }

    /// Starts the operation. A queue calls this method. It does nothing while dependencies are unfinished, or if the
    /// operation was started before.
    override public func start() {
        if let channels = state.channels, isCancelled || !dependencyNode.isWaiting {
            state.beginTrack(channels, name: name)
        }
        var none: TransferSlot?
        _ = startIfReady(&none)
    }

    /// Ends the operation with the error `cancelled`, without using the network if the operation was not started yet. A
    /// paused operation finishes too.
    ///
    /// A `RequestOperationQueue` finishes a cancelled operation at once: even while the queue is suspended or at its
    /// limit, and before the operation's dependencies have ended. Waiting would gain nothing, and a caller that cancels
    /// operations in a suspended queue can wait for their end. Foundation's `OperationQueue` starts a cancelled
    /// operation, which ends it, only while the queue is not suspended and below its limit. An operation in no queue
    /// finishes when it is started.
    override public func cancel() { handle(.cancel) }

    /// Cancels the operation with `reason` as its error.
    func cancel(because reason: NetworkingError) {
        state.setCancelReason(reason)
        cancel()
    }

    /// The operation's dependencies, in the order in which they were added; empty once the operation is finished.
    override public var dependencies: [Operation] {
        guard dependencyNode.isInGraph else { return [] }
        return DependencyGraph.read { $0.dependencies(of: self) }
    }

    /// Makes this operation wait until another operation has ended, with any result. The cost does not depend on the
    /// number of dependencies. Traps if the dependency would close a cycle.
    ///
    /// Dependencies between request operations do not use Foundation's implementation, which is unsafe on Linux.
    override public func addDependency(_ operation: Operation) { addDependency(operation, ifItFails: .runAnyway) }

    /// Removes a dependency. If no other dependency is unfinished, the operation becomes ready.
    override public func removeDependency(_ operation: Operation) { removeEdge(to: operation) }

    /// The priority among ready operations, and among operations that wait for a slot. Default `normal`. It may be
    /// changed while the operation waits.
    override public var queuePriority: Operation.QueuePriority {
        get { super.queuePriority }
        set {
            super.queuePriority = newValue
            priorityChanged()
        }
    }

    /// A block that runs once on `completionQueue` after the operation is finished, before the other handlers, and is
    /// then released. As in Foundation, a block that is set on a finished operation does not run.
    override public var completionBlock: (@Sendable () -> Void)? {
        get { state.completionBlock }
        set { state.setCompletionBlock(newValue) }
    }

    override public var description: String {
        let lifecycle = state.lifecycle
        let target =
            request.map { "\($0.httpMethod ?? "GET") " + Redaction.url($0.url?.absoluteString ?? "") }
            ?? "request not made yet"
        let status = statusCode.map { ", status \($0)" } ?? ""
        return
            "<\(type(of: self)): \(lifecycle.stateName), cancelled: \(lifecycle.isCancelled ? "yes" : "no"), \(target)\(status)>"
    }
}

// MARK: - Pausing

extension RequestOperation {
    /// Whether the operation is paused, before its start or during it.
    public var isPaused: Bool { state.lifecycle.isPaused }

    /// Starts the operation unless a dependency is unfinished; returns false in that case. An operation with a failed
    /// dependency may end instead.
    ///
    /// - Parameter slot: the slot that the operation is started with; nil without a slot. The operation consumes the
    ///   slot if it begins at once.
    func startIfReady(_ slot: inout TransferSlot?) -> Bool {
        let isCancelled = state.lifecycle.isCancelled
        guard isCancelled || !dependencyNode.isWaiting else { return false }
        if services.isDrained, state.lifecycle.state == .ready { cancel(because: .drained) }
        if !state.lifecycle.isCancelled, let reason = skipReason() { skip(reason) } else { handle(.start, &slot) }
        return true
    }

    /// Pauses the operation and releases its slot.
    ///
    /// GET and HEAD requests close their connection. `resume()` continues with a range request if the server sent a
    /// strong validator, or starts over otherwise. Any other method keeps its connection, so that the server never
    /// receives the request twice.
    ///
    /// Keep a reference to a paused operation that is in no queue and in no batch. Without a reference, the operation
    /// is released, its connection is closed, no handler is called, and its file is left as after a failure.
    ///
    /// - Returns: whether this call paused the operation: false if it was already paused, cancelled or finished.
    @discardableResult
    public func pause() -> Bool {
        let change = handle(.pause)
        return change.after.isPaused && !change.before.isPaused
    }

    /// Continues after `pause()`, as soon as a slot is free. An operation that was paused before its start is ready
    /// again and waits for its queue.
    ///
    /// - Returns: whether this call ended a pause.
    @discardableResult
    public func resume() -> Bool {
        let change = handle(.resume)
        return change.before.isPaused && !change.after.isPaused
    }
}

// MARK: - Events and effects

extension RequestOperation {
    /// Applies an event. Its effect is submitted inside the lock, so that effects run in the order of the transitions.
    /// On the network thread the effect runs at once, unless submitted effects have not run yet.
    ///
    /// - Parameter result: the result of the transfers, with the event `ended`.
    @discardableResult
    func handle(_ event: OperationLifecycle.Event, result: Box<TransferResult>? = nil) -> LifecycleChange {
        var none: TransferSlot?
        return handle(event, result: result, &none)
    }

    /// - Parameter slot: the slot that the operation is started with; nil without a slot.
    @discardableResult
    private func handle(
        _ event: OperationLifecycle.Event, result: Box<TransferResult>? = nil, _ slot: inout TransferSlot?
    ) -> LifecycleChange {
        let mayRunNow = NetworkThread.isCurrent
        var hasFirstPost = false
        let (change, effect) = state.apply(event, result: result, isWaiting: dependencyNode.isWaiting) {
            change, effect in
            let runsNow = mayRunNow && queuedEffectCount.load(ordering: .relaxed) == 0
            if let effect, !runsNow { submit(effect) }  // only submits; calls no other code
            hasFirstPost = change.keepNotification(about: self)
            return runsNow ? effect : nil
        }
        announce(change)
        if hasFirstPost { OperationNotification.schedule() }
        if let effect { perform(effect, &slot) }
        return change
    }

    /// Publishes the outcome. Removes and returns everything that has to be called or released outside the lock.
    func finish(with outcome: Box<OperationOutcome>) -> OperationDelivery {
        let transfer = outcome.value.transfer  // field by field: a copy of the whole result would be slow
        services.counters.record(
            outcome.value.error?.code, transferCount: transfer.value.summary.transferCount,
            retryCount: transfer.value.summary.retries.count, redirectCount: transfer.value.summary.redirectCount,
            isFromCache: transfer.value.summary.isFromCache, receivedByteCount: transfer.value.receivedByteCount)
        let (change, delivery) = state.finish(with: outcome)
        announce(change)
        return delivery
    }

    private func submit(_ effect: OperationLifecycle.Effect) {
        queuedEffectCount.wrappingAdd(1, ordering: .relaxed)
        NetworkThread.shared.submit { [self] in
            var none: TransferSlot?
            perform(effect, &none)
            queuedEffectCount.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    /// Carries out one effect, on the network thread.
    private func perform(_ effect: OperationLifecycle.Effect, _ slot: inout TransferSlot?) {
        switch effect {
        case .begin: madeRunner(&slot).begin()
        case .pause: madeRunner(&slot).pause()
        case .abort: madeRunner(&slot).abort()
        case .process:
            runner = nil
            OperationRounds.process.value.processing.add(self)
        }
    }

    private func madeRunner(_ slot: inout TransferSlot?) -> RequestRunner {
        if let runner { return runner }
        let made = RequestRunner(self, startedWith: slot.take(), rounds: OperationRounds.process.value)
        runner = made
        return made
    }

    /// Receives the opened files; network thread only. If the operation has ended in the meantime, they are closed.
    func opened(_ result: Result<HopOpening.Opened, NetworkingError>) {
        if let runner { return runner.opened(result) }
        if case .success(let opened) = result { opened.files?.giveUp() }
    }

    /// Receives the result of the transfers; called once, on the network thread, by the runner.
    func transferEnded(_ result: Box<TransferResult>) {
        handle(.ended, result: result)
    }

    /// Applies a new priority where the operation waits.
    func priorityChanged() {
        let (queue, isExecuting) = state.priorityPlaces
        queue?.priorityChanged(of: self)
        guard isExecuting else { return }
        NetworkThread.shared.submit { [self] in runner?.handle(.priorityChanged) }
    }

    /// Sets a handler that is called once, when the operation is first started, on the thread that starts it. It must
    /// be short.
    package func setStartHandler(_ handler: @escaping @Sendable (RequestOperation) -> Void) {
        state.changeDetails { $0.startHandler = handler }
    }

    /// Notifies Foundation and the queue, after the lock was released. Changes of `isExecuting` are reported to
    /// Foundation only if the operation may be in one of Foundation's queues.
    private func announce(_ change: LifecycleChange) {
        if change.changesReadiness { announceReadiness(isReady: change.isReady) }
        change.startHandler?(self)
        if change.changesExecuting, !change.isInQueue { didChangeValue(forKey: "isExecuting") }
        if change.after.isFinished && !change.before.isFinished { didChangeValue(forKey: "isFinished") }
    }

    func announceReadiness(isReady: Bool) {
        let queue = state.recordReadiness(isReady)
        guard let queue else {
            // Foundation reads `isReady` when an operation is added to a queue and when a change is reported. If
            // nothing has read the property, no report is needed.
            if dependencyNode.readinessWasRead { didChangeValue(forKey: "isReady") }
            return
        }
        if isReady { queue.operationBecameReady(self) }
    }
}

extension RequestOperation: HopSequenceOwner, SlotClient {
    func handle(_ event: HopSequenceEvent) {
        if let runner { return runner.handle(event) }
        if case .answered(let answer, _) = event { answer.giveUp() }
    }

    func didReceiveHead(_ head: ResponseHead) {
        for wait in state.storeHead(head) { wait.end(hasCome: true) }
    }

    func wasAdmitted(with slot: TransferSlot) {
        guard let runner else { return services.scheduler.release(slot, isUnused: true) }
        runner.wasAdmitted(with: slot)
    }
}
