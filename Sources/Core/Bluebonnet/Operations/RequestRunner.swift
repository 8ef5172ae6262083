// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Runs the `RequestMachine` of one operation: applies events, lets `RequestWork` carry out the effects, and reports
/// the end exactly once.
///
/// Network thread only. The runner retains its operation, except during a pause.
final class RequestRunner {
    private unowned let operation: RequestOperation
    private let reference: OwnerReference
    private var machine = RequestMachine()
    private let work: RequestWork

    init(_ operation: RequestOperation, startedWith granted: TransferSlot?, rounds: OperationRounds) {
        (self.operation, reference) = (operation, OwnerReference(operation))
        work = RequestWork(operation, reference, startedWith: granted, rounds: rounds)
    }

    /// Applies an event and carries out its effect, and then the events that follow, until an effect waits.
    func handle(_ event: RequestMachine.Event) {
        reference.keep()
        var event = Optional(event)
        while let next = event.take(), let effect = machine.handle(next) { event = perform(effect) }
        attributeTime()
        if machine.isParked { reference.release() }
    }

    /// Attributes the time of the operation, and reports what it waits for now.
    private func attributeTime() {
        if let activity = machine.activity(isBackingOff: work.retries?.isBackingOff == true) {
            work.slot.change(to: activity)
        }
        guard let track = work.track, machine.state != .ended || work.isWriting else { return }
        track.recordWait(waitKind) { self.publicWaitReason }
    }

    /// The kind of the wait that events report; nil during a pause, which has its own events.
    private var waitKind: WaitReason.Kind? {
        if machine.isPaused { return nil }
        return waitReason.map { $0.kind(isBackingOff: work.retries?.isBackingOff == true) }
    }

    /// Returns the event that ends the effect; nil if the effect ends later.
    private func perform(_ effect: RequestMachine.Effect) -> RequestMachine.Event? {
        switch effect {
        case .enter(let stage): return work.begin(stage, machine.work, isFirst: !machine.wasAdmitted)
        case .interrupt: work.interrupt()
        case .pauseTransfer: work.slot.pause(now: work.clock.now())
        case .queueTransfer(let origin): work.enqueue(to: origin, .continuation)
        case .dequeueTransfer: work.slot.withdraw()
        case .resumeTransfer: work.resumeTransfer()
        case .judge(let error, let evidence): return work.judge(error, evidence)
        case .ask(let question): work.ask(question)
        case .acceptResponse: return work.acceptResponse()
        case .end(let end): work.end(end)
        }
        return nil
    }

    // MARK: The lifecycle's effects

    /// Begins, or continues after `pause()`.
    func begin() {
        work.retries?.resume()
        handle(.begin)
        work.slot.releaseUnclaimed()
    }

    /// Pauses the transfer, keeps the received bytes, and releases the slot. GET and HEAD requests close their
    /// connection and continue with a range request. Any other request that is being sent keeps its connection.
    func pause() {
        work.retries?.pause()
        handle(.pauseRequested(keepsTransfer: !work.canSendAgain))
    }

    /// Ends the transfer of an operation that was released during a pause. Its files are left as after a failure.
    func abandon() { work.abandon() }

    /// Ends the operation with the error `cancelled`.
    func abort() { handle(.fail(NetworkingError(.cancelled, "the operation was cancelled"))) }

    // MARK: Events

    func wasAdmitted(with slot: TransferSlot) {
        guard machine.awaitsSlot else { return operation.services.scheduler.release(slot, isUnused: true) }
        work.slot.accept(slot)
        handle(.granted)
    }

    /// Applies the end of work on another thread, unless a cancellation has made it obsolete.
    func prepared(_ end: (RequestWork) -> RequestMachine.Event) {
        if machine.state != .ended { handle(end(work)) }
    }

    func adapterEnded(_ end: HopAdapter.End, work number: Int) {
        guard machine.isCurrent(number) else { return }
        work.recordEnd(of: end)
        handle(end.error.map { .fail($0) } ?? .workEnded)
    }

    func opened(_ result: Result<HopOpening.Opened, NetworkingError>) {
        if let event = work.opened(result, awaited: machine.openingOrigin) { handle(event) }
    }

    func answered(_ answer: RetryAnswer, to question: RetryController.Question) {
        guard machine.state == .at(.retryAnswer), let event = work.judge(answer, to: question) else { return }
        handle(event)
    }

    func handle(_ event: HopSequenceEvent) {
        switch event {
        case .newConnection(let metrics): work.slot.transferContinues(after: metrics, now: work.clock.now())
        case .transferEnded(let error, let metrics):
            if let event = work.transferEnded(error, metrics) { handle(event) }
        case .sinkBecameWritable: work.slot.transfer?.resumeReceiving()
        case .consumerCancelled: if let error = work.hopSequence?.consumerError { handle(.fail(error)) }
        case .answered(let answer, let number):
            guard work.accept(answer, toQuestion: number) else { return }
            if machine.state == .at(.answer) {
                if let event = work.eventAfterAnswer() { handle(event) }
            } else if let error = work.hopSequence?.failure {
                handle(.fail(error))
            } else {
                work.slot.transfer?.resumeReceiving()  // a paused transfer receives again after it is resumed
            }
        }
    }

    // MARK: Questions

    /// Whether the operation was admitted, and has neither ended nor been paused since.
    var isUnderWay: Bool { machine.isUnderWay }

    /// The reason why the operation waits. After a failure, it may wait until the received part of a file is written.
    var waitReason: RequestMachine.Wait? { machine.waitReason ?? (work.isWriting ? .writing : nil) }

    /// The wait reason in its public form; nil if the operation does not wait.
    var publicWaitReason: WaitReason? { waitReason.flatMap { $0.publicReason(work.slot, work.retries) } }

    /// The received part of the body, for an archive.
    var snapshot: BodyAssembly.Snapshot { work.hopSequence?.snapshot ?? BodyAssembly.Snapshot() }
}

@available(*, unavailable)
extension RequestRunner: Sendable {}

// MARK: - The cache's stages

extension RequestWork {
    func askCache() -> Event? {
        guard let prepared, let cache else {
            return prepared?.cachePolicy == .onlyIfCached ? .fail(HopCache.notCached) : .notCached
        }
        return cache.ask(hopSequence?.nextHop ?? prepared.first, hopSequence.map { $0.nextOrigin } ?? prepared.origin) {
            work in run(work)
        }
    }

    /// Reads the body of the stored response, unless the look-up has read it, and opens the operation's files.
    func prepareStored(for origin: Origin) -> Event? {
        slot.releaseHop()
        guard let prepared, let cache else { return .storedBodyLost }
        if !cache.hasReply {
            return cache.read { work in run(work) }
        }
        guard let opening = madeHopSequence(prepared).openingForStored() else { return .opened }
        open(opening, for: origin)
        return nil
    }

    /// Delivers the stored response. It takes several turns if the body's consumer is slow or a block decides.
    func deliverStored() -> Event? {
        guard let hopSequence, let transfer = cache?.makeTransfer(to: hopSequence) else { return .storedBodyLost }
        slot.fill(with: transfer)
        return transfer.begin().flatMap { storedEnded($0.error) }
    }

    func storedEnded(_ error: NetworkingError?) -> Event? {
        slot.endStored()
        return (hopSequence?.finishTransfer(error: error, hasTimeLeft: true)).map { transferEnded($0, .nothingSent) }
    }

    private func run(_ work: @escaping @Sendable () -> @Sendable (CacheStages) -> Event) -> Event? {
        run(in: .alone) {
            let end = work()
            return { $0.cache.map(end) ?? .notCached }
        }
    }
}
