// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides about one transfer: whether its request may be sent, and sent again; how to treat an early response;
/// whether the response is complete; whether the transfer is stalled.
///
/// A value without libcurl, sockets or a clock. `CurlTransfer` and the in-memory transport of `BluebonnetTesting`
/// report each event to the machine and carry out its decisions. Comments name the places where libcurl 7.88 does less
/// than RFC 9110, 9112 and 9113 require.
package struct TransferMachine {
    package let request: TransferRequest
    package private(set) var flow = Flow.open
    private(set) var attempts: SendAttempts
    package private(set) var response: ResponseProgress
    private var interruption: Interruption?
    package private(set) var upload = UploadProgress()
    var sentReports = SentReports()
    /// Whether the server refused the HTTP/2 stream of the last send attempt.
    private(set) var isStreamRefused = false
    /// The deadline of the transfer, an instant of the monotonic clock. A pause moves it.
    private var deadline: UInt64
    private var supply = BodySupply.open
    /// Suspended while the connection is being made, which has its own limit.
    private var idleLimit: IdleLimit
    private var earlyEnd = EarlyEnd()
    /// Nil without a limit. Like the idle limit, it counts from the start of sending.
    private var speed: LowSpeedMeter?
    /// Whether a block is deciding about the response. The server's speed does not count meanwhile.
    private var isDecisionAwaited = false

    /// The reason why libcurl was made to stop the transfer.
    private enum Interruption {
        case failure(NetworkingError)
        /// Nothing was sent over the connection that libcurl had chosen.
        case uncleanConnection
        /// The server refused the expectation before any byte of the body was sent.
        case refusedExpectation
    }

    package init(_ request: TransferRequest) {
        self.request = request
        attempts = SendAttempts(request)
        response = ResponseProgress(request)
        deadline = request.limits.deadline
        idleLimit = IdleLimit(request.limits.idleTimeout)
        if let limit = request.limits.lowSpeed { speed = LowSpeedMeter(limit) }
    }

    var failure: NetworkingError? {
        guard case .failure(let error)? = interruption else { return nil }
        return error
    }

    /// Records the failure, unless an earlier one is recorded.
    mutating func fail(_ error: NetworkingError) { if failure == nil { interruption = .failure(error) } }

    /// Resets the progress of request and response, because the request is sent again.
    private mutating func startAgain() {
        upload = UploadProgress()
        response = ResponseProgress(request)
        isStreamRefused = false
        earlyEnd = EarlyEnd()
        supply = .open
        isDecisionAwaited = false
        idleLimit.startAgain()
        speed?.startAgain()
    }
}

// MARK: - Sending

extension TransferMachine {
    /// The decision about a send attempt.
    package enum Sending {
        case first
        /// A repeated send attempt. The delegate is notified that the transfer starts again.
        case again
        case refused
    }

    /// Accepts the connection that libcurl has found for the first send attempt. Returns false if the connection must
    /// not be used.
    ///
    /// - Parameter isUsable: whether a kept connection may be used: it has no unread, unsolicited bytes, has reached no
    ///   limit, and uses HTTP/2 if the request needs it.
    package mutating func acceptFirstConnection(isKept: Bool, isUsable: Bool) -> Bool {
        attempts.begin(onKeptConnection: isKept)
        guard isKept && !isUsable else { return true }
        interruption = .uncleanConnection
        return false
    }

    /// Accepts the connection that libcurl has found for a further send attempt. Returns false if the connection must
    /// not be used.
    ///
    /// - Parameter mustNotUse: whether the connection has reached a limit, such as its request count or its age, or
    ///   lacks the HTTP/2 that the request needs.
    mutating func acceptFurtherConnection(mustNotUse: Bool) -> Bool {
        if mustNotUse { interruption = .uncleanConnection }
        return !mustNotUse
    }

    /// Records a send attempt that libcurl is about to begin, and returns whether it may proceed.
    package mutating func beginSending(
        multiplexed isMultiplexed: Bool, isExplained: @autoclosure () -> Bool,
        bodyCanStartAgain: @autoclosure () -> Bool, now: UInt64
    ) -> Sending {
        if attempts.count > 0 && flow == .paused {
            // After a pause, only the first send attempt may proceed.
            failUnanswered("")
            return .refused
        }
        let isPermitted = attempts.add(multiplexed: isMultiplexed, isExplained: isExplained())
        idleLimit.recordMovement(at: now)
        speed?.begin(now: now)
        guard attempts.count > 1 else { return .first }
        guard isPermitted else {
            failUnanswered(request.isIdempotent ? " twice" : "; \(request.method) is not sent a second time")
            return .refused
        }
        guard restartBody(if: bodyCanStartAgain()) else { return .refused }
        startAgain()
        return .again
    }

    /// Moves to `offset` of the body for another send attempt (CURLOPT_SEEKFUNCTION). Returns false if the body cannot
    /// be read again.
    mutating func seekBody(to offset: Int64, canStartAgain: Bool) -> Bool {
        guard restartBody(if: canStartAgain) else { return false }
        upload.seek(to: offset)
        return true
    }

    /// Fails the transfer if its streamed body cannot start again. Only the owner of the stream can provide it a
    /// second time.
    private mutating func restartBody(if canStartAgain: Bool) -> Bool {
        if !canStartAgain { failUnanswered("", request.isIdempotent ? BodyNeededAgain() : nil) }
        return canStartAgain
    }

    private mutating func failUnanswered(_ end: String, _ underlying: (any Error)? = nil) {
        let text = "\(request.hostName) closed the connection before it answered\(end)"
        fail(NetworkingError(.connectionLost, text, underlying: underlying))
    }

    /// Records that one write sent a piece of the head. Before a body of unknown length, the head must be sent in a
    /// single write.
    ///
    /// - Returns: the error of a head that was split.
    func headPieceWasSent(isEnd: Bool) -> NetworkingError? {
        guard !isEnd, !attempts.isMultiplexed, failure == nil else { return nil }
        let text = "is too long to precede a body of unknown length"
        return NetworkingError(.invalidRequest, "the head of the request to \(request.hostName) \(text)")
    }
}

// MARK: - The request's body

extension TransferMachine {
    package mutating func bodyWasRead(_ piece: TransferBody.Piece, now: UInt64) {
        let wasStalled = isStreamStalled
        upload.recordRead(piece)
        supply = response.withholdsBody(of: request) ? .givenUp : .open
        if case .bytes = piece { idleLimit.recordMovement(at: now) }
        if isStreamStalled { speed?.suspend() } else if wasStalled { measureSpeed(now: now) }
    }

    /// Whether libcurl waits for bytes of the program's stream, which currently has no bytes.
    private var isStreamStalled: Bool { upload.isStalled && supply == .open }

    /// Records that a rate limit denied libcurl's read of the body.
    mutating func rateLimitSending() {
        upload.recordRead(.wouldBlock)
        supply = .rateLimited
    }

    /// Records that libcurl gives up a body that had no bytes for it.
    mutating func giveUpBody(now: UInt64) {
        supply = .givenUp
        recordContinuation(now: now)
    }

    /// Returns the number of sent body bytes that the delegate does not know of, and marks them as reported.
    mutating func consumeUnreportedByteCount(ofSent byteCount: Int64) -> Int {
        upload.consumeUnreportedByteCount(ofSent: byteCount)
    }

    /// Whether libcurl waits for a body that is no longer needed. After a response that ends its connection, libcurl
    /// stops sending, but it keeps waiting for a body that has no bytes at that moment.
    var waitsForUnwantedBody: Bool {
        guard upload.isStalled, let head = response.head, !response.isMultiplexed else { return false }
        return head.closesConnection(after: request.method)
    }

    private func isWholeBodySent(_ evidence: some TransferFacts) -> Bool {
        upload.isWholeBodySent(of: request.body.byteCount, evidence.sentByteCount)
    }
}

// MARK: - The response

extension TransferMachine {
    /// The result of receiving a header line.
    package enum HeadEvent {
        case line
        case head(ResponseHead)
        /// The delegate receives the head, and then the error.
        case headAndError(ResponseHead, NetworkingError)
        /// The delegate does not receive the head. libcurl stops, and the request is sent again.
        case refusedExpectation
    }

    package mutating func receive(
        line: UnsafeRawBufferPointer, _ evidence: some TransferFacts
    ) throws(NetworkingError) -> HeadEvent {
        guard let head = try response.receive(line: line) else { return .line }
        earlyEnd.lookSoon()
        guard head.statusCode == 417, refusesExpectation(evidence) else { return .head(head) }
        if upload.readByteCount == 0 {
            interruption = .refusedExpectation
            return .refusedExpectation
        }
        if head.closesConnection(after: request.method) { return .head(head) }
        // libcurl would discard the rest of the response and send the request again.
        let text = "\(request.hostName) refused the expectation (417) after a part of the body was sent"
        return .headAndError(head, NetworkingError(.badServerResponse, text))
    }

    /// Whether a 417 response refuses the expectation. After the whole body has been sent, libcurl treats 417 like any
    /// other response.
    private func refusesExpectation(_ evidence: some TransferFacts) -> Bool {
        request.asksForContinue && !attempts.leavesExpectationOut && !response.isMultiplexed && !request.body.isEmpty
            && !isWholeBodySent(evidence)
    }

    /// Records the delegate's answer to a piece of the body.
    package mutating func bodyWasGiven(_ intake: BodyIntake, byteCount: Int) {
        if intake == .taken {
            response.recordDelivered(byteCount)
            earlyEnd.lookSoon()
        }
        if flow != .paused { flow = intake == .taken ? .open : .backPressured }
    }

    /// Records that a rate limit denied delivery of received body bytes.
    mutating func rateLimitReceiving() { if flow != .paused { flow = .rateLimited } }

    /// Records an HTTP/2 frame that was received.
    mutating func frameArrived(dataByteCount: Int, endsStream: Bool, closesStream: Bool = false) {
        response.frameArrived(dataByteCount: dataByteCount, endsStream: endsStream)
        guard !request.body.isEmpty else { return }
        if endsStream { earlyEnd.streamHasEnded() }
        if closesStream { earlyEnd.streamWasClosed() }
    }

    /// Whether the server has ended its response while the request's body is still being sent.
    var mayEndEarly: Bool { earlyEnd.isPossible }

    /// Whether the server has closed the stream after its response.
    var isStreamClosed: Bool { earlyEnd.isStreamClosed }

    /// Returns whether the response is complete while libcurl still sends the request's body, so that the transfer can
    /// end.
    mutating func checkAnsweredEarly(now: UInt64, _ evidence: some TransferFacts) -> Bool {
        guard earlyEnd.nextLook <= now, flow == .open, failure == nil else { return false }
        if isWholeBodySent(evidence) {
            earlyEnd.giveUp()
            return false
        }
        let isComplete = response.hasEnded(of: request)
        if isComplete, mayEndEarly, response.withholdsBody(of: request) { return true }
        return earlyEnd.checkDue(now: now, isComplete: isComplete, sentByteCount: evidence.sentByteCount)
    }
}

// MARK: - Evidence

extension TransferMachine {
    /// Records that the server did not process the request.
    mutating func streamWasRefused() { isStreamRefused = true }

    /// Whether the request may have reached its server.
    var sendEvidence: DeliveryCertainty {
        if attempts.count == 0 { return .nothingSent }
        return isStreamRefused && !response.hasBegun ? .refused : .mayHaveArrived
    }
}

// MARK: - Time

extension TransferMachine {
    package mutating func pause() { flow = .paused }

    package mutating func resume(deadline: UInt64, now: UInt64) {
        self.deadline = deadline
        if supply == .rateLimited { supply = .open }  // libcurl reads again
        resumeReceiving(now: now)
    }

    package mutating func resumeReceiving(now: UInt64) {
        flow = .open
        recordContinuation(now: now)
    }

    /// Continues after a rate limit. Back-pressure from the delegate stays in effect.
    mutating func continueAfterRateLimit(now: UInt64) {
        if supply == .rateLimited { supply = .open }
        if flow == .rateLimited { flow = .open }
        recordContinuation(now: now)
    }

    /// Records that a block is deciding about the response.
    package mutating func awaitDecision() {
        isDecisionAwaited = true
        speed?.suspend()
    }

    /// Records that the block has decided.
    package mutating func decisionCame(now: UInt64) {
        guard isDecisionAwaited else { return }
        isDecisionAwaited = false
        measureSpeed(now: now)
    }

    private mutating func recordContinuation(now: UInt64) {
        idleLimit.recordMovement(at: now)
        measureSpeed(now: now)
    }

    /// Restarts the speed measurement, if only the server and the network determine the speed.
    private mutating func measureSpeed(now: UInt64) {
        if attempts.count > 0, !isDecisionAwaited, !isStreamStalled { speed?.begin(now: now) }
    }

    /// The instant at which a byte was last sent or received; nil while the connection is being made.
    var lastMovement: UInt64? { idleLimit.lastMovement }

    /// Records that a byte was sent or received.
    package mutating func recordMovement(at now: UInt64) { idleLimit.recordMovement(at: now) }

    /// Returns the next instant at which to check the time limits; `UInt64.max` is never.
    ///
    /// - Parameter bodyDeadline: the deadline for the rest of the body; `UInt64.max` before the head.
    @inline(__always)  // benchmark `mixed`: a call would copy the machine
    package func nextDeadline(bodyDeadline: UInt64) -> UInt64 {
        switch flow {
        case .paused: .max
        case .rateLimited: deadline
        case .backPressured: min(deadline, bodyDeadline)
        case .open where supply == .rateLimited: min(deadline, bodyDeadline)
        case .open:
            min(
                deadline, bodyDeadline, idleLimit.nextLook(bodyByteCount: request.body.byteCount),
                speed?.nextLook ?? .max, earlyEnd.nextLook)
        }
    }

    /// Returns the error of a time limit that has passed.
    ///
    /// - Parameter connectionMovement: the instant at which the connection last received bytes. Used if the connection
    ///   is shared with other streams.
    package mutating func limitError(
        now: UInt64, bodyDeadline: UInt64, sentByteCount: @autoclosure () -> Int64,
        receivedByteCount: @autoclosure () -> Int64, connectionMovement: @autoclosure () -> UInt64? = nil
    ) -> NetworkingError? {
        guard nextDeadline(bodyDeadline: bodyDeadline) <= now else { return nil }
        let host = request.hostName
        if deadline <= now {
            return .timeLimit(.total, "the request to \(host) took longer than its time limit")
        }
        if bodyDeadline <= now, flow != .rateLimited {
            let status = response.head.map { " of status \($0.statusCode)" } ?? ""
            return .timeLimit(.refusedBody, "the body\(status) from \(host) did not end in time")
        }
        if speed?.checkTooSlow(now: now, byteCount: sentByteCount() + receivedByteCount()) == true {
            let limit = request.limits.lowSpeed.map { "\($0.bytesPerSecond) bytes per second for \($0.duration)" } ?? ""
            return .timeLimit(.lowSpeed, "the transfer to and from \(host) was slower than \(limit)")
        }
        guard idleLimit.checkPassed(now: now, sentByteCount: sentByteCount()) else { return nil }
        if attempts.isMultiplexed, let instant = connectionMovement(),
            idleLimit.postpone(afterMovementOfConnection: instant, now: now)
        {
            return nil
        }
        return .timeLimit(.idle, "no byte was sent to or received from \(host) within the idle limit")
    }
}

// MARK: - The end

extension TransferMachine {
    /// How the request is sent again.
    enum Renewal {
        /// Over the connection that libcurl chooses.
        case anyConnection
        /// Over a new connection. Nothing was sent before.
        case newConnection
        /// Over a new connection and without the expectation. The delegate is notified that the transfer starts again.
        case withoutExpectation
    }

    /// The result of the transfer.
    package enum End {
        case success
        case failure(NetworkingError)
        /// The error is libcurl's.
        case error
    }

    /// Returns how to send the request again after libcurl has ended the transfer; nil if the transfer is over.
    mutating func renewal(after result: LibraryResult, bodyCanStartAgain: @autoclosure () -> Bool) -> Renewal? {
        switch interruption {
        case .failure?: return nil
        case .uncleanConnection?:
            interruption = nil
            return .newConnection
        case .refusedExpectation?:
            interruption = nil
            attempts = SendAttempts(request, leavesExpectationOut: true)
            startAgain()
            idleLimit.suspend()
            speed?.suspend()
            return .withoutExpectation
        case nil: break
        }
        guard flow != .paused, !response.hasBegun, attempts.canRetry(after: result),
            restartBody(if: bodyCanStartAgain())
        else { return nil }
        idleLimit.suspend()
        speed?.suspend()
        return .anyConnection
    }

    package func end(_ result: LibraryResult, _ evidence: some TransferFacts) -> End {
        if let failure { return .failure(failure) }
        let isAnswered =
            result == .success
            || flow == .open && response.isComplete(inSpiteOf: result, isWholeBodySent(evidence), of: request, evidence)
        guard isAnswered else { return .error }
        guard let truncation = response.truncation(of: request, evidence) else { return .success }
        return .failure(NetworkingError(.badServerResponse, "\(request.hostName) \(truncation)"))
    }
}
