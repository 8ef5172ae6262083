// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import Foundation

/// One transfer on one easy handle of a partition: what libcurl's callbacks call, and the truth about its end.
///
/// Network thread only. It knows one request and its delegate; it does not follow, retry or decode.
final class CurlTransfer: Transfer {
    let request: TransferRequest
    /// A pause moves it.
    private(set) var deadline: UInt64
    let handle: EasyHandle
    /// Where it stands in its partition's list of active transfers.
    var activeIndex = 0
    unowned let partition: CurlPartition
    private(set) var delegate: (any TransferDelegate)?
    @exclusivity(unchecked) private var headParser: ResponseHeadParser
    private(set) var head: ResponseHead?
    /// What it took of the round at hand.
    @exclusivity(unchecked) var readQuota = ReadQuota()
    private(set) var failure: NetworkingError?
    private(set) var hasHeaderBytes = false
    var sendAttempts = SendAttempts()
    private(set) var readByteCount: Int64 = 0
    /// Whether libcurl has seen the end of the body.
    private(set) var hasReadWholeBody = false
    /// The body had no bytes when libcurl asked last.
    private(set) var isBodyDry = false
    /// The body bytes that left, as far as they were told.
    private var toldSentByteCount: Int64 = 0
    private(set) var isPaused = false
    /// The delegate takes no bytes for now: the server is not to blame that none move.
    private(set) var isHeldBack = false
    /// The close_notify that must have come when the body has no other end.
    private var awaitedNotice: CloseNotice?
    /// Not counted while the connection is being made, which has a limit of its own.
    var idleLimit: IdleLimit
    /// How often its partition had called libcurl when libcurl got the transfer; nil before that.
    var callCountAtStart: Int?
    /// `Set-Cookie` fields that came; libcurl put those that it accepts into the jar.
    private var receivedCookieCount = 0
    var tlsInformation: Box<TLSInformation>?
    /// What the server sent over HTTP/2.
    var stream = HTTP2Stream()
    /// The socket of an HTTP/2 connection, where it is evidence and could be told.
    var socket: curl_socket_t?

    init(_ request: TransferRequest, handle: EasyHandle, partition: CurlPartition, delegate: any TransferDelegate) {
        self.request = request
        deadline = request.limits.deadline
        idleLimit = IdleLimit(request.limits.idleTimeout)
        self.handle = handle
        self.partition = partition
        self.delegate = delegate
        headParser = makeHeadParser(for: request)
    }

    func abort() -> TransferMetrics {
        let metrics = self.metrics
        delegate = nil
        discardHeldBytes()
        partition.remove(self)
        noteCookies()
        return metrics
    }

    var hasBegunSending: Bool { sendAttempts.count > 0 }

    func pause() {
        isPaused = true
        partition.setExpectsSmallResponse(self, false)
        _ = curl_easy_pause(handle.raw, CURLPAUSE_ALL)
    }

    func resume(deadline: UInt64) {
        isPaused = false
        self.deadline = deadline
        noteActivity()
        partition.resume(self)
    }

    func resumeReceiving() {
        guard !isPaused else { return }
        guard isHeldBack else { return partition.deadlineMayBeEarlier(nextDeadline) }
        isHeldBack = false
        noteActivity()
        partition.resume(self)
    }

    /// The body has bytes again that libcurl asked for.
    func resumeSending() {
        guard delegate != nil, !isPaused else { return }
        partition.resume(self)
    }
}

// MARK: - The end

extension CurlTransfer {
    /// Ends the transfer with libcurl's result; the partition has taken it off the multi handle.
    func end(result: CURLcode) {
        tellSentBytes()
        let metrics = self.metrics
        let error = endError(result: result)
        let delegate = self.delegate
        self.delegate = nil
        if result != CURLE_OK || failure != nil { handle.setup = nil }
        if isHoldingBytes { handle.isReusable = false }  // too late to have them thrown away
        noteReusability(result)
        partition.recycle(handle)
        noteCookies()
        delegate?.transferDidEnd(error: error, metrics: metrics)
    }

    /// Ends it for a reason of ours, while libcurl still works on it.
    func fail(_ error: NetworkingError) {
        let metrics = self.metrics
        let delegate = self.delegate
        self.delegate = nil
        discardHeldBytes()
        partition.remove(self)
        noteCookies()
        delegate?.transferDidEnd(error: error, metrics: metrics)
    }

    /// Whether libcurl may hold bytes that it has for us.
    var isHoldingBytes: Bool { isPaused || isHeldBack }

    /// libcurl keeps them where others go on using the connection, and would give them to the handle's next transfer:
    /// so it has to hand them out once more.
    private func discardHeldBytes() {
        noteReusability(CURLE_OK)
        guard isHoldingBytes else { return }
        _ = curl_easy_pause(handle.raw, CURLPAUSE_CONT)
    }

    /// Lets the jar see to its limit, when libcurl does not work on it.
    private func noteCookies() {
        guard receivedCookieCount > 0 else { return }
        request.cookieJar?.noteAdded(receivedCookieCount)
    }

    private func endError(result: CURLcode) -> NetworkingError? {
        if let failure { return failure }
        if result != CURLE_OK && !isAnsweredInSpite(of: result) {
            return CurlErrorMapping(transfer: self, error: CurlError(code: result.rawValue)).networkingError
        }
        guard let head else {
            return NetworkingError(
                .badServerResponse, "\(hostName) closed the connection inside its response's header section")
        }
        if let awaitedNotice, !awaitedNotice.hasCome {
            return NetworkingError(
                .badServerResponse,
                "\(hostName) ended the TLS connection without notice: the body of status \(head.status) may be truncated"
            )
        }
        return isCutShort(head) ? truncationError(head) : nil
    }

    /// None of a transfer that libcurl has not looked at yet: its handle would give those of the one before.
    private var metrics: TransferMetrics {
        guard let callCountAtStart, callCountAtStart != partition.callCount else { return TransferMetrics() }
        var metrics = handle.metrics
        metrics.tlsInformation = tlsInformation
        return metrics
    }

    var hostName: String { request.url.host ?? "the server" }
    var hasResponseHead: Bool { head != nil }
    /// Whether others use its connection at the same time.
    var isMultiplexed: Bool { head?.httpVersion == "2" }
}

// MARK: - What libcurl's callbacks call

extension CurlTransfer {
    /// Remembers the first failure; libcurl is told to stop.
    func stop(with error: NetworkingError) {
        if failure == nil { failure = error }
    }

    /// The request goes out now.
    func noteSending() {
        noteActivity()
        partition.deadlineMayBeEarlier(nextDeadline)
    }

    /// Another connection is made, which has a limit of its own.
    func waitForConnection() { idleLimit.suspend() }

    /// Forgets what was sent, because it is sent again.
    func startAgain() {
        readBody(from: 0)
        toldSentByteCount = 0
        idleLimit.startAgain()
        partition.deadlineMayBeEarlier(nextDeadline)
        headParser = makeHeadParser(for: request)
        head = nil
        stream = HTTP2Stream()
        hasHeaderBytes = false
        awaitedNotice = nil
        delegate?.transferDidStartAgain()
    }

    /// Goes on with another connection: what the one before took is told now, because libcurl forgets it.
    func beginsAgain() {
        delegate?.transferBeginsAgain(after: metrics)
        callCountAtStart = partition.callCount
    }

    /// Goes on reading the body there.
    func readBody(from offset: Int64) {
        readByteCount = offset
        hasReadWholeBody = false
        isBodyDry = false
    }

    func consumeHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        noteActivity()
        if !hasHeaderBytes { tellSentBytes() }
        do throws(NetworkingError) {
            hasHeaderBytes = true
            if request.cookieJar != nil && FieldSyntax.hasName("set-cookie", line: line) { receivedCookieCount += 1 }
            guard case .complete(let head)? = try headParser.consume(line: line) else { return true }
            self.head = head
            noteFraming(of: head)
            let refusal = refusal(by: head)
            sendAttempts.wasRefusedEarly = refusal == .beforeBody
            if sendAttempts.wasRefusedEarly { return false }
            if head.status >= 300 { giveUpPausedBody() }
            noteDryBody()
            try delegate?.transferDidReceive(head: head)
            partition.deadlineMayBeEarlier(bodyDeadline)
            if refusal == .amidBody { throw refusalError }
            return true
        } catch {
            stop(with: error)
            return false
        }
    }

    /// A body without length and without chunks ends with its connection: over TLS, only a notice makes that an end.
    private func noteFraming(of head: ResponseHead) {
        guard head.hasBody(for: request.method), head.contentLength == nil, !head.isChunked, head.httpVersion != "2",
            request.isSecure
        else { return }
        awaitedNotice = handle.tlsConnection.map(CloseNotice.awaited)
    }

    /// How much of the body libcurl has asked for; nil when there is none.
    var bodyReadByteCount: Int64? { request.body.isEmpty ? nil : readByteCount }

    /// What became of a piece; nil aborts.
    func consumeBody(_ bytes: UnsafeRawBufferPointer) -> BodyIntake? {
        if delegate == nil { return nil }
        noteActivity()
        do throws(NetworkingError) {
            let intake = try delegate?.transferDidReceive(bytes: bytes) ?? .taken
            isHeldBack = intake == .wouldBlock
            if intake == .taken {
                stream.noteDelivered(bytes.count)
                consumeReadQuota(bytes)
            }
            return intake
        } catch {
            stop(with: error)
            return nil
        }
    }

    /// Fills libcurl's upload buffer; nil aborts.
    func produceBody(into buffer: UnsafeMutableRawBufferPointer) -> TransferBody.Piece? {
        if failure != nil { return nil }
        tellSentBytes()
        do throws(NetworkingError) {
            let piece = try request.body.read(into: buffer, at: readByteCount)
            isBodyDry = piece == .wouldBlock
            if case .bytes(let count) = piece {
                readByteCount += Int64(count)
                hasReadWholeBody = count == 0
                noteActivity()
            } else if case .stream(let feed) = request.body {
                feed.whenReady { [weak self] in self?.resumeSending() }
                noteDryBody()
            }
            return piece
        } catch {
            stop(with: error)
            return nil
        }
    }

    /// Tells what has left libcurl's buffer since the last time (CURLINFO_SIZE_UPLOAD_T).
    private func tellSentBytes() {
        guard !request.body.isEmpty else { return }
        let count = handle.large(CURLINFO_SIZE_UPLOAD_T)
        guard count > toldSentByteCount else { return }
        let delta = count - toldSentByteCount
        toldSentByteCount = count
        delegate?.transferDidSend(bodyByteCount: Int(delta))
    }
}

/// Over plain TCP, HTTP/2 begins with an upgrade, whose 101 libcurl passes on.
private func makeHeadParser(for request: TransferRequest) -> ResponseHeadParser {
    ResponseHeadParser(
        url: request.url, limit: request.limits.headerByteLimit,
        expectsUpgrade: request.httpVersion == .http2 && !request.isSecure)
}
