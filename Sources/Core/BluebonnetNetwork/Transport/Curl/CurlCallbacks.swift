// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import Foundation
internal import Glibc

/// libcurl's callbacks. Each callback recovers its transfer, calls one method and converts the result. The context is
/// the handle's object, which retains its transfer for as long as libcurl may call.
extension EasyHandle {
    func setCallbacks(readsBody: Bool, usesTLS: Bool) throws(CurlError) {
        let context = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        try set(CURLOPT_PRIVATE, pointer: context)
        try set(CURLOPT_HEADERFUNCTION, callback: headerCallback)
        try set(CURLOPT_HEADERDATA, pointer: context)
        try set(CURLOPT_WRITEFUNCTION, callback: bodyCallback)
        try set(CURLOPT_WRITEDATA, pointer: context)
        try bluebonnet_easy_setopt_prereq_callback(raw, sendingCallback).check()
        try set(CURLOPT_PREREQDATA, pointer: context)
        if readsBody {
            try set(CURLOPT_READFUNCTION, callback: uploadCallback)
            try set(CURLOPT_READDATA, pointer: context)
            try bluebonnet_easy_setopt_seek_callback(raw, seekCallback).check()
            try set(CURLOPT_SEEKDATA, pointer: context)
        }
        if usesTLS {
            try bluebonnet_easy_setopt_ssl_context_callback(raw, tlsContextCallback).check()
            try set(CURLOPT_SSL_CTX_DATA, pointer: context)
        }
    }

    /// Makes libcurl ask for a trailer section after the last chunk of a request's body.
    func setTrailerCallback() throws(CurlError) {
        try bluebonnet_easy_setopt_trailer_callback(raw, trailerCallback).check()
        try set(CURLOPT_TRAILERDATA, pointer: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
    }

    /// Makes libcurl report its log.
    func setLogCallback() throws(CurlError) {
        try bluebonnet_easy_setopt_debug_callback(raw, logCallback).check()
        try set(CURLOPT_DEBUGDATA, pointer: UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
        try set(CURLOPT_VERBOSE, true)
    }

    /// Returns the object of libcurl's handle, which is stored in CURLOPT_PRIVATE.
    static func of(_ handle: UnsafeMutableRawPointer) -> EasyHandle? {
        var context: UnsafeMutablePointer<CChar>?
        guard bluebonnet_easy_getinfo_string(handle, CURLINFO_PRIVATE, &context) == CURLE_OK, let context else {
            return nil
        }
        return recover(UnsafeMutableRawPointer(context))
    }

    static func recover(_ context: UnsafeMutableRawPointer) -> EasyHandle {
        Unmanaged<EasyHandle>.fromOpaque(context).takeUnretainedValue()
    }
}

// MARK: - Callback functions

private func headerCallback(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    let lines = UnsafeRawBufferPointer(start: bytes, count: size * count)
    let transfer = CurlTransfer.recover(context)
    transfer.handle.firstField.receive(lines, of: transfer.handle.raw)
    return transfer.consumeHeaderLines(lines) ? lines.count : stopTransfer
}

private func bodyCallback(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
    let transfer = CurlTransfer.recover(context)
    if !transfer.machine.response.hasHead {  // a line of the head, which libcurl stores next
        if transfer.handle.firstField.admit(piece) { return piece.count }
        transfer.refuseFoldedLine()
        return stopTransfer
    }
    switch transfer.consumeMessageBody(piece) {
    case .taken?:
        transfer.partition.restAfterRead(of: transfer, byteCount: piece.count)
        return piece.count
    case .wouldBlock?: return Int(CURL_WRITEFUNC_PAUSE)
    case nil: return stopTransfer
    }
}

private func uploadCallback(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    switch CurlTransfer.recover(context).produceBody(into: buffer) {
    case .bytes(let count)?: return count
    case .wouldBlock?: return Int(CURL_READFUNC_PAUSE)
    case nil: return Int(CURL_READFUNC_ABORT)
    }
}

private func trailerCallback(
    _ lines: UnsafeMutablePointer<UnsafeMutablePointer<curl_slist>?>?, _ context: UnsafeMutableRawPointer?
) -> CInt {
    do throws(CurlError) {
        lines?.pointee = try CurlTransfer.recover(context).makeTrailerLines()
        return CInt(CURL_TRAILERFUNC_OK)
    } catch {
        return CInt(CURL_TRAILERFUNC_ABORT)
    }
}

private func seekCallback(_ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: CInt) -> CInt {
    guard origin == SEEK_SET else { return CInt(CURL_SEEKFUNC_CANTSEEK) }
    let isPossible = CurlTransfer.recover(context).seekBody(to: Int64(offset))
    return CInt(isPossible ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_CANTSEEK)
}

private func sendingCallback(
    _ context: UnsafeMutableRawPointer?, _ peerAddress: UnsafeMutablePointer<CChar>?,
    _: UnsafeMutablePointer<CChar>?, _ peerPort: CInt, _ localPort: CInt
) -> CInt {
    guard let peerAddress else { return CInt(CURL_PREREQFUNC_ABORT) }
    let endpoints = ConnectionEndpoints(localPort: Int(localPort), peerAddress: peerAddress, peerPort: Int(peerPort))
    return CurlTransfer.recover(context).prepareSending(over: endpoints)
        ? CInt(CURL_PREREQFUNC_OK) : CInt(CURL_PREREQFUNC_ABORT)
}

private func tlsContextCallback(
    _: UnsafeMutableRawPointer?, _ tlsContext: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?
) -> CURLcode {
    guard let tlsContext, CurlTransfer.recover(context).prepareTLS(context: tlsContext) else {
        return CURLE_ABORTED_BY_CALLBACK
    }
    return CURLE_OK
}

private func logCallback(
    _: UnsafeMutableRawPointer?, _ kind: curl_infotype, _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> CInt {
    guard kind == CURLINFO_HEADER_OUT, let context else { return 0 }
    EasyHandle.recover(context).transfer?.didSendHeadPiece(UnsafeRawBufferPointer(start: bytes, count: count))
    return 0
}

/// A result that no buffer size equals (CURL_WRITEFUNC_ERROR), so that an empty header line or piece can be refused
/// too.
private let stopTransfer = Int(CURL_WRITEFUNC_ERROR)

// MARK: - Handling the callbacks

extension CurlTransfer {
    fileprivate static func recover(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
        guard let context, let transfer = EasyHandle.recover(context).transfer else {
            preconditionFailure("libcurl called without its context")
        }
        return transfer
    }

    /// Consumes header lines. libcurl delivers one line at a time, except that it delivers the lines of a pause all at
    /// once.
    fileprivate func consumeHeaderLines(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes
        while let start = rest.baseAddress, let newline = memchr(start, 0x0A, rest.count) {
            let count = UnsafeRawPointer(newline) - start + 1
            guard count < rest.count else { break }
            guard consumeHeaderLine(UnsafeRawBufferPointer(rebasing: rest[..<count])) else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return consumeHeaderLine(rest)
    }
}

extension CurlTransfer {
    /// Called before each send attempt of the request (CURLOPT_PREREQFUNCTION). Returns false to abort.
    func prepareSending(over endpoints: ConnectionEndpoints) -> Bool {
        endOpening()
        guard acceptConnection(endpoints), checkTrust(), checkVersion() else { return false }
        let isMultiplexed = request.isSecure ? connection.isMultiplexed : machine.attempts.isMultiplexed
        if !request.body.isEmpty, request.body.byteCount == nil { handle.setSendsWholeBody(isMultiplexed) }
        let sending = machine.beginSending(
            multiplexed: isMultiplexed, isExplained: handle.lastErrorText != nil,
            bodyCanStartAgain: request.body.canStartAgain, now: MonotonicClock.roughly())
        partition.deadlineMayBeEarlier(nextDeadline)
        if isMultiplexed {
            partition.connections.sharedRequestIsWritten(over: endpoints)
            if partition.endEvidence == .openConnection {
                connection.recordSockets(partition.connections.candidates(for: endpoints))
            }
        }
        if sending == .again {
            pacing?.giveBack()
            connection.forgetCloseNotice()
            delegate?.transferDidStartAgain()
        }
        if sending != .refused { beginUse(of: endpoints) }
        partition.http2Streams.streamWillOpen(for: self, isMultiplexed: isMultiplexed || mayUpgrade)
        return sending != .refused
    }

    /// Returns whether the connection that libcurl has found may be used.
    private func acceptConnection(_ endpoints: ConnectionEndpoints) -> Bool {
        let mustNotUse = countUse(of: endpoints)
        let isKept = handle.long(CURLINFO_NUM_CONNECTS) == 0
        guard machine.attempts.count == 0 else {
            return machine.acceptFurtherConnection(mustNotUse: mustNotUse || isKept && lacksHTTP2)
        }
        let isMultiplexed = machine.attempts.isMultiplexed
        let isClean =
            !isKept
            || partition.connections.areClean(endpoints, tls: handle.tlsConnection, isMultiplexed: isMultiplexed)
        return machine.acceptFirstConnection(isKept: isKept, isUsable: isClean && !mustNotUse && !lacksHTTP2)
    }

    /// Whether the request needs HTTP/2 and the connection has negotiated another protocol.
    private var lacksHTTP2: Bool {
        guard request.isSecure, request.limits.httpVersion == .http2PriorKnowledge else { return false }
        return handle.tlsConnection.map { TLSConnection.information($0).value.applicationProtocol } != "h2"
    }

    private func checkVersion() -> Bool {
        guard lacksHTTP2 else { return true }
        let found = connection.tlsInformation?.value.applicationProtocol.map { ", but \($0)" } ?? ""
        let text = "\(request.hostName) does not support HTTP/2: TLS did not negotiate it\(found)"
        stop(with: NetworkingError(.secureConnectionFailed, text))
        return false
    }

    /// Counts the request if connections have limits. Returns true if this connection has already reached a limit.
    private func countUse(of endpoints: ConnectionEndpoints) -> Bool {
        let verdict = partition.connections.use(endpoints) ?? .mayUse
        handle.setClosesConnection(verdict != .mayUse)
        return verdict == .mustNotUse
    }

    /// Returns whether the server was approved, and reports violations of report-only pins.
    private func checkTrust() -> Bool {
        guard request.isSecure else { return true }
        if let error = connection.verifyTrust(handle, for: request) {
            stop(with: error)
            return false
        }
        if let violation = connection.violation(on: handle, for: request) { delegate?.transferDidFind(violation) }
        return true
    }

    /// Consumes a header line. Returns false to abort.
    func consumeHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        machine.recordMovement(at: MonotonicClock.roughly())
        if !machine.response.hasBegun { reportSentBytes() }
        if request.cookieJar != nil && FieldSyntax.hasName("set-cookie", line: line) { receiveCookie(line) }
        if mayUpgrade, connection.stream == nil, line.starts(with: "HTTP/1.1 101".utf8) {
            partition.http2Streams.streamWillOpen(for: self, isMultiplexed: true)
        }
        let goesOn = attempt { () throws(NetworkingError) in
            switch try machine.receive(line: line, self) {
            case .line: return true
            case .refusedExpectation: return false
            case .head(let head): try deliver(head)
            case .headAndError(let head, let error):
                try deliver(head)
                throw error
            }
            return true
        }
        if StalledHead.isNeeded, machine.attempts.isMultiplexed, !machine.response.hasHead {
            partition.continueHeadAfterCall(of: self)
        }
        return goesOn == true
    }

    /// Fails the transfer because the first field line is folded.
    func refuseFoldedLine() {
        let text = "the first header field of the response from \(request.hostName) begins with white space"
        stop(with: NetworkingError(.badServerResponse, text))
    }

    private func deliver(_ head: ResponseHead) throws(NetworkingError) {
        guard !machine.response.isMultiplexed || mayBeMultiplexed else {
            let text = "\(request.hostName) sent the status line of HTTP/2 over a connection of HTTP/1.1"
            throw NetworkingError(.badServerResponse, text)
        }
        let isChunked = head.isChunked && head.hasBody(for: request.method) && !machine.response.isMultiplexed
        chunks = isChunked ? Chunks() : nil
        if machine.response.needsCloseNotice(of: request) { connection.awaitCloseNotice(on: handle) }
        // libcurl would keep the connection. After 421, the next request would get the same response.
        let isUseless =
            !machine.response.isMultiplexed
            && (head.hasDoubtfulEnd || request.closesConnection || UnreadClose.concerns(head))
        if isUseless || head.statusCode == 421 {
            handle.setClosesConnection(true)
        }
        if head.statusCode >= 300 { giveUpPausedBody() }
        recordStall()
        if !request.body.isEmpty { reportSentBytes() }
        try delegate?.transferDidReceive(head: head)
        if delegate?.awaitsDecision == true { machine.awaitDecision() }
        partition.deadlineMayBeEarlier(machine.mayEndEarly ? nextDeadline : bodyDeadline)
    }

    private var mayBeMultiplexed: Bool { machine.attempts.isMultiplexed || mayUpgrade }

    /// Whether HTTP/2 may begin with an upgrade over plain TCP, after an HTTP/1.1 head.
    private var mayUpgrade: Bool { !request.isSecure && request.httpVersion == .http2 }

    /// Consumes a piece of the body as the connection delivered it, including its chunk framing
    /// (CURLOPT_HTTP_TRANSFER_DECODING is off). Returns nil to abort. libcurl delivers a piece again that was not
    /// taken.
    func consumeMessageBody(_ bytes: UnsafeRawBufferPointer) -> BodyIntake? {
        guard var chunks else { return consumeBody(bytes) }
        var rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(chunks.takenByteCount))
        chunks.takenByteCount -= bytes.count - rest.count
        while true {
            self.chunks = chunks
            let start = bytes.count - rest.count
            guard let part = attempt({ () throws(NetworkingError) in try chunks.body.next(&rest) }) else { return nil }
            switch part {
            case .content(let content)?:
                guard let intake = consumeBody(content) else { return nil }
                if intake == .wouldBlock {
                    self.chunks?.takenByteCount = start
                    return intake
                }
            case .trailer(let line)?: guard line.withUnsafeBytes(consumeHeaderLine) else { return nil }
            case .end?: break
            case nil:
                self.chunks = chunks
                if !rest.isEmpty { handle.setClosesConnection(true) }  // not part of the body
                return .taken
            }
        }
    }

    /// Delivers a piece of the content. Returns nil to abort.
    private func consumeBody(_ bytes: UnsafeRawBufferPointer) -> BodyIntake? {
        guard let delegate else { return nil }
        machine.recordMovement(at: MonotonicClock.roughly())
        let takesAll = partition.resuming === self
        if !takesAll, !bytes.isEmpty, partition.throttleIfLimited(self, .receiving, byteCount: bytes.count) {
            machine.rateLimitReceiving()
            return .wouldBlock
        }
        return attempt { () throws(NetworkingError) in
            let intake = try delegate.transferDidReceive(bytes: bytes, mustTake: takesAll)
            machine.bodyWasGiven(intake, byteCount: bytes.count)
            switch intake {
            case .taken:
                if machine.mayEndEarly { partition.deadlineMayBeEarlier(nextDeadline) }
                pacing?.consume(.receiving, byteCount: bytes.count, now: MonotonicClock.now())
                if !takesAll { partition.consumeReadQuota(of: self, bytes) }
            case .wouldBlock: pacing?.giveBack(.receiving)
            }
            return intake
        }
    }

    /// Fills libcurl's upload buffer. Returns nil to abort.
    func produceBody(into buffer: UnsafeMutableRawBufferPointer) -> TransferBody.Piece? {
        if machine.failure != nil { return nil }
        reportSentBytes()
        if machine.response.withholdsBody(of: request) {
            machine.bodyWasRead(.wouldBlock, now: MonotonicClock.roughly())
            return .wouldBlock
        }
        let mostByteCount = min(pacing?.pieceByteCount ?? .max, buffer.count)
        if partition.throttleIfLimited(self, .sending, byteCount: mostByteCount) {
            machine.rateLimitSending()
            recordStall()
            return .wouldBlock
        }
        let buffer = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(mostByteCount))
        let piece = attempt { () throws(NetworkingError) in
            let piece = try request.body.read(into: buffer, at: machine.upload.readByteCount)
            machine.bodyWasRead(piece, now: MonotonicClock.roughly())
            if observer != nil, machine.upload.isHandedOver(of: request.body.byteCount) { partition.sending.add(self) }
            switch piece {
            case .bytes(let count): pacing?.consume(.sending, byteCount: count, now: MonotonicClock.now())
            case .wouldBlock:
                pacing?.giveBack(.sending)
                request.body.whenReady { [weak self] in self?.resumeSending() }
                recordStall()
            }
            return piece
        }
        if piece == nil { leaveNoSilentConnection() }
        return piece
    }

    /// Returns the lines of the request's trailer section (CURLOPT_TRAILERFUNCTION). libcurl frees the list.
    fileprivate func makeTrailerLines() throws(CurlError) -> UnsafeMutablePointer<curl_slist>? {
        try EasyHandle.list((request.body.trailers ?? HeaderFields()).map { "\($0.name): \($0.value)" })
    }

    /// Runs an action. An error is recorded and ends the transfer.
    private func attempt<Value>(_ action: () throws(NetworkingError) -> Value) -> Value? {
        do throws(NetworkingError) {
            return try action()
        } catch {
            stop(with: error)
            return nil
        }
    }

    /// Moves to an offset of the body for another send attempt (CURLOPT_SEEKFUNCTION). Returns false if this is not
    /// possible.
    func seekBody(to offset: Int64) -> Bool {
        machine.seekBody(to: offset, canStartAgain: request.body.canStartAgain)
    }

    /// Called before each handshake (CURLOPT_SSL_CTX_FUNCTION). Returns false to abort.
    func prepareTLS(context: UnsafeMutableRawPointer) -> Bool {
        endOpening()
        return ConnectionInUse.prepareTLS(context, for: request, on: handle) { [weak self] in self?.stop(with: $0) }
    }

    /// Records a piece of the head that was sent in one write.
    func didSendHeadPiece(_ bytes: UnsafeRawBufferPointer) {
        guard let error = machine.headPieceWasSent(isEnd: bytes.suffix(4).elementsEqual("\r\n\r\n".utf8)) else {
            return
        }
        partition.failSoon(self, error)
    }

    /// Records a frame that nghttp2 received.
    func didReceiveFrame(dataByteCount: Int, endsStream: Bool, closesStream: Bool) {
        machine.frameArrived(dataByteCount: dataByteCount, endsStream: endsStream, closesStream: closesStream)
        if endsStream || closesStream { partition.deadlineMayBeEarlier(nextDeadline) }
    }

    /// Records that nghttp2 has closed the stream because the server did not process the request.
    func didReceiveRefusal() { machine.streamWasRefused() }

    /// Gives up the body after a refusal. libcurl stops sending a refused body, but keeps waiting for a body that had
    /// no bytes at that moment, until the transfer is resumed.
    private func giveUpPausedBody() {
        guard machine.upload.isStalled else { return }
        machine.giveUpBody(now: MonotonicClock.roughly())
        partition.loop.atEndOfRound { [weak self] in self?.resumeSending() }
    }

    private func recordStall() {
        if machine.waitsForUnwantedBody { partition.resumeAfterReading(self) }
    }
}
