// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import FoundationNetworking

/// One operation's hop sequence over all its transfers: makes the request of each hop, and collects the response.
///
/// Network thread only. `HopChain` decides what follows each response head, `BodyAssembly` assembles the result's body,
/// `HopQuestions` calls the program's blocks. The hop sequence knows neither the transport nor admission.
final class HopSequence: TransferDelegate {
    /// The step after the end of a transfer.
    enum NextStep {
        case complete
        case failed(NetworkingError)
        /// Another transfer.
        case another(isRedirect: Bool)
        /// A stored response answers the hop to the origin.
        case stored(Origin)
        /// A block of the program has not answered yet.
        case pending
        /// The response is refused, and is kept until the decision whether the request is retried.
        case undecidedRetry
    }

    let prepared: PreparedRequest
    private let reference: OwnerReference
    /// Nil without a cache.
    let cache: HopCache?
    var owner: (any HopSequenceOwner)? { reference.owner }
    /// Whether a refused response is the result, whatever the retry policy says.
    private var isLastAttempt = true
    @exclusivity(unchecked) var hops: HopChain
    @exclusivity(unchecked) var outgoing: OutgoingHop
    private var questions: HopQuestions
    @exclusivity(unchecked) var incoming = IncomingResponse()
    @exclusivity(unchecked) var assembly: BodyAssembly
    @exclusivity(unchecked) var progress: HopSequenceProgress
    /// The operation's own rate limit over all its transfers, in bytes per second; nil without a limit.
    let byteBucket: SharedByteBucket?
    /// The rate limits of the current transfer; nil without a limit.
    private(set) var pacing: TransferPacing?
    /// The permit of the current transfer; nil without a governor.
    private var place: GovernorPermit?
    /// The bytes of request bodies that were sent in all transfers.
    private(set) var sentByteCount: Int64 = 0
    /// Nil without event monitors.
    let events: HopEvents?

    init(
        _ prepared: PreparedRequest, _ cache: HopCache? = nil, owner reference: OwnerReference, writes: WriteCoalescer,
        track: EventTrack? = nil
    ) {
        (self.prepared, self.reference, self.cache) = (prepared, reference, cache)
        events = track.map(HopEvents.init)
        hops = HopChain(prepared)
        questions = HopQuestions(prepared, owner: reference)
        outgoing = OutgoingHop(prepared)
        assembly = BodyAssembly(prepared, writes: writes)
        progress = HopSequenceProgress(reference, events)
        byteBucket = prepared.resolvedOptions.value.maximumBytesPerSecond.map(SharedByteBucket.init)
        if prepared.hasOutput { watchConsumer() }
    }

    private func watchConsumer() {
        assembly.watchConsumer(
            sinkBecameWritable: { [weak self] in self?.owner?.handle(.sinkBecameWritable) },
            consumerCancelled: { [weak self] in self?.owner?.handle(.consumerCancelled) })
    }
}

@available(*, unavailable)
extension HopSequence: Sendable {}

// MARK: - Before a transfer

extension HopSequence {
    /// The destination of the next transfer.
    var nextOrigin: Origin? { hops.origin }

    /// Whether the request may be sent twice: then a pause closes the connection. False while a retry is undecided.
    var canBeSentAgain: Bool { hops.canBeSentAgain && !incoming.awaitsRetryDecision }

    /// Returns the files to open and read before a transfer to `origin`; nil if nothing has to be opened or read.
    func opening(for origin: Origin) throws(NetworkingError) -> HopOpening? {
        try outgoing.opening(for: origin, pausedFile: assembly.interruptedFile)
    }

    func store(_ opened: HopOpening.Opened) {
        outgoing.store(opened)
        if let files = opened.files { assembly.setFiles(files) }
        if opened.isPausedFileChanged { assembly.interruptedFileHasChanged() }
    }

    func setPlace(_ place: GovernorPermit?) { self.place = place }

    func transferRequest(
        to origin: Origin, deadline: UInt64, pacing: TransferPacing?, place: GovernorPermit?
    ) -> TransferRequest {
        (self.pacing, self.place) = (pacing, place)
        beginResponse(isReplaying: false)
        cache?.beginTransfer()
        progress.restartUpload()
        return TransferRequest(
            url: hops.request.url, origin: origin, method: hops.request.method,
            headers: hops.headers(rangeFields: addedFields),
            body: outgoing.body(of: hops.request),
            poolKey: outgoing.poolKey(to: origin, questions.trustAnswers, isPaced: pacing != nil),
            limits: outgoing.limits(of: hops, deadline: deadline, isPaced: pacing != nil), cookieJar: hops.cookieJar)
    }
}

// MARK: - The response

extension HopSequence {
    func transferDidReceive(head: ResponseHead) throws(NetworkingError) {
        incoming.head = head
        if !incoming.isReplay {
            events?.received(head)
            place?.record(head)
            if cache != nil, applyToCache(head) { return }
        }
        let canRepeatBody = ![401, 407, 421].contains(head.statusCode) || outgoing.canRepeatBody(of: hops)
        let decision = hops.decision(on: head, assembly.interrupted, canRepeatBody: canRepeatBody)
        try apply(decision, to: head)
    }

    /// Sets how the body of a response is used.
    private func apply(_ decision: HopDecision, to head: ResponseHead) throws(NetworkingError) {
        var decision = decision
        if questions.asksAboutResponse, case .deliver(let continues) = decision {
            owner?.didReceiveHead(head)  // the block may read the operation's response
            decision = .ask(.response(continues: continues))
        }
        let disposition: IncomingResponse.Disposition =
            switch decision {
            case .deliver(let continues): try disposition(ofResult: head, continues: continues)
            case .alreadyComplete: .discard(nil)
            case .send(let next): .discard(next)
            case .ask: .awaitingDecision
            case .fail(let error): throw error
            }
        if let cache, !incoming.isReplay { prepareCache(cache, for: decision) }
        if case .ask(let question) = decision { questions.ask(question, about: head, in: hops) }
        incoming.setDisposition(disposition, method: hops.request.method)
        if case .deliver = decision, !incoming.awaitsRetryDecision { owner?.didReceiveHead(head) }
    }

    private func disposition(
        ofResult head: ResponseHead, continues: Bool
    ) throws(NetworkingError) -> IncomingResponse.Disposition {
        let hasBody = head.hasBody(for: hops.request.method)
        let destination = prepared.bodyDestination(ofStatus: continues ? 200 : head.statusCode)
        if needsRetryDecision(after: head, for: destination) {
            let (receiver, bodyError) = assembly.separateReceiver(for: head, hasBody: hasBody)
            incoming.bodyError = bodyError
            return .undecidedRetry(receiver, destination)
        }
        if destination == .error {
            let (receiver, bodyError) = assembly.errorReceiver(for: head, hasBody: hasBody)
            incoming.bodyError = bodyError
            progress.restartDownload()
            return .errorBody(reporting(receiver))
        }
        let receiver = try assembly.receiver(
            for: head, hasBody: hasBody, isPartWanted: head.statusCode == 206 && hops.request.headers["Range"] != nil,
            hasOutput: destination == .output)
        progress.restartDownload(at: receiver.sink.byteCount)
        return .body(
            reporting(receiver, copy: incoming.isReplay || !(receiver.sink is ChannelSink) ? nil : cache?.copyBody()))
    }

    /// Returns a receiver that reports its pieces, if there is a handler.
    ///
    /// - Parameter copy: receives the pieces for the cache, too.
    private func reporting(_ receiver: BodyReceiver, copy: BodyTee? = nil) -> BodyReceiver {
        let pieces = prepared.pieces
        guard pieces != nil || copy != nil else { return receiver }
        var receiver = receiver
        receiver.onPiece = { [reference] in
            copy?.append($0)
            if let pieces, let owner = reference.owner { pieces(owner, Data($0)) }
        }
        return receiver
    }

    var bodyDeadline: UInt64 { incoming.bodyDeadline }

    var awaitsDecision: Bool { incoming.isAwaitingDecision }

    /// Records that the transfer continues after a pause or a rate limit.
    func recordContinuation(now: UInt64) { incoming.recordContinuation(now: now) }

    func transferDidReceive(bytes: UnsafeRawBufferPointer, mustTake: Bool) throws(NetworkingError) -> BodyIntake {
        guard let count = try incoming.receive(bytes, mustTake: mustTake) else { return .wouldBlock }
        if let cache, !incoming.isResult { cache.collect(bytes) }
        progress.received(count, of: incoming.head)
        events?.received(byteCount: bytes.count, decodedByteCount: incoming.isDecoded ? count : nil)
        return .taken
    }
}

// MARK: - Events

extension HopSequence {
    func transferBeginsAgain(after metrics: TransferMetrics) { owner?.handle(.newConnection(after: metrics)) }

    var observesConnections: Bool { events?.observesConnections == true }

    func transferDidSend(_ part: SentPart) { events?.sent(part) }

    func transferDidConnect(_ use: ConnectionUseFacts, _ metrics: TransferMetrics) {
        events?.connected(use, metrics, bodyByteCount: outgoing.bodyByteCount(of: hops))
    }

    /// Reports the end of a transfer to event monitors.
    func reportEnd(_ error: NetworkingError?, _ metrics: TransferMetrics, at instant: UInt64) {
        events?.endHop(
            RequestEvent.HopEnd.Reason(error), metrics, undecidedByteCount: incoming.undecidedByteCount, at: instant)
    }

    func transferDidFind(_ violation: PinViolation) { questions.report(violation) }

    func transferDidEnd(error: NetworkingError?, metrics: TransferMetrics) {
        if let place, let error, incoming.head == nil, error.descriptorShortage == nil { place.record(error) }
        owner?.handle(.transferEnded(error, metrics))
    }

    /// Applies an answer. Returns false if the answer is late, because a pause has aborted the transfer.
    func apply(_ answer: HopQuestions.Answer, toQuestion number: Int) -> Bool {
        guard number == questions.number, incoming.isAwaitingDecision else {
            answer.giveUp()
            return false
        }
        do throws(NetworkingError) {
            switch answer {
            case .serverTrust(let answer, let question):
                try questions.store(answer, to: question)
                incoming.setDisposition(.discard(.sameRequest))
            case .hop(let answer):
                guard let head = incoming.head else { return false }
                if case .response(let answer, _) = answer { try apply(answer) }
                try apply(hops.decision(after: answer, on: head, assembly.interrupted), to: head)
                if case .response = answer { questions.recordDecision(isUndecided: incoming.awaitsRetryDecision) }
            }
        } catch {
            incoming.setDisposition(.failed(error))
        }
        return true
    }

    /// Applies the answer of the response block. If the body goes to a file, the part of an interrupted body that is in
    /// memory is moved to the file.
    private func apply(_ answer: ResponseAnswer) throws(NetworkingError) {
        questions.recordResponseAnswer()
        guard case .file(let file) = answer else { return }
        watchConsumer()
        try assembly.moveBody(to: file)
    }

    /// The error with which the hop sequence fails, whatever else arrives; nil if it does not fail.
    var failure: NetworkingError? {
        if case .failed(let error) = incoming.disposition { error } else { nil }
    }

    /// Returns the step after an answer that arrived after the end of the transfer.
    func finishAfterAnswer() -> NextStep { finishTransfer(error: incoming.transferError, hasTimeLeft: true) }
}

// MARK: - Ends

extension HopSequence {
    /// Decides what follows the end of a transfer. If the response head was decisive, an error in the body is ignored.
    ///
    /// - Parameter hasTimeLeft: whether the time limit allows another transfer.
    func finishTransfer(error: NetworkingError?, hasTimeLeft: Bool) -> NextStep {
        if let question = error?.underlying as? ServerTrustQuestion { return ask(about: question) }
        switch incoming.disposition {
        case .awaitingDecision:
            if let error, !hasTimeLeft { return .failed(error) }
            incoming.transferError = error
            return .pending
        case .failed(let error): return .failed(error)
        case .discard(nil):
            incoming.head = assembly.interruptedHead
            return .complete
        case .discard(.stored): return nextOrigin.map { .stored($0) } ?? .complete
        case .collect:
            if error == nil, cache?.isPartComplete == true, let origin = nextOrigin { return .stored(origin) }
            return .failed(error ?? NetworkingError(.badServerResponse, "the part of a body has another length"))
        case .discard(let next?):
            if let error, !hasTimeLeft { return .failed(error) }
            cache?.discardedBodyEnded(isWhole: error == nil)
            return step(to: next)
        case .errorBody(let receiver):
            incoming.bodyError = incoming.bodyError ?? error
            if incoming.bodyError == nil {
                incoming.bodyError = NetworkingError.of { () throws(NetworkingError) in try receiver.finish() }
            }
            return .complete
        case .undecidedRetry:
            incoming.transferError = error
            return .undecidedRetry
        case .body(let receiver) where error == nil:
            let error = NetworkingError.of { () throws(NetworkingError) in
                try receiver.finish()
                try assembly.checkLength()
            }
            return error.map(NextStep.failed) ?? .complete
        case .undecided, .body:
            guard let error else { return .complete }
            if let step = stepFromCache(after: error) { return step }
            return outgoing.consumeResend(after: error) ? .another(isRedirect: false) : .failed(error)
        }
    }

    private func ask(about question: ServerTrustQuestion) -> NextStep {
        do throws(NetworkingError) {
            try questions.ask(about: question)
            incoming.setDisposition(.awaitingDecision)
            return .pending
        } catch {
            return .failed(error)
        }
    }

    private func step(to next: HopDecision.Next) -> NextStep {
        switch next {
        case .sameRequest:
            events?.repeated()
            return .another(isRedirect: false)
        case .wholeBody:
            assembly.startOver()
            return .another(isRedirect: false)
        case .stored: return nextOrigin.map { .stored($0) } ?? .complete
        case .redirect(let target):
            do throws(NetworkingError) {
                if try hops.follow(target) { outgoing.leaveOrigin() }
                events?.redirected(to: hops.request.url)
                return .another(isRedirect: true)
            } catch {
                return .failed(error)
            }
        }
    }

    /// Records that a pause has aborted the transfer. A later answer of a block about it is ignored.
    func recordInterruption() {
        if incoming.isResult, let head = incoming.head { assembly.recordInterruption(of: head) }
        incoming.setDisposition(.undecided)
    }

    /// Returns the result of the operation's transfers.
    func result(
        _ error: NetworkingError?, _ summary: TransferSummary, _ stop: RetryStop?, _ cache: HopCache?
    ) -> TransferResult {
        outgoing.giveUpBody()
        let end = assembly.end(isComplete: error == nil)
        return TransferResult(  // made in one expression, to avoid a copy of a large value
            request: hops.lastRequest, first: prepared.request, head: incoming.head, content: end.content,
            error: error, bodyError: incoming.bodyError, receivedByteCount: end.byteCount,
            isContinued: end.isContinued,
            isCredentialRefused: incoming.head?.statusCode == 401 && hops.hasAuthenticated,
            unusedFile: end.unusedFile, keepsUnusedFile: end.unusedFile != nil && end.canBeContinued,
            summary: summary, retryStop: stop ?? hops.credentialStop, cacheWork: cache?.work(isComplete: error == nil),
            serializer: prepared.plan.serializer,
            expectedDigest: prepared.plan.expectedDigest, options: prepared.plan.options)
    }
}

// MARK: - Attempts

extension HopSequence {
    /// Begins an attempt. No attempt follows it if `isLast`.
    func beginAttempt(isLast: Bool) { isLastAttempt = isLast }

    /// Prepares another transfer, because this transfer found no file descriptor. Returns whether the body can be sent
    /// again.
    func leaveHop() -> Bool {
        guard outgoing.canRepeatBody(of: hops) else { return false }
        outgoing.leaveBody(keepsFiles: !assembly.leaveEmptyFile())
        return true
    }

    /// Ends a failed attempt that is followed by another attempt, which continues the received body if possible. Files
    /// without received bytes are opened again later: a waiting operation uses no descriptor.
    func endAttempt() {
        hops.beginAttempt()
        recordInterruption()
        incoming = IncomingResponse()
        questions.beginAttempt()
        outgoing.leaveBody(keepsFiles: !assembly.leaveEmptyFile())
    }

    /// Whether a refused response waits for a retry decision: of a retry block, or if the policy lists the status.
    private func needsRetryDecision(after head: ResponseHead, for destination: BodyDestination) -> Bool {
        guard let policy = prepared.retryPolicy, !isLastAttempt, destination != .output else { return false }
        return prepared.blocks.retry != nil || policy.statusCodes.contains(head.statusCode)
    }

    /// Makes the refused response the result: the request is not retried.
    func acceptRefusedResponse() -> NextStep {
        guard case .undecidedRetry(let receiver, let destination) = incoming.disposition, let head = incoming.head
        else { preconditionFailure("no response awaits a retry decision") }
        if destination != .error, let error = assembly.givenAwayError(insteadOf: head) { return .failed(error) }
        assembly.replaceSink(with: receiver.sink)
        owner?.didReceiveHead(head)
        progress.restartDownload()
        incoming.setDisposition(destination == .error ? .errorBody(receiver) : .body(receiver))
        if let data = (receiver.sink as? MemorySink)?.data, !data.isEmpty {
            if let owner { prepared.pieces?(owner, data) }
            progress.received(data.count, of: incoming.head)
        }
        return finishTransfer(error: incoming.transferError, hasTimeLeft: true)
    }
}

// MARK: - Progress

extension HopSequence {
    func transferDidStartAgain() {
        progress.restartUpload()
        events?.startAgain()
    }

    func transferDidSend(bodyByteCount: Int) {
        sentByteCount += Int64(bodyByteCount)
        events?.sent(bodyByteCount, of: outgoing.bodyByteCount(of: hops))
        progress.sent(bodyByteCount, of: outgoing.bodyByteCount(of: hops))
    }

    /// Reports the remaining progress before the end.
    func flushProgress() { progress.flush(uploadByteCount: outgoing.bodyByteCount(of: hops), incoming.head) }
}
