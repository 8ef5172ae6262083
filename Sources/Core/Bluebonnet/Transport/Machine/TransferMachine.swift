// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides about one transfer: whether its request may be sent, and sent again; what becomes of an early answer;
/// whether the response is complete; whether the transfer is stuck.
///
/// A value that knows neither libcurl nor sockets nor the clock: `CurlTransfer` tells it each event and does what the
/// answer says, and so does the transport in memory of `BluebonnetTesting`. Where libcurl 7.88 does less than RFC 9110,
/// 9112 and 9113 ask for, the comments say what.
package struct TransferMachine {
    let request: TransferRequest
    package private(set) var flow = Flow.open
    private(set) var attempts: SendAttempts
    private(set) var response: ResponseProgress
    private var interruption: Interruption?
    private(set) var upload = UploadProgress()
    /// Whether the server has refused the HTTP/2 stream of the last sending.
    private(set) var isStreamRefused = false
    /// A pause moves it.
    private var deadline: UInt64
    private var supply = BodySupply.open
    /// Not counted while the connection is being made, which has a limit of its own.
    private var idleLimit: IdleLimit
    private var earlyEnd = EarlyEnd()
    /// Nil without a limit. Measures from the sending on, as the idle limit does.
    private var speed: LowSpeedMeter?
    /// Whether a block decides about the response: the server's speed does not count meanwhile.
    private var isDecisionAwaited = false

    /// Whether bytes of the response are taken.
    package enum Flow {
        case open
        /// The delegate takes none for now: the server is not to blame that none move.
        case heldBack
        /// A limit of bytes a second allows none for now: nobody is to blame, the delegate either.
        case heldByRate
        /// The user has paused. libcurl holds what arrives, header lines included.
        case paused
    }

    /// What libcurl gets of the request's body.
    private enum BodySupply {
        case open
        /// A limit of bytes a second holds it: no byte is expected to move.
        case held
        /// libcurl asks for no more, because the server has answered.
        case givenUp
    }

    /// Why libcurl was told to stop.
    private enum Interruption {
        case failure(NetworkingError)
        /// Nothing was sent over the connection that libcurl had chosen.
        case uncleanConnection
        /// The server refused the expectation before the body began to leave.
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

    /// Remembers the first failure.
    mutating func fail(_ error: NetworkingError) { if failure == nil { interruption = .failure(error) } }

    /// Forgets what was sent and what came, because the request is sent again.
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
    enum Sending {
        case first
        /// The delegate is told that all begins again.
        case again
        case refused
    }

    /// libcurl has a connection for the first sending; false when it must not be used.
    ///
    /// - Parameter isClean: whether nothing waits there that nobody asked for.
    mutating func takes(keptConnection isKept: Bool, isClean: Bool) -> Bool {
        attempts.begin(onKeptConnection: isKept)
        guard isKept && !isClean else { return true }
        interruption = .uncleanConnection
        return false
    }

    /// libcurl has a connection for another sending; false when it must not be used.
    ///
    /// - Parameter isWornOut: whether it has carried its requests, or is too old.
    mutating func takesAgain(isWornOut: Bool) -> Bool {
        if isWornOut { interruption = .uncleanConnection }
        return !isWornOut
    }

    /// libcurl is about to send the request over the connection.
    mutating func sends(
        multiplexed isMultiplexed: Bool, isExplained: @autoclosure () -> Bool,
        bodyCanStartAgain: @autoclosure () -> Bool, now: UInt64
    ) -> Sending {
        if attempts.count > 0 && flow == .paused {
            // What goes on after a pause is the first sending, or none.
            failUnanswered("")
            return .refused
        }
        let isPermitted = attempts.add(multiplexed: isMultiplexed, isExplained: isExplained())
        idleLimit.noteMovement(at: now)
        speed?.begin(now: now)
        guard attempts.count > 1 else { return .first }
        guard isPermitted else {
            failUnanswered(request.isIdempotent ? " twice" : "; \(request.method) is not sent a second time")
            return .refused
        }
        guard startsBodyAgain(if: bodyCanStartAgain()) else { return .refused }
        startAgain()
        return .again
    }

    /// libcurl wants the body from `offset` for another sending (CURLOPT_SEEKFUNCTION); false when there is none.
    mutating func seeksBody(to offset: Int64, canStartAgain: Bool) -> Bool {
        guard startsBodyAgain(if: canStartAgain) else { return false }
        upload.seek(to: offset)
        return true
    }

    /// libcurl would send a streamed body a second time, which only its owner can have again.
    private mutating func startsBodyAgain(if canStartAgain: Bool) -> Bool {
        if !canStartAgain { failUnanswered("", request.isIdempotent ? BodyNeededAgain() : nil) }
        return canStartAgain
    }

    private mutating func failUnanswered(_ end: String, _ underlying: (any Error)? = nil) {
        let text = "\(request.hostName) closed the connection before it answered\(end)"
        fail(NetworkingError(.connectionLost, text, underlying: underlying))
    }

    /// A piece of the head has left in one write: before a body of unknown length, the head must leave as a whole.
    ///
    /// - Returns: the error of a head that did not.
    func headPieceWasSent(isEnd: Bool) -> NetworkingError? {
        guard !isEnd, !attempts.isMultiplexed, failure == nil else { return nil }
        let text = "is too long for a body of unknown length to follow it"
        return NetworkingError(.invalidRequest, "the head of the request to \(request.hostName) \(text)")
    }
}

// MARK: - The request's body

extension TransferMachine {
    mutating func bodyWasRead(_ piece: TransferBody.Piece, now: UInt64) {
        let wasDry = isStreamDry
        upload.wasRead(piece)
        supply = .open
        if case .bytes = piece { idleLimit.noteMovement(at: now) }
        if isStreamDry { speed?.suspend() } else if wasDry { measureSpeed(now: now) }
    }

    /// Whether the program's stream has no bytes for libcurl, which waits for them.
    private var isStreamDry: Bool { upload.isDry && supply == .open }

    /// libcurl wants bytes of the body that a limit of bytes a second holds.
    mutating func holdSending() {
        upload.wasRead(.wouldBlock)
        supply = .held
    }

    /// libcurl sends no more of a body that had no bytes for it.
    mutating func giveUpBody(now: UInt64) {
        supply = .givenUp
        noteContinuation(now: now)
    }

    /// The bytes of the body that the delegate has not been told of.
    mutating func untoldByteCount(ofSent byteCount: Int64) -> Int { upload.untoldByteCount(ofSent: byteCount) }

    /// Whether libcurl waits for a body that nobody wants: it stops sending when a response is over that its connection
    /// ends with, but goes on waiting for a body that has no bytes for it just then.
    var waitsForUnwantedBody: Bool {
        guard upload.isDry, let head = response.head, !response.isMultiplexed else { return false }
        return head.closesConnection(after: request.method)
    }

    private func isWholeBodySent(_ evidence: some TransferEvidence) -> Bool {
        upload.isWholeBodySent(of: request.body.byteCount, evidence.sentByteCount)
    }
}

// MARK: - The response

extension TransferMachine {
    /// What a header line completed.
    package enum HeadEvent {
        case line
        case head(ResponseHead)
        /// The delegate is told of the head, and then of the error.
        case headAndError(ResponseHead, NetworkingError)
        /// Nobody is told of the head: libcurl stops, and the request is sent again.
        case refusedExpectation
    }

    package mutating func receive(
        line: UnsafeRawBufferPointer, _ evidence: some TransferEvidence
    ) throws(NetworkingError) -> HeadEvent {
        guard let head = try response.receive(line: line) else { return .line }
        earlyEnd.lookSoon()
        guard head.statusCode == 417, refusesExpectation(evidence) else { return .head(head) }
        if upload.readByteCount == 0 {
            interruption = .refusedExpectation
            return .refusedExpectation
        }
        if head.closesConnection(after: request.method) { return .head(head) }
        // libcurl would throw the rest of the response away and send the request again.
        let text = "\(request.hostName) refused the expectation (417) when the body was on its way to it"
        return .headAndError(head, NetworkingError(.badServerResponse, text))
    }

    /// Whether 417 says that the expectation is refused. When the whole body has left, libcurl takes such a response
    /// for one like any other.
    private func refusesExpectation(_ evidence: some TransferEvidence) -> Bool {
        request.asksForContinue && !attempts.leavesExpectationOut && !response.isMultiplexed && !request.body.isEmpty
            && !isWholeBodySent(evidence)
    }

    /// The delegate has seen a piece of the body.
    package mutating func bodyWasGiven(_ intake: BodyIntake, byteCount: Int) {
        if intake == .taken {
            response.noteDelivered(byteCount)
            earlyEnd.lookSoon()
        }
        if flow != .paused { flow = intake == .taken ? .open : .heldBack }
    }

    /// A limit of bytes a second allows none of the body that has come.
    mutating func holdReceiving() { if flow != .paused { flow = .heldByRate } }

    /// An HTTP/2 frame came.
    mutating func frameArrived(dataByteCount: Int, endsStream: Bool, closesStream: Bool = false) {
        response.frameArrived(dataByteCount: dataByteCount, endsStream: endsStream)
        guard !request.body.isEmpty else { return }
        if endsStream { earlyEnd.streamHasEnded() }
        if closesStream { earlyEnd.streamWasClosed() }
    }

    /// Whether the server has ended its response while the request's body is on its way.
    var mayEndEarly: Bool { earlyEnd.isPossible }

    /// Whether the server has closed the stream after its response.
    var isStreamClosed: Bool { earlyEnd.isStreamClosed }

    /// Whether the transfer is over with a complete response, while libcurl still sends the request's body.
    mutating func isAnsweredEarly(now: UInt64, _ evidence: some TransferEvidence) -> Bool {
        guard earlyEnd.nextLook <= now, flow == .open, failure == nil else { return false }
        if isWholeBodySent(evidence) {
            earlyEnd.giveUp()
            return false
        }
        return earlyEnd.isDue(
            now: now, isComplete: response.hasEnded(of: request), sentByteCount: evidence.sentByteCount)
    }
}

// MARK: - Evidence

extension TransferMachine {
    /// The server has said that it did not look at the request.
    mutating func streamWasRefused() { isStreamRefused = true }

    /// What is known of the request's way to its server.
    var sendEvidence: SendEvidence {
        if attempts.count == 0 { return .nothingSent }
        return isStreamRefused && !response.hasBegun ? .refused : .mayHaveArrived
    }
}

// MARK: - Time

extension TransferMachine {
    package mutating func pause() { flow = .paused }

    package mutating func resume(deadline: UInt64, now: UInt64) {
        self.deadline = deadline
        if supply == .held { supply = .open }  // libcurl asks again
        resumeReceiving(now: now)
    }

    package mutating func resumeReceiving(now: UInt64) {
        flow = .open
        noteContinuation(now: now)
    }

    /// A limit of bytes a second lets the transfer go on. What the delegate holds back, it still does.
    mutating func goOn(now: UInt64) {
        if supply == .held { supply = .open }
        if flow == .heldByRate { flow = .open }
        noteContinuation(now: now)
    }

    /// A block decides about the response.
    package mutating func awaitDecision() {
        isDecisionAwaited = true
        speed?.suspend()
    }

    /// The block has decided.
    package mutating func decisionCame(now: UInt64) {
        guard isDecisionAwaited else { return }
        isDecisionAwaited = false
        measureSpeed(now: now)
    }

    private mutating func noteContinuation(now: UInt64) {
        idleLimit.noteMovement(at: now)
        measureSpeed(now: now)
    }

    /// Measures the speed anew, where only the server and the way to it count.
    private mutating func measureSpeed(now: UInt64) {
        if attempts.count > 0, !isDecisionAwaited, !isStreamDry { speed?.begin(now: now) }
    }

    /// When a byte has moved last; nil while the connection is being made.
    var lastMovement: UInt64? { idleLimit.lastMovement }

    /// A byte moves.
    package mutating func noteMovement(at now: UInt64) { idleLimit.noteMovement(at: now) }

    /// When the transfer has to be looked at for its time limits; `UInt64.max` is never.
    ///
    /// - Parameter bodyDeadline: until when the rest of the body is waited for; `UInt64.max` before the head.
    @inline(__always)  // benchmark `mixed`: a call would copy the machine
    package func nextDeadline(bodyDeadline: UInt64) -> UInt64 {
        switch flow {
        case .paused: .max
        case .heldByRate: deadline
        case .heldBack: min(deadline, bodyDeadline)
        case .open where supply == .held: min(deadline, bodyDeadline)
        case .open:
            min(
                deadline, bodyDeadline, idleLimit.nextLook(bodyByteCount: request.body.byteCount),
                speed?.nextLook ?? .max, earlyEnd.nextLook)
        }
    }

    /// The error of a limit that has passed.
    ///
    /// - Parameter connectionMovement: when bytes came over the connection last, of one that other streams share.
    package mutating func limitError(
        now: UInt64, bodyDeadline: UInt64, sentByteCount: @autoclosure () -> Int64,
        receivedByteCount: @autoclosure () -> Int64, connectionMovement: @autoclosure () -> UInt64? = nil
    ) -> NetworkingError? {
        guard nextDeadline(bodyDeadline: bodyDeadline) <= now else { return nil }
        let host = request.hostName
        if deadline <= now {
            return .timeLimit(.total, "the request to \(host) took longer than its time limit")
        }
        if bodyDeadline <= now, flow != .heldByRate {
            let status = response.head.map { " of status \($0.statusCode)" } ?? ""
            return .timeLimit(.refusedBody, "the body\(status) from \(host) was not waited for any longer")
        }
        if speed?.isTooSlow(now: now, byteCount: sentByteCount() + receivedByteCount()) == true {
            let limit = request.limits.lowSpeed.map { "\($0.bytesPerSecond) bytes a second for \($0.duration)" } ?? ""
            return .timeLimit(.lowSpeed, "what moved to and from \(host) was less than \(limit)")
        }
        guard idleLimit.hasPassed(now: now, sentByteCount: sentByteCount()) else { return nil }
        if attempts.isMultiplexed, let instant = connectionMovement(),
            idleLimit.continues(afterMovementOfConnection: instant, now: now)
        {
            return nil
        }
        return .timeLimit(.idle, "no byte has moved to or from \(host) for longer than the idle limit")
    }
}

// MARK: - The end

extension TransferMachine {
    /// How the request is sent again.
    enum Renewal {
        /// Over the connection that libcurl finds.
        case anyConnection
        /// Nothing was sent.
        case newConnection
        /// Over a new connection and without the expectation; the delegate is told that all begins again.
        case withoutExpectation
    }

    package enum End {
        case success
        case failure(NetworkingError)
        /// libcurl's error counts.
        case error
    }

    /// Whether the request is sent again when libcurl has ended the transfer.
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
        guard flow != .paused, !response.hasBegun, attempts.mayFollow(result), startsBodyAgain(if: bodyCanStartAgain())
        else { return nil }
        idleLimit.suspend()
        speed?.suspend()
        return .anyConnection
    }

    package func end(_ result: LibraryResult, _ evidence: some TransferEvidence) -> End {
        if let failure { return .failure(failure) }
        let isAnswered =
            result == .success
            || flow == .open && response.isComplete(inSpiteOf: result, isWholeBodySent(evidence), of: request, evidence)
        guard isAnswered else { return .error }
        guard let fault = response.fault(of: request, evidence) else { return .success }
        return .failure(NetworkingError(.badServerResponse, "\(request.hostName) \(fault)"))
    }
}
