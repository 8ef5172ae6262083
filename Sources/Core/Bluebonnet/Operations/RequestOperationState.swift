// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Dispatch
internal import Foundation
internal import FoundationNetworking

/// The state of an operation, protected by a lock. Other files use questions and events: only this file takes the lock.
/// No code of the program is called, and no object of the program is released, while the lock is taken.
struct RequestOperationState: ~Copyable, Sendable {
    /// Only this file accesses the contents. (If the type were private, Swift 6.3 would crash in a debug build.)
    struct Values: Sendable {
        fileprivate var lifecycle = OperationLifecycle()
        fileprivate var plan: RequestPlan
        /// Nil while the operation has no such details.
        fileprivate var details: Box<OperationDetails>?
        fileprivate var completion: CompletionTarget
        fileprivate var handlers = EndHandlers()
        fileprivate var schedule = OperationSchedule()
        fileprivate var received = ByteProgress()
        /// The head of the response whose body arrives; the outcome has the final head.
        fileprivate var head: ResponseHead?
        fileprivate var headWaits: [TaskWait] = []
        /// The result of the transfers, from the network thread. Processing makes the outcome from it.
        fileprivate var transfer: Box<TransferResult>?
        fileprivate var outcome: Box<OperationOutcome>?
        /// Nil without event monitors, and before the operation is queued.
        fileprivate var track: EventTrack?
    }

    private let values: Mutex<Values>
    private let clock: OperationClock

    init(plan: consuming RequestPlan, completion: CompletionTarget, clock: OperationClock) {
        self.clock = clock
        values = Mutex(Values(plan: plan, completion: completion), rank: .operation)
    }

    // MARK: Questions

    var lifecycle: OperationLifecycle { values.withLock { $0.lifecycle } }
    var plan: RequestPlan { values.withLock { $0.plan } }
    var details: OperationDetails { values.withLock { $0.details?.value ?? OperationDetails() } }
    var completion: CompletionTarget { values.withLock { $0.completion } }
    var schedule: OperationSchedule { values.withLock { $0.schedule } }
    /// The schedule, and the track that reports the operation's events; nil without event monitors, and before the
    /// operation is queued.
    var start: (schedule: OperationSchedule, track: EventTrack?) { values.withLock { ($0.schedule, $0.track) } }
    /// The channels of the event monitors; nil without monitors. Asks the monitors what they want, therefore not under
    /// the lock.
    var channels: EventChannelList? {
        guard values.withLock({ !$0.plan.options.eventChannels.isEmpty }) else { return nil }
        return values.withLock { $0.plan.options.eventChannels }.list()
    }
    /// The outcome; nil before the operation is finished.
    var outcome: Box<OperationOutcome>? { values.withLock { $0.outcome } }
    /// The result of the transfers, once the operation has ended.
    var result: TransferResult? { outcome?.value.transfer.value }

    /// The head of the final response, from its arrival on.
    var head: ResponseHead? {
        values.withLock { $0.outcome.map { $0.value.transfer.value.head } ?? $0.head }
    }

    var progress: ByteProgress {
        values.withLock { values in
            guard let result = values.outcome?.value.transfer.value else { return values.received }
            return ByteProgress(count: result.receivedByteCount, expected: result.receivedByteCount)
        }
    }

    func isReady(isWaiting: Bool) -> Bool { values.withLock { $0.lifecycle.isReady(isWaiting: isWaiting) } }

    /// Whether the operation is in no queue and was not started.
    var isFree: Bool { values.withLock { $0.schedule.queue == nil && $0.lifecycle.isBeforeStart } }

    /// The queue to notify of a new priority, and whether the network thread must be notified too.
    var priorityPlaces: (queue: RequestOperationQueue?, isExecuting: Bool) {
        values.withLock { ($0.schedule.queue, $0.lifecycle.state == .executing) }
    }

    // MARK: Changes by the program

    /// Changes the operation's plan. Has no effect after the start, when the plan is being carried out.
    func changePlan(_ change: (inout RequestPlan) -> Void) {
        let old = values.withLock { values in
            let old = values.plan
            if values.lifecycle.isBeforeStart { change(&values.plan) }
            return old
        }
        withExtendedLifetime(old) {}  // releasing objects of the program may run its code
    }

    /// Stores the key of a request that was made after the start, for an archive.
    func keep(_ key: IdempotencyKey) {
        values.withLock { values in
            if values.plan.idempotencyKey == nil { values.plan.idempotencyKey = key }
        }
    }

    /// - Parameter onlyBeforeEnd: whether the call does nothing after the end was delivered.
    func changeDetails(onlyBeforeEnd: Bool = false, _ change: (inout OperationDetails) -> Void) {
        let old = values.withLock { values -> Box<OperationDetails>? in
            let old = values.details
            if onlyBeforeEnd, values.handlers.isDelivered { return old }
            var details = old?.value ?? OperationDetails()
            change(&details)
            values.details = Box(details)
            return old
        }
        withExtendedLifetime(old) {}
    }

    func changeCompletion(_ change: (inout CompletionTarget) -> Void) {
        let old = values.withLock { values in
            let old = values.completion
            change(&values.completion)
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Stores the pipe of a body that is delivered in chunks. Returns false if the call is too late, or the second. For
    /// an operation in a queue the call is always too late, because the operation may start at any moment.
    func setChunks(_ pipe: BodyPipe) -> Bool {
        values.withLock { values in
            if case .chunks = values.plan.streamedOutput { return false }
            guard values.schedule.queue == nil, values.lifecycle.isBeforeStart else { return false }
            values.plan.streamedOutput = .chunks(pipe)
            return true
        }
    }

    /// Returns the progress at a key path. It is set once; later calls return the existing progress.
    func progress(at place: any WritableKeyPath<OperationDetails, Progress?> & Sendable, made: Progress) -> Progress {
        changeDetails { $0[keyPath: place] = $0[keyPath: place] ?? made }
        return details[keyPath: place] ?? made
    }

    // MARK: Lifecycle

    /// Applies an event.
    ///
    /// - Parameters:
    ///   - result: the result of the transfers, with the event `ended`.
    ///   - isWaiting: whether a dependency is unfinished. Evaluated inside the lock, because the code that settles a
    ///     dependency reads the operation's state afterwards.
    ///   - inOrder: called inside the lock, so that effects are submitted in the order of the transitions.
    func apply(
        _ event: OperationLifecycle.Event, result: Box<TransferResult>?, isWaiting: @autoclosure () -> Bool,
        inOrder: (LifecycleChange, OperationLifecycle.Effect?) -> OperationLifecycle.Effect?
    ) -> (LifecycleChange, OperationLifecycle.Effect?) {
        values.withLock { values in
            if let result { values.transfer = result }
            let (change, effect) = apply(event, to: &values, isWaiting: isWaiting())
            return (change, inOrder(change, effect))
        }
    }

    /// Publishes the outcome. Removes and returns everything that has to be called or released outside the lock.
    func finish(with outcome: Box<OperationOutcome>) -> (LifecycleChange, OperationDelivery) {
        values.withLock { values in
            values.outcome = outcome
            values.head = nil
            let (change, _) = apply(.processed, to: &values, isWaiting: false)
            if let track = values.track { track.finish(RequestEvent.OperationEnd(outcome.value)) }
            let hasHandlers = values.handlers.deliver()
            let delivery = OperationDelivery(
                waits: values.handlers.removeTaskWaits() + values.headWaits, hasFailed: outcome.value.error != nil,
                queue: values.schedule.queue.take(), callbackQueue: values.completion.queue, hasHandlers: hasHandlers,
                details: values.details, chunkPipe: values.plan.removeChunkPipe(), recipe: values.plan.removeRecipe())
            values.headWaits = []
            if values.details?.value.hasHandlers == true {
                values.details = values.details?.changed {
                    ($0.uploadProgress, $0.downloadProgress, $0.placement) = (nil, nil, nil)
                }
            }
            return (change, delivery)
        }
    }

    private func apply(
        _ event: OperationLifecycle.Event, to values: inout Values, isWaiting: Bool
    ) -> (LifecycleChange, OperationLifecycle.Effect?) {
        let before = values.lifecycle
        let effect = values.lifecycle.handle(event)
        let after = values.lifecycle
        let isStart = after.wasStarted && !before.wasStarted
        // Removed here, before the network thread can see the details: the network thread would release the handler's
        // captures.
        let startHandler = isStart ? values.details?.value.startHandler : nil
        if startHandler != nil { values.details = values.details?.changed { $0.startHandler = nil } }
        if after.state == .executing, values.schedule.startInstant == 0 {
            values.schedule.startInstant = clock.now()
        }
        if after.isFinished, !before.isFinished { values.schedule.finishInstant = clock.now() }
        if isStart { values.track?.record(.admitted) }
        if before.isPaused != after.isPaused { recordPause(after, &values) }
        let change = LifecycleChange(
            before: before, after: after, wasReady: before.isReady(isWaiting: isWaiting),
            isReady: after.isReady(isWaiting: isWaiting), isInQueue: values.schedule.queue != nil,
            startHandler: startHandler)
        return (change, effect)
    }

    /// Begins the events of an operation that is started without a queue.
    func beginTrack(_ channels: EventChannelList, name: @autoclosure () -> String?) {
        values.withLock { values in
            guard values.track == nil, values.lifecycle.isReady(isWaiting: false) || values.lifecycle.isCancelled,
                values.lifecycle.isBeforeStart
            else { return }
            values.schedule.startInstant = clock.now()
            values.track = EventTrack(channels, clock, name: name())
            values.track?.record(.queuedWithoutReason, at: values.schedule.startInstant)
        }
    }

    private func recordPause(_ lifecycle: OperationLifecycle, _ values: inout Values) {
        if lifecycle.isBeforeStart { values.schedule.recordPause(lifecycle.isPaused, now: clock.now()) }
        values.track?.record(lifecycle.isPaused ? .paused : .resumed)
    }

    /// Sets the error of a cancellation that follows. Has no effect on a cancelled operation.
    func setCancelReason(_ reason: NetworkingError) {
        values.withLock { values in
            guard !values.lifecycle.isCancelled else { return }
            var details = values.details?.value ?? OperationDetails()
            details.cancelReason = reason
            values.details = Box(details)
        }
    }

    /// Records that the operation must not be started. Has no effect on an operation that was started or cancelled.
    func recordSkip(_ error: NetworkingError, cause: String) {
        let isSkipped = values.withLock { values in
            guard !values.lifecycle.isCancelled, values.lifecycle.isBeforeStart else { return false }
            values.transfer = Box(TransferResult(request: values.plan.request, error: error))
            return true
        }
        if isSkipped { changeDetails { $0.skipCause = cause } }
    }

    // MARK: Scheduling

    /// Records that the operation enters a queue.
    ///
    /// - Returns: the operation's flow in fair queueing, and whether it waits for a slot as soon as it is started. A
    ///   request that is made first, or that a cache may answer, does not. Nil if the operation is in a queue, or was
    ///   started.
    ///
    /// - Parameters:
    ///   - channels: the channels of its event monitors.
    ///   - name: the operation's name, for its events.
    ///   - reason: why the operation waits at first, for its events.
    func enter(
        _ queue: RequestOperationQueue, isWaiting: @autoclosure () -> Bool, _ channels: EventChannelList?,
        name: String?, reason: WaitReason?
    ) -> (flow: Int, needsSlot: Bool)? {
        values.withLock { values in
            guard values.schedule.queue == nil, values.lifecycle.isBeforeStart else { return nil }
            values.schedule.queue = queue
            values.schedule.enqueueInstant = clock.now()
            values.track = channels.map { EventTrack($0, clock, name: name) }
            values.track?.record(reason.map { .queued($0) } ?? .queuedWithoutReason, at: values.schedule.enqueueInstant)
            if values.lifecycle.isReady(isWaiting: isWaiting()) {
                values.schedule.readyInstant = values.schedule.enqueueInstant
            }
            return (values.schedule.flow, values.plan.request != nil && !values.plan.options.hasResponseCache)
        }
    }

    /// The origin of the operation's request, if it is known before the request is checked.
    var origin: Origin? {
        guard let url = values.withLock({ $0.plan.request?.url }) else { return nil }
        return Origin(plain: url.absoluteString) ?? Origin(url)
    }

    /// Records that the operation has become ready, or is no longer ready.
    ///
    /// - Returns: the queue to notify.
    func recordReadiness(_ isReady: Bool) -> RequestOperationQueue? {
        values.withLock { values in
            if isReady, values.schedule.queue != nil { values.schedule.readyInstant = clock.now() }
            return values.schedule.queue
        }
    }

    /// Records that the operation becomes a member of a batch.
    func enterBatch(flow: Int, policy: FailedDependencyPolicy?) {
        values.withLock { values in
            values.schedule.flow = flow
            values.schedule.dependencyPolicy = values.schedule.dependencyPolicy ?? policy
        }
    }

    // MARK: Handlers and the end

    func setCompletionBlock(_ block: (@Sendable () -> Void)?) {
        let old = values.withLock { $0.handlers.setCompletionBlock(block) }
        withExtendedLifetime(old) {}
    }

    var completionBlock: (@Sendable () -> Void)? { values.withLock { $0.handlers.settableCompletionBlock } }

    /// Stores a handler. Returns nil, or the queue on which to call a handler that has to be called separately, after
    /// the others.
    func add(_ handler: @escaping RequestOperation.CompletionHandler, isBatchs: Bool) -> DispatchQueue? {
        values.withLock { values in
            values.handlers.add(handler, isBatchs: isBatchs) ? nil : values.completion.queue ?? Queues.callbacks
        }
    }

    /// Sets the result handler. Returns nil, or the queue on which to call a handler that has to be called separately,
    /// after the others.
    func setResultHandler(_ handler: @escaping RequestOperation.CompletionHandler) -> DispatchQueue? {
        var replaced: RequestOperation.CompletionHandler?
        let queue = values.withLock { values -> DispatchQueue? in
            guard !values.handlers.setResultHandler(handler, replaced: &replaced) else { return nil }
            return values.completion.queue ?? Queues.callbacks
        }
        withExtendedLifetime(replaced) {}
        return queue
    }

    /// Stores a `TaskWait` for the end. Returns false if the end was delivered.
    func add(_ wait: TaskWait) -> Bool { values.withLock { $0.handlers.add(wait) } }

    /// Removes a `TaskWait` whose task gave up.
    func remove(_ wait: TaskWait) {
        values.withLock { values in
            values.handlers.remove(wait)
            values.headWaits.removeAll { $0 === wait }
        }
    }

    func removeEndHandlers() -> EndHandlers { values.withLock { $0.handlers.removeToCall() } }

    /// The facts that decide where the response is processed. `isOurs`: no code of the program makes the outcome.
    /// `isPlain`: in addition, no code of the program except handlers is called, and no object of the program is
    /// released, at the end.
    var processing: (transfer: Box<TransferResult>?, isOurs: Bool, isPlain: Bool) {
        values.withLock { values in
            let isOurs = values.plan.serializer?.isPlain != false && !values.plan.wantsDigest
            let hasUserObjects = values.plan.hasUserObjects || values.details?.value.hasUserObjects == true
            return (values.transfer, isOurs, isOurs && !hasUserObjects)
        }
    }

    /// The serializer and whether the digest is wanted. Without a serializer every response is delivered unchanged.
    var serialization: (serializer: ResolvedSerializer?, wantsDigest: Bool) {
        values.withLock { ($0.plan.serializer, $0.plan.wantsDigest) }
    }

    /// Removes and returns the result of the transfers.
    func removeTransfer() -> (transfer: Box<TransferResult>?, group: DispatchGroup?) {
        values.withLock { ($0.transfer.take(), $0.completion.group) }
    }

    /// Stores the head of the response whose body follows.
    ///
    /// - Returns: the `TaskWait` objects for the head.
    func storeHead(_ head: ResponseHead) -> [TaskWait] {
        values.withLock { values in
            values.head = head
            if values.headWaits.isEmpty { return [] }
            defer { values.headWaits = [] }
            return values.headWaits
        }
    }

    /// Stores a `TaskWait` for the head. Returns false if the head is known, or the operation is finished.
    func addHeadWait(_ wait: TaskWait) -> Bool {
        values.withLock { values in
            guard values.head == nil, values.outcome == nil else { return false }
            values.headWaits.append(wait)
            return true
        }
    }

    /// Records how much of the request body was sent.
    ///
    /// - Returns: the details with the progress handlers.
    func recordSent(_ progress: ByteProgress) -> OperationDetails {
        values.withLock { values in
            var details = values.details?.value ?? OperationDetails()
            details.sent = progress
            values.details = Box(details)
            return details
        }
    }

    /// Records how much of the body has arrived.
    ///
    /// - Returns: the details with the progress handlers.
    func recordReceived(_ progress: ByteProgress) -> Box<OperationDetails>? {
        values.withLock { values in
            values.received = progress
            return values.details
        }
    }

    /// Whether the state has no object of the program that may retain other operations.
    var isEmptied: Bool {
        values.withLock { $0.handlers.isDelivered && $0.details?.value.userInfo.isEmpty != false }
    }

    /// Removes and returns everything that may retain other operations: an operation that was never started still has
    /// closures when it is released.
    func removeClosures() -> [any Sendable] {
        values.withLock { values in
            let taken: [any Sendable] = [values.plan, values.handlers.removeAll(), values.details]
            _ = values.plan.removeRecipe()
            values.plan.removeProgramObjects()
            values.details = nil
            return taken
        }
    }
}
