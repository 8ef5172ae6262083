// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// Takes one operation's request through its stages on the network thread, and reports the end exactly once.
///
/// Network thread only. It carries out the lifecycle's effects in order and ignores them after the end. It knows no
/// serializers, and keeps its operation except during a pause.
final class RequestRunner {
    private unowned let operation: RequestOperation
    private let reference: OwnerReference
    private let rounds: OperationRounds
    private var wait = RequestStage.Wait.resume(.prepare)
    private var isHeld = false
    /// Whether files are being opened, which happens once even when the operation is paused and resumed meanwhile.
    private var isOpening = false
    private(set) var slot: HopSlot
    /// The checked request; nil before it was made.
    private var prepared: PreparedRequest?
    /// Nil when there is no cache.
    private var cacheExchange: CacheExchange?
    /// Nil without a retry policy.
    private var attempts: AttemptSeries?
    /// Nil without request adapters and an authenticator.
    private var adaptation: AdaptationCourse?
    /// The exchange; nil before the first admission, because many operations may wait for it.
    private var exchange: Exchange?

    init(_ operation: RequestOperation, startedWith granted: TransferSlot?, rounds: OperationRounds) {
        (self.operation, self.rounds, reference) = (operation, rounds, OwnerReference(operation))
        let schedule = operation.state.schedule
        slot = HopSlot(
            operation.services, flow: schedule.flowID, priority: operation.queuePriority.rawValue,
            startedWith: granted, began: schedule.began)
    }

    /// Goes through the stages, from one on, until the request has to wait in one, or has ended.
    private func go(to first: RequestStage) {
        reference.keep()
        var next: RequestStage? = first
        while let stage = next {
            if isHeld, stage.waitsForResume {
                wait = .resume(stage)
                return reference.release()
            }
            next = enter(stage)
        }
    }

    /// Enters a stage. Returns the next one; nil when the request waits, or has ended.
    private func enter(_ stage: RequestStage) -> RequestStage? {
        switch stage {
        case .prepare: return prepare()
        case .cache: return askCache()
        case .connectivity: return waitForConnectivity()
        case .credential: return waitForCredential()
        case .admission(let origin):
            wait = .hop
            return slot.enqueue(to: origin, priority: operation.queuePriority.rawValue, client: operation)
        case .adaptation(let origin): return adapt(for: origin)
        case .files(let origin): return openFiles(for: origin)
        case .hop(let origin): beginTransfer(to: origin)
        case .retry(let instant): return waitForAttempt(at: instant)
        case .body: return closeBody()
        case .end(let end): self.end(end)
        }
        return nil
    }
}

@available(*, unavailable)
extension RequestRunner: Sendable {}

// MARK: - The lifecycle's effects

extension RequestRunner {
    /// Begins, or continues after `hold()`.
    func begin() {
        isHeld = false
        reference.keep()
        attempts?.resume()
        switch wait {
        case .resume(let stage): go(to: stage)
        case .hop: slot.enqueueHeld(priority: operation.queuePriority.rawValue, client: operation)
        case .work, .connectivity, .credential, .decision, .retryDecision, .retry, .body, .leaving, .nothing: return
        }
        slot.releaseUnclaimed()
    }

    /// Pauses the transfer, keeps the bytes that arrived, and frees the slot.
    func hold() {
        isHeld = true
        attempts?.pause()
        adaptation?.interrupt(&slot)
        switch wait {
        case .credential: wait = .resume(.credential)
        case .connectivity(let ticket):
            rounds.connectivity.withdraw(ticket)
            wait = .resume(.connectivity)
        case .retry(let ticket, let instant):
            attempts?.withdraw(ticket)
            wait = .resume(.retry(until: instant))
        case .hop: if slot.hold(exchange, now: MonotonicClock.now()) { wait = .resume(.connectivity) }
        case .resume, .work, .decision, .retryDecision, .body, .leaving, .nothing: return
        }
        reference.release()
    }

    /// The operation was released during a pause: its transfer ends, and its files are left as after a failure.
    func abandon() {
        slot.abort()
        exchange?.abandon()
    }

    /// Ends the operation.
    func abort(with error: NetworkingError = NetworkingError(.cancelled, "the operation was cancelled")) {
        switch wait {
        case .leaving, .nothing: return
        case .connectivity(let ticket): rounds.connectivity.withdraw(ticket)
        case .retry(let ticket, _): attempts?.withdraw(ticket)
        case .hop: slot.abort()
        case .body(let closing): closing.giveUp()
        case .resume, .work, .credential, .decision, .retryDecision: break
        }
        go(to: .end(.failed(error)))
    }

    /// Waits for a slot again with the operation's new priority.
    func priorityChanged() {
        if slot.withdraw() { go(to: .connectivity) }
    }

    /// Whether the operation was admitted, and has neither ended nor been paused since.
    var isUnderWay: Bool { wait.isUnderWay(in: slot) }

    /// What the operation waits for, in half a sentence; nil when it does not wait.
    var obstacle: String? { wait.obstacle(slot, attempts) }

    /// The part of the body that has arrived, for an archive.
    var snapshot: BodyAssembly.Snapshot { exchange?.snapshot ?? BodyAssembly.Snapshot() }
}

// MARK: - Preparation and cache

extension RequestRunner {
    /// Makes and checks the request: here when it is there already, else where making it may wait.
    private func prepare() -> RequestStage? {
        let plan = operation.state.plan
        guard case .recipe(let recipe) = plan.source else { return take(plan.prepared()) }
        return run(in: recipe.isQuick ? .quick : .alone) {
            let result = plan.prepared()
            return { $0.take(result) }
        }
    }

    private func take(_ result: Result<PreparedRequest, NetworkingError>) -> RequestStage {
        switch result {
        case .failure(let error): return .end(.failed(error))
        case .success(let prepared):
            let limit = prepared.resolvedOptions.timeouts.total
            guard limit != 0 else { return .end(.failed(.limitPassed(to: prepared.origin))) }
            slot.limitTime(to: limit)
            self.prepared = prepared
            if let key = prepared.plan.idempotencyKey { operation.state.keep(key) }
            attempts = prepared.retryPolicy.map { AttemptSeries($0, operation.services.retryWaits) }
            if prepared.resolvedOptions.areRequestsAdapted {
                adaptation = AdaptationCourse(prepared.resolvedOptions.authenticator, operation.services.timers) {
                    [weak operation] in operation?.runner?.handle($0)
                }
            }
            if prepared.continuation != nil { _ = madeExchange(prepared) }  // part of the body is there before
            cacheExchange = CacheExchange.make(for: prepared)
            return .cache
        }
    }

    private func askCache() -> RequestStage? {
        guard let cacheExchange, cacheExchange.mayBeAnswered else {
            if prepared?.cachePolicy == .returnCacheDataDontLoad { return .end(.failed(CacheExchange.notCached)) }
            return .connectivity
        }
        return run(in: .alone) {
            let answer = cacheExchange.answer()
            return { _ in RequestStage(after: answer) }
        }
    }

    /// Does work off this thread, and then continues, unless the operation was cancelled meanwhile.
    private func run(
        in group: PreparationRound.Group, _ work: @escaping @Sendable () -> @Sendable (RequestRunner) -> RequestStage
    ) -> RequestStage? {
        wait = .work
        rounds.preparation.add(to: group) { [operation] in
            let next = work()
            return {
                guard let runner = operation.runner, case .work = runner.wait else { return }
                runner.go(to: next(runner))
            }
        }
        return nil
    }
}

// MARK: - Connectivity, admission and files

extension RequestRunner {
    private func waitForConnectivity() -> RequestStage? {
        guard let prepared, let origin = exchange.map({ $0.nextOrigin }) ?? prepared.origin else {
            return .end(.failed(NetworkingError(.badURL, "the request has no usable URL")))
        }
        guard prepared.resolvedOptions.value.waitsForConnectivity,
            let target = prepared.options.connectivityTarget(origin)
        else { return .admission(origin) }
        let limit = prepared.resolvedOptions.timeouts.connectivity
        let ticket = rounds.connectivity.wait(for: target, limit: ResolvedTimeouts.limit(limit)) { [self] isOpen in
            if isOpen { return go(to: .admission(origin)) }
            go(to: .end(.failed(.noConnectivity(to: origin, for: limit))))
        }
        guard let ticket else { return .admission(origin) }
        wait = .connectivity(ticket)
        return nil
    }

    func wasAdmitted(with granted: TransferSlot) {
        switch slot.accept(granted) {
        case .next(let origin): go(to: .adaptation(origin))
        case .heldTransfer(let transfer):
            let now = MonotonicClock.now()
            exchange?.noteContinuation(now: now)
            exchange?.take(slot.place)
            transfer.resume(deadline: slot.goOn(now: now))
        }
    }

    /// Opens the request's files, and reads what TLS needs, for each hop that needs something else.
    private func openFiles(for origin: Origin) -> RequestStage? {
        guard let prepared else { preconditionFailure("a transfer was let in before its request was made") }
        do throws(NetworkingError) {
            guard let opening = try madeExchange(prepared).opening(for: origin) else { return .hop(origin) }
            guard !isOpening else { return nil }
            isOpening = true
            let group = opening.onlyFolder.map(PreparationRound.Group.files(in:)) ?? .alone
            rounds.preparation.add(to: group) { [operation] in
                let result = opening.open()
                return { operation.opened(result) }
            }
            return nil
        } catch {
            slot.abort()
            return .end(.failed(error))
        }
    }

    /// The files are open. An operation that was paused meanwhile keeps them for later.
    func opened(_ result: Result<HopOpening.Opened, NetworkingError>) {
        isOpening = false
        if case .success(let opened) = result {
            guard let exchange else { return opened.files?.giveUp() ?? () }  // cancelled meanwhile
            exchange.take(opened)
        }
        guard let origin = slot.grantedOrigin else { return }
        switch result {
        case .success: go(to: .hop(origin))
        case .failure(let error) where slot.awaitsDescriptor(after: error): goOn(after: .another(isRedirect: false))
        case .failure(let error): abort(with: error)
        }
    }

    private func madeExchange(_ prepared: PreparedRequest) -> Exchange {
        let made = exchange ?? Exchange(prepared, owner: reference, writes: rounds.writes)
        exchange = made
        return made
    }
}

// MARK: - Hops and the end

extension RequestRunner {
    private func beginTransfer(to origin: Origin) {
        guard let exchange else { preconditionFailure("a transfer begins before its files are there") }
        attempts?.noteTransfer(of: exchange, to: origin)
        adaptation?.noteTransfer()
        let pacing = operation.services.pacing(to: origin, own: exchange.byteBucket)
        let request = exchange.transferRequest(
            to: origin, deadline: slot.beginTransfer(now: MonotonicClock.now()), pacing: pacing, place: slot.place)
        slot.fill(with: operation.services.transport.begin(request, delegate: exchange))
    }

    /// Takes an event of the exchange.
    func handle(_ event: ExchangeEvent) {
        guard let exchange else {
            if case .answered(let answer, _) = event { answer.giveUp() }
            return
        }
        switch event {
        case .newConnection(let metrics): slot.noteNewConnection(after: metrics, now: MonotonicClock.now())
        case .transferEnded(let error, let metrics):
            slot.transferEnded(metrics, now: MonotonicClock.now())
            if metrics.evidence == .nothingSent, slot.awaitsDescriptor(after: error), exchange.leaveHop() {
                return goOn(after: .another(isRedirect: false))
            }
            let step = exchange.finishTransfer(error: error, hasTimeLeft: slot.account.hasTimeLeft)
            goOn(after: step, metrics.evidence)
        case .roomAppeared: slot.transfer?.resumeReceiving()
        case .consumerLeft: abort(with: exchange.consumerError)
        case .answered(let answer, let number):
            guard exchange.take(answer, toQuestion: number) else { return }
            if case .decision = wait { return goOn(after: exchange.finishAfterAnswer()) }
            if let error = exchange.failure { return abort(with: error) }
            slot.transfer?.resumeReceiving()  // a paused one asks again when it is resumed
        }
    }

    private func goOn(after step: Exchange.NextStep, _ evidence: SendEvidence = .mayHaveArrived) {
        switch step {
        case .failed(let error):
            if attempts != nil { return judge(error, evidence) }
            go(to: .end(.failed(error)))
        case .held: judge(nil, evidence)
        case .complete: go(to: .body)
        case .another(let isRedirect):
            if isRedirect { slot.noteRedirect() }
            go(to: adaptation == nil ? .connectivity : .credential)
        case .pending: wait = .decision
        }
    }

    /// Waits until a streamed body is where it belongs, as long as the time limit allows. A pause comes too late then.
    private func closeBody() -> RequestStage? {
        guard let sink = exchange?.sinkToClose else { return .end(.complete) }
        let closing = SinkClosing(operation.services.timers)
        wait = .body(closing)
        closing.close(sink, within: slot.account.timeLeft) { [weak self] end in
            guard let self else { return }
            switch end {
            case .timePassed: abort(with: .limitPassedWriting(sink.byteCount))
            case .closed(let error, let time):
                slot.charge(time)
                go(to: .end(error.map(RequestStage.End.failed) ?? .complete))
            }
        }
        return nil
    }

    /// Ends the operation. After a failure, what has arrived of its file is written first, if the file system answers:
    /// then the file can be continued, or used by another download, when the end is reported.
    private func end(_ end: RequestStage.End) {
        guard case .failed = end, let sink = exchange?.fileBeingWritten else { return finish(end) }
        let closing = SinkClosing(operation.services.timers)
        wait = .leaving(closing)
        closing.close(sink, within: SinkClosing.patience) { [weak self] _ in self?.finish(end) }
    }

    private func finish(_ end: RequestStage.End) {
        wait = .nothing
        exchange?.flushProgress()
        adaptation?.interrupt(&slot)
        var result: TransferResult
        if case .cached(let response) = end {
            result = TransferResult(response, for: prepared, summary: slot.account.summaryOfCacheHit)
        } else {
            let summary = slot.account.summary(now: MonotonicClock.now(), retries: attempts?.retries ?? [])
            result =
                exchange?.result(end.error, summary, attempts?.stop, cacheExchange)
                ?? TransferResult(
                    of: prepared, given: operation.state.plan.request, error: end.error, summary: summary)
        }
        result.timeLeft = slot.account.timeLeft
        (prepared, exchange) = (nil, nil)
        operation.transferEnded(Box(result))
    }
}

// MARK: - Request adapters and credentials

extension RequestRunner {
    private func waitForCredential() -> RequestStage? {
        guard let adaptation, let exchange else { return .connectivity }
        wait = .credential
        return adaptation.waitForCredential(of: exchange, slot.account)
    }

    private func adapt(for origin: Origin) -> RequestStage? {
        if let refusal = slot.place?.refusal {
            slot.abort()
            if let instant = attempts?.wait(after: refusal) { return .retry(until: instant) }
            return .end(.failed(refusal.error))
        }
        guard let adaptation, let prepared else { return .files(origin) }
        return adaptation.adapt(madeExchange(prepared), for: origin, &slot)
    }

    /// Takes an event of the adapters, the authenticator or a refresh.
    func handle(_ event: AdaptationCourse.Event) {
        guard let adaptation, adaptation.take(event, &slot) else { return }
        if let error = adaptation.failure { return abort(with: error) }
        if case .credential = wait { return go(to: .credential) }
        if let origin = slot.grantedOrigin { go(to: .adaptation(origin)) }
    }
}

// MARK: - Attempts

extension RequestRunner {
    /// An attempt has failed; `error` is nil when a response is held.
    private func judge(_ error: NetworkingError?, _ evidence: SendEvidence) {
        guard let exchange, let attempts else { return }
        let block = prepared?.blocks.retry?.call
        let verdict = attempts.judge(error, evidence, of: exchange, slot.account, hasBlock: block != nil)
        guard case .ask(let question) = verdict, let block else { return follow(verdict, error) }
        wait = .retryDecision
        Task { [operation] in
            let answer = await block(operation, question.proposal)
            NetworkThread.shared.submit { operation.runner?.take(answer, to: question) }
        }
    }

    private func take(_ answer: RetryAnswer, to question: AttemptSeries.Question) {
        guard case .retryDecision = wait, let attempts, let exchange else { return }  // it was cancelled
        follow(attempts.take(answer, to: question, of: exchange, slot.account), question.error)
    }

    /// - Parameter error: the error of the failed attempt; nil when a response is held.
    private func follow(_ verdict: AttemptSeries.Verdict, _ error: NetworkingError?) {
        switch verdict {
        case .wait(let instant): go(to: .retry(until: instant))
        case .end, .ask:
            if let error { return go(to: .end(.failed(error))) }
            switch exchange?.deliverHeld() {
            case .failed(let error): go(to: .end(.failed(error)))
            case .complete, .another, .pending, .held, nil: go(to: .body)
            }
        }
    }

    private func waitForAttempt(at instant: UInt64) -> RequestStage? {
        guard let ticket = attempts?.wait(until: instant, { [self] in go(to: attemptIsDue()) }) else {
            return attemptIsDue()
        }
        wait = .retry(ticket, until: instant)
        return nil
    }

    private func attemptIsDue() -> RequestStage {
        if let attempts { slot.charge(attempts.endWait()) }
        return .connectivity
    }
}
