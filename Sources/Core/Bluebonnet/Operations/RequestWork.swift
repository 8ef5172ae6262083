// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// Does the work of one request's stages, and owns what they need: the slot, the hop sequence, the adapters, the
/// attempts.
///
/// Network thread only. It does not know which stage follows: its functions return the event that ends their work. Work
/// that ends later reports its event to the operation's runner.
final class RequestWork {
    typealias Event = RequestMachine.Event

    /// Work of a stage that ends later and can be cancelled.
    private enum Pending {
        case connectivity(ConnectivityGate.Ticket)
        case retry(NetworkTimers.Ticket)
        case body(SinkClosing)
    }

    private unowned let operation: RequestOperation
    private let reference: OwnerReference
    private let rounds: OperationRounds
    var slot: HopSlot
    private var pending: Pending?
    /// The origin for which files are being opened. They are opened once, even if the operation is paused and resumed
    /// in the meantime.
    private var openingOrigin: Origin?
    /// The checked request; nil before it was made.
    private(set) var prepared: PreparedRequest?
    /// Nil without a cache.
    private(set) var cache: CacheStages?
    /// Nil without a retry policy.
    private(set) var retries: RetryController?
    /// Nil without request adapters and an authenticator.
    private var adapter: HopAdapter?
    /// Nil before the first admission, because many operations may wait for admission.
    private(set) var hopSequence: HopSequence?
    /// Nil without event monitors.
    let track: EventTrack?
    let clock: OperationClock

    init(
        _ operation: RequestOperation, _ reference: OwnerReference, startedWith granted: TransferSlot?,
        rounds: OperationRounds
    ) {
        let (schedule, track) = operation.state.start
        (self.operation, self.reference, self.rounds, self.track) = (operation, reference, rounds, track)
        clock = operation.services.clock
        slot = HopSlot(
            operation.services, flow: schedule.flowID, priority: operation.queuePriority.rawValue,
            startedWith: granted, began: schedule.began)
        slot.divideFirstWait(schedule.firstWait) { schedule.queue?.waits(from: $0, to: $1) ?? QueueWaits() }
    }

    /// Begins the work of a stage.
    ///
    /// - Parameters:
    ///   - number: identifies the work of adapters and of a refresh.
    ///   - isFirst: whether no transfer of the operation has begun.
    /// - Returns: the event that ends the stage; nil if the stage ends later.
    func begin(_ stage: RequestStage, _ number: Int, isFirst: Bool) -> Event? {
        switch stage {
        case .prepare: return prepare()
        case .cache: return askCache()
        case .coalescing: return cache.map { $0.awaitFlight(timeLeft: slot.account.timeLeft, report) } ?? .notCached
        case .storedFiles(let origin): return prepareStored(for: origin)
        case .stored: return deliverStored()
        case .connectivity: return awaitConnectivity()
        case .credential: return awaitCredential(number)
        case .admission(let origin): return requestSlot(for: origin, isFirst: isFirst)
        case .adaptation(let origin): return adapt(for: origin, number)
        case .files(let origin): return openFiles(for: origin)
        case .hop(let origin): beginTransfer(to: origin)
        case .backoff(let instant): return awaitRetry(at: instant)
        case .body: return closeBody()
        case .answer, .retryAnswer: break
        }
        return nil
    }
}

@available(*, unavailable)
extension RequestWork: Sendable {}

// MARK: - Preparation and cache

extension RequestWork {
    /// Makes and checks the request: on this thread if there is no recipe, otherwise on a queue, where it may take
    /// time.
    private func prepare() -> Event? {
        let plan = operation.state.plan
        guard case .recipe(let recipe) = plan.source else { return store(plan.prepared()) }
        return run(in: recipe.isQuick ? .quick : .alone) {
            let result = plan.prepared()
            return { $0.store(result) }
        }
    }

    private func store(_ result: Result<PreparedRequest, NetworkingError>) -> Event {
        switch result {
        case .failure(let error): return .fail(error)
        case .success(let prepared):
            let limit = prepared.resolvedOptions.timeouts.total
            guard limit != 0 else { return .fail(.limitPassed(to: prepared.origin)) }
            slot.limitTime(to: limit)
            self.prepared = prepared
            if let key = prepared.plan.idempotencyKey { operation.state.keep(key) }
            retries = prepared.retryPolicy.map { RetryController($0, operation.services.retryWaits) }
            if prepared.resolvedOptions.areRequestsAdapted {
                adapter = HopAdapter(prepared.resolvedOptions.authenticator, operation.services.timers) {
                    [weak operation] in operation?.runner?.adapterEnded($0, work: $1)
                }
            }
            if prepared.continuation != nil { _ = madeHopSequence(prepared) }  // an archived part exists
            cache = HopCache.make(for: prepared).map {
                CacheStages($0, prepared, operation.services, rounds, track)
            }
            return .prepared(isAdapted: adapter != nil, isRetried: retries != nil, isCached: cache != nil)
        }
    }

    /// Does work on another thread.
    func run(
        in group: PreparationRound.Group, _ work: @escaping @Sendable () -> @Sendable (RequestWork) -> Event
    ) -> Event? {
        rounds.preparation.add(to: group) { [operation] in
            let end = work()
            return { operation.runner?.prepared(end) }
        }
        return nil
    }
}

// MARK: - Waiting without a slot

extension RequestWork {
    private func awaitConnectivity() -> Event? {
        slot.releaseHop()
        guard let prepared, let origin = hopSequence.map({ $0.nextOrigin }) ?? prepared.origin else {
            return .fail(NetworkingError(.badURL, "the request has no valid URL"))
        }
        guard prepared.resolvedOptions.value.waitsForConnectivity,
            let target = prepared.options.connectivityTarget(origin)
        else { return .reachable(origin) }
        let limit = prepared.resolvedOptions.timeouts.connectivity
        let ticket = rounds.connectivity.wait(for: target, limit: ResolvedTimeouts.limit(limit)) { [self] isOpen in
            report(isOpen ? .reachable(origin) : .fail(.noConnectivity(to: origin, for: limit)))
        }
        guard let ticket else { return .reachable(origin) }
        pending = .connectivity(ticket)
        return nil
    }

    private func awaitCredential(_ number: Int) -> Event? {
        slot.releaseHop()
        guard let adapter, let hopSequence else { return .credentialReady }
        return adapter.awaitCredential(of: hopSequence, work: number, timeLeft: slot.account.timeLeft)
    }

    private func awaitRetry(at instant: UInt64) -> Event? {
        slot.releaseHop()
        let waits = operation.services.retryWaits
        guard instant > waits.clock.now() else { return retryIsDue() }
        pending = .retry(waits.wait(until: instant) { [self] in report(retryIsDue()) })
        return nil
    }

    private func retryIsDue() -> Event {
        if let retries { slot.charge(retries.endWait()) }
        return .retryDue
    }

    /// Reports the end of pending work.
    private func report(_ event: Event) {
        pending = nil
        if let cache { slot.charge(cache.stopWaiting()) }
        operation.runner?.handle(event)
    }
}

// MARK: - Admission and adapters

extension RequestWork {
    private func requestSlot(for origin: Origin, isFirst: Bool) -> Event? {
        if let cache, slot.isBlocked(origin), cache.hopCache.answerWithoutResponse() { return .stored(origin) }
        if slot.claim(for: origin) { return .granted }
        if operation.services.isDrained, isFirst { return .fail(.drained) }
        enqueue(to: origin, isFirst ? .first : .another)
        return nil
    }

    func enqueue(to origin: Origin, _ demand: SlotDemand) {
        slot.enqueue(to: origin, priority: operation.queuePriority.rawValue, demand, client: operation)
    }

    private func adapt(for origin: Origin, _ number: Int) -> Event? {
        if let refusal = slot.place?.refusal {
            if cache?.hopCache.answerWithoutResponse() == true { return .stored(origin) }
            guard let instant = retries?.wait(after: refusal, of: origin) else { return .fail(refusal.error) }
            return .refused(until: instant)
        }
        guard let adapter, let prepared else { return .adapted }
        return adapter.adapt(madeHopSequence(prepared), for: origin, work: number, timeLeft: slot.account.timeLeft)
    }

    func recordEnd(of end: HopAdapter.End) {
        if let adapter { slot.charge(adapter.recordEnd(end)) }
    }
}

// MARK: - Files

extension RequestWork {
    /// Opens the request's files, and reads the files that TLS needs, for each hop that needs other files than the
    /// last.
    private func openFiles(for origin: Origin) -> Event? {
        guard let prepared else { preconditionFailure("a transfer was admitted before its request was created") }
        do throws(NetworkingError) {
            guard let opening = try madeHopSequence(prepared).opening(for: origin) else { return .opened }
            open(opening, for: origin)
            return nil
        } catch {
            return .fail(error)
        }
    }

    func open(_ opening: HopOpening, for origin: Origin) {
        guard openingOrigin == nil else { return }
        openingOrigin = origin
        let group = opening.onlyFolder.map(PreparationRound.Group.files(in:)) ?? .alone
        rounds.preparation.add(to: group) { [operation] in
            let result = opening.open()
            return { operation.opened(result) }
        }
    }

    /// Receives the opened files. An operation that was paused in the meantime keeps them for later.
    ///
    /// - Parameter awaited: the origin for which the operation waits for files; nil if it does not wait for them.
    func opened(_ result: Result<HopOpening.Opened, NetworkingError>, awaited: Origin?) -> Event? {
        let origin = openingOrigin.take()
        switch result {
        case .success(let opened):
            guard let hopSequence else {  // the operation was cancelled in the meantime
                opened.files?.giveUp()
                return nil
            }
            hopSequence.store(opened)
            return origin == awaited ? .opened : .openedForOtherHop
        case .failure(let error):
            guard origin == awaited else { return .openedForOtherHop }
            return slot.releaseForDescriptor(after: error) ? .descriptorsMissing : .fail(error)
        }
    }

    func madeHopSequence(_ prepared: PreparedRequest) -> HopSequence {
        let made =
            hopSequence ?? HopSequence(prepared, cache?.hopCache, owner: reference, writes: rounds.writes, track: track)
        hopSequence = made
        return made
    }
}

// MARK: - Transfers

extension RequestWork {
    private func beginTransfer(to origin: Origin) {
        guard let hopSequence else { preconditionFailure("a transfer started before its files were open") }
        if let retries {
            retries.recordTransfer(to: origin)
            hopSequence.beginAttempt(isLast: retries.isLastAttempt)
        }
        adapter?.reset()
        let pacing = operation.services.pacing(to: origin, own: hopSequence.byteBucket)
        let now = clock.now()
        let deadline = slot.beginTransfer(now: now)
        let request = hopSequence.transferRequest(to: origin, deadline: deadline, pacing: pacing, place: slot.place)
        hopSequence.events?.beginHop(request, to: origin, attempt: retries?.number ?? 1, now: now)
        slot.fill(with: operation.services.transport.begin(request, delegate: hopSequence))
    }

    func resumeTransfer() {
        let now = clock.now()
        hopSequence?.recordContinuation(now: now)
        hopSequence?.setPlace(slot.place)
        let deadline = slot.resume(now: now)
        slot.transfer?.resume(deadline: deadline)  // it may end at once
    }

    func transferEnded(_ error: NetworkingError?, _ metrics: TransferMetrics) -> Event? {
        guard let hopSequence else { return nil }
        if hopSequence.incoming.isReplay { return storedEnded(error) }
        let now = clock.now()
        if let duration = slot.account.timeOfTransfer(now: now) {
            operation.services.recordTransfer(duration, to: hopSequence.nextOrigin, now: now)
        }
        slot.transferEnded(metrics, now: now)
        hopSequence.reportEnd(error, metrics, at: now)
        if metrics.evidence == .nothingSent, slot.releaseForDescriptor(after: error), hopSequence.leaveHop() {
            return .transferEnded(.another(isRedirect: false), metrics.evidence)
        }
        return transferEnded(
            hopSequence.finishTransfer(error: error, hasTimeLeft: slot.account.hasTimeLeft), metrics.evidence)
    }

    func transferEnded(_ step: HopSequence.NextStep, _ evidence: DeliveryCertainty) -> Event {
        if case .another(isRedirect: true) = step { slot.recordRedirect() }
        return .transferEnded(step, evidence)
    }

    /// Applies the answer of a block. Returns false if the answer is late.
    func accept(_ answer: HopQuestions.Answer, toQuestion number: Int) -> Bool {
        if let hopSequence { return hopSequence.apply(answer, toQuestion: number) }
        answer.giveUp()
        return false
    }

    /// Returns the event after an answer that arrived after the end of the transfer.
    func eventAfterAnswer() -> Event? { (hopSequence?.finishAfterAnswer()).map { transferEnded($0, .mayHaveArrived) } }

    /// Whether a body or a file is being written.
    var isWriting: Bool { if case .body? = pending { true } else { false } }

    /// Whether a pause may close the connection.
    var canSendAgain: Bool { hopSequence?.canBeSentAgain == true || slot.transfer?.hasBegunSending != true }
}

// MARK: - Attempts

extension RequestWork {
    /// - Parameter error: the error of the failed attempt; nil if a response was refused.
    func judge(_ error: NetworkingError?, _ evidence: DeliveryCertainty) -> Event? {
        guard let hopSequence, let retries else { return nil }
        let failed = hopSequence.failedAttempt(error: error, evidence: evidence, number: retries.number)
        let verdict = retries.judge(
            failed, error ?? hopSequence.refusalError, isResponse: error == nil, to: hopSequence.nextOrigin,
            timeLeft: slot.account.timeLeft, hasBlock: prepared?.blocks.retry != nil)
        return judged(verdict, error)
    }

    func ask(_ question: RetryController.Question) {
        guard let block = prepared?.blocks.retry?.call else { preconditionFailure("no block decides about retries") }
        Task { [operation] in
            let answer = await block(operation, question.proposal)
            NetworkThread.shared.submit { operation.runner?.answered(answer, to: question) }
        }
    }

    func judge(_ answer: RetryAnswer, to question: RetryController.Question) -> Event? {
        guard let hopSequence, let retries else { return nil }
        let verdict = retries.judge(answer, to: question, to: hopSequence.nextOrigin, timeLeft: slot.account.timeLeft)
        return judged(verdict, question.error)
    }

    private func judged(_ verdict: RetryController.Verdict, _ error: NetworkingError?) -> Event {
        if case .wait = verdict { hopSequence?.endAttempt() }
        if let track, let decided = retries?.lastVerdict { track.record(.retryDecided(decided)) }
        return .judged(verdict, error)
    }

    /// Makes the refused response the result.
    func acceptResponse() -> Event? {
        if case .failed(let error)? = hopSequence?.acceptRefusedResponse() { return .fail(error) }
        return .accepted
    }
}

// MARK: - Ends

extension RequestWork {
    /// Cancels the work of a stage, for a pause.
    func interrupt() {
        let now = clock.now()
        // First, because other processes may change the file once the connection is closed.
        if slot.transfer != nil { hopSequence?.recordInterruption() }
        giveUpPending()
        cache?.leaveFlight(hasFailed: false)
        slot.interrupt(now: now)
        hopSequence?.events?.endHop(.paused, slot.lastMetrics)
    }

    private func giveUpPending() {
        if let adapter { slot.charge(adapter.cancel()) }
        if let cache { slot.charge(cache.stopWaiting()) }
        switch pending.take() {
        case .connectivity(let ticket): rounds.connectivity.withdraw(ticket)
        case .retry(let ticket): operation.services.retryWaits.withdraw(ticket)
        case .body(let closing): closing.giveUp()
        case nil: break
        }
    }

    /// Releases the transfer and the files of an operation that was released during a pause.
    func abandon() {
        cache?.leaveFlight(hasFailed: false)
        slot.abort()
        hopSequence?.abandon()
    }

    /// Waits until a streamed body is written, as long as the time limit allows. A pause is too late at this point.
    private func closeBody() -> Event? {
        guard let sink = hopSequence?.sinkToClose else { return .bodyWritten }
        let closing = SinkClosing(operation.services.timers)
        pending = .body(closing)
        closing.close(sink, within: slot.account.timeLeft) { [weak self] end in
            guard let self else { return }
            switch end {
            case .timePassed: report(.fail(.limitPassedWriting(sink.byteCount)))
            case .closed(let error, let time):
                slot.charge(time)
                report(error.map { .fail($0) } ?? .bodyWritten)
            }
        }
        return nil
    }

    /// Ends the operation. After a failure, the received part of its file is written first, if the file system
    /// responds: the file can then be continued, or used by another download, when the end is reported.
    func end(_ end: RequestMachine.End) {
        giveUpPending()
        if let error = end.error { cache?.leaveFlight(hasFailed: error.code != .cancelled) }
        slot.abort()
        hopSequence?.events?.endHop(RequestEvent.HopEnd.Reason(end.error), slot.lastMetrics)
        guard case .failed = end, let sink = hopSequence?.fileBeingWritten else { return finish(end) }
        let closing = SinkClosing(operation.services.timers)
        pending = .body(closing)
        closing.close(sink, within: SinkClosing.patience) { [weak self] _ in self?.finish(end) }
    }

    private func finish(_ end: RequestMachine.End) {
        hopSequence?.flushProgress()
        operation.services.counters.addSent(hopSequence?.sentByteCount ?? 0)
        let now = clock.now()
        var summary = slot.account.summary(now: now, retries: retries?.retries ?? [])
        cache?.hopCache.complete(&summary)
        var result =
            hopSequence?.result(end.error, summary, retries?.stop, cache?.hopCache)
            ?? TransferResult(of: prepared, given: operation.state.plan.request, error: end.error, summary: summary)
        result.timeLeft = slot.account.timeLeft
        cache?.end()
        (pending, prepared, hopSequence, cache) = (nil, nil, nil, nil)
        operation.transferEnded(Box(result))
    }
}
