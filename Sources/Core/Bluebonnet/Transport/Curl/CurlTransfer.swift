// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import Foundation

/// One transfer on one easy handle of a partition: tells its machine what libcurl's callbacks say, and does what the
/// machine decides.
///
/// Network thread only. It knows one request and its delegate; it does not follow, retry or decode.
final class CurlTransfer: Transfer {
    let request: TransferRequest
    /// Unchecked: asked in every callback, and it calls nobody who could reach it.
    @exclusivity(unchecked) var machine: TransferMachine
    let handle: EasyHandle
    unowned let partition: CurlPartition
    private(set) var delegate: (any TransferDelegate)?
    /// Where it stands in its partition's list of active transfers.
    var activeIndex = 0
    /// What it took of the round at hand. Unchecked: changed for every piece.
    @exclusivity(unchecked) var readQuota = ReadQuota()
    /// How often its partition had called libcurl when libcurl got the transfer; nil before that.
    private var callCountAtStart: Int?
    /// Nil without cookies in the response.
    private var receivedCookies: (any ReceivedCookies)?
    var connection = ConnectionInUse()
    /// Whether libcurl answers the proxy by Digest.
    private var usesProxyDigest: Bool
    /// Undoes the chunks of the response's body; nil when the body has none.
    var chunks: Chunks?
    /// The connection that is being made to a name; nil when there is one.
    private(set) var opening: OpeningConnection?
    /// Why the last socket could not be opened; nil when it could.
    private(set) var shortage: DescriptorShortage?
    /// Nil without a limit of bytes a second.
    let pacing: TransferPacing?

    struct Chunks {
        var body = ChunkedBody()
        /// How many bytes of the piece that libcurl gives again were taken.
        var takenByteCount = 0
    }

    init(_ request: TransferRequest, handle: EasyHandle, partition: CurlPartition, delegate: any TransferDelegate) {
        self.request = request
        machine = TransferMachine(request)
        self.handle = handle
        self.partition = partition
        self.delegate = delegate
        pacing = delegate.pacing
        usesProxyDigest = partition.usesProxyDigest
    }

    /// A connection is being made to a name.
    func beginOpening(_ opening: OpeningConnection) { self.opening = opening }

    /// The connection is there, or not wanted any more.
    func endOpening() {
        opening?.close()
        opening = nil
    }

    var hasBegunSending: Bool { machine.attempts.count > 0 }
    /// Whether others use its connection at the same time.
    var isMultiplexed: Bool { machine.response.isMultiplexed }
    /// Whether libcurl may hold bytes that it has for us.
    var isHoldingBytes: Bool { machine.flow != .open }

    func abort() -> TransferMetrics {
        delegate = nil
        leaveNoSilentConnection()
        return leave()
    }

    func pause() {
        if !machine.response.hasHead { handle.firstField.expectStoredLines(of: handle.raw) }
        machine.pause()
        partition.stopPacing(self)
        partition.setExpectsSmallResponse(self, false)
        _ = curl_easy_pause(handle.raw, CURLPAUSE_ALL)
    }

    func resume(deadline: UInt64) {
        machine.resume(deadline: deadline, now: MonotonicClock.roughly())
        partition.resume(self)
    }

    func resumeReceiving() {
        machine.decisionCame(now: MonotonicClock.roughly())
        switch machine.flow {
        case .paused: return
        case .open, .heldByRate: partition.deadlineMayBeEarlier(nextDeadline)
        case .heldBack:
            machine.resumeReceiving(now: MonotonicClock.roughly())
            partition.resume(self)
        }
    }

    /// Remembers the first failure, and makes libcurl stop.
    func stop(with error: NetworkingError) { machine.fail(error) }

    /// The request is given up.
    private func leaveNoSilentConnection() {
        BufferedReset.closeConnection(
            of: handle, hasBegunSending: hasBegunSending, isMultiplexed: machine.attempts.isMultiplexed)
    }

    /// A socket was opened, or could not be for want of a descriptor.
    func socketWasOpened(_ shortage: DescriptorShortage?) { self.shortage = shortage }

    /// The body has bytes again that libcurl asked for.
    func resumeSending() {
        guard delegate != nil, machine.flow != .paused else { return }
        partition.resume(self)
    }

    /// The limits of bytes a second allow more bytes.
    func resumePaced() {
        guard let delegate, machine.flow != .paused else { return }
        let now = MonotonicClock.now()
        if machine.flow == .heldByRate { delegate.noteContinuation(now: now) }
        machine.goOn(now: now)
        partition.resume(self)
    }

    /// Tells what has left libcurl's buffer since the last time.
    func tellSentBytes() {
        guard !request.body.isEmpty else { return }
        let count = machine.untoldByteCount(ofSent: sentByteCount)
        if count > 0 { delegate?.transferDidSend(bodyByteCount: count) }
    }

    /// A `Set-Cookie` field came; libcurl has put it into the jar if it accepts it.
    func receiveCookie(_ line: UnsafeRawBufferPointer) {
        guard let cookies = receivedCookies ?? request.cookieJar?.receiveCookies(from: request.url, request.origin)
        else { return }
        receivedCookies = cookies
        cookies.add(line)
        if cookies.hasWideCookie { partition.correctCookiesAfterCall(of: self) }
    }

    /// Corrects the cookies that have come so far.
    func correctCookies() { receivedCookies?.correct() }
}

// MARK: - Limits

extension CurlTransfer {
    /// When the transfer has to be looked at for its time limits; `UInt64.max` is never.
    var nextDeadline: UInt64 { machine.nextDeadline(bodyDeadline: bodyDeadline) }

    /// The error of a limit that has passed.
    func limitError(now: UInt64) -> NetworkingError? {
        machine.limitError(
            now: now, bodyDeadline: bodyDeadline, sentByteCount: sentByteCount, receivedByteCount: receivedByteCount,
            connectionMovement: connectionMovement(now: now))
    }

    /// When bytes came over the transfer's connection last; nil when that is not known.
    private func connectionMovement(now: UInt64) -> UInt64? {
        var age: UInt64?
        handle.withEndpoints { age = partition.connections.dataAge(of: $0) }
        return age.map { now - min(now, $0) }
    }

    /// Whether the response is complete, and the rest of the request's body is not waited for.
    func isAnsweredEarly(now: UInt64) -> Bool { machine.isAnsweredEarly(now: now, self) }

    var bodyDeadline: UInt64 { machine.response.hasHead ? delegate?.bodyDeadline ?? .max : .max }
}

// MARK: - The end

extension CurlTransfer {
    /// libcurl has taken the transfer.
    func hasBegun() { callCountAtStart = partition.callCount }

    /// Ends the transfer with libcurl's result, or begins it again; the partition has taken it off the multi handle.
    ///
    /// - Returns: whether it begins again.
    func mayBeginAgain(after result: CURLcode) -> Bool {
        if result != CURLE_OK, beginsProxyDigest() { return true }
        let result = libraryResult(result)
        guard let renewal = machine.renewal(after: result, bodyCanStartAgain: request.body.canStartAgain) else {
            return false
        }
        do throws(CurlError) {
            switch renewal {
            case .anyConnection: break
            case .newConnection: try handle.useNewConnection()
            case .withoutExpectation:
                try request.leaveExpectationOut(of: handle, in: partition)
                try handle.useNewConnection()
                request.body.whenReady(nil)
                connection = ConnectionInUse()
                delegate?.transferDidStartAgain()
            }
        } catch {
            let text = "the request to \(request.hostName) could not be sent again"
            stop(with: NetworkingError(.connectionLost, text, underlying: error.libraryError))
            return false
        }
        return true
    }

    /// A proxy has refused to make a tunnel with the credential as it was sent, and takes it in Digest's form: from now
    /// on, the partition's requests use that form.
    private func beginsProxyDigest() -> Bool {
        guard !usesProxyDigest, request.isSecure, request.poolKey.proxy?.user != nil, !hasBegunSending,
            machine.failure == nil, handle.long(CURLINFO_HTTP_CONNECTCODE) == 407,
            handle.long(CURLINFO_PROXYAUTH_AVAIL) & bluebonnet_auth_digest != 0
        else { return false }
        do throws(CurlError) { try handle.useProxyDigest() } catch { return false }
        (usesProxyDigest, partition.usesProxyDigest) = (true, true)
        handle.setup = nil
        return true
    }

    /// libcurl has taken the transfer again: what the time before took is told now, because libcurl forgets it.
    func hasBegunAgain() {
        delegate?.transferBeginsAgain(after: metrics)
        hasBegun()
    }

    func end(result: CURLcode) {
        endOpening()
        tellSentBytes()
        var metrics = self.metrics
        let error = error(after: result)
        if error != nil { metrics.evidence = machine.sendEvidence }
        let delegate = self.delegate
        self.delegate = nil
        if result != CURLE_OK || machine.failure != nil { handle.setup = nil }
        if KeptBrokenConnection.concerns(result) { handle.withEndpoints { partition.connections.shutDown($0) } }
        if isHoldingBytes { handle.isReusable = false }  // too late to have them thrown away
        noteReusability(result, isWhole: result == CURLE_OK && error == nil)
        if error == nil { applyAnnouncedTimeout() }
        partition.recycle(handle)
        finishCookies()
        delegate?.transferDidEnd(error: error, metrics: metrics)
    }

    /// Ends it with its complete response, while libcurl still sends the request's body.
    func endEarly() {
        if !machine.isStreamClosed { leaveNoSilentConnection() }
        tellSentBytes()
        let error = error(after: CURLE_OK)
        let delegate = self.delegate
        self.delegate = nil
        delegate?.transferDidEnd(error: error, metrics: leave())
    }

    /// Ends it for a reason of ours, while libcurl still works on it.
    func fail(_ error: NetworkingError) {
        if error.timeLimit != .refusedBody {
            if error.timeLimit != nil, machine.attempts.isMultiplexed { noteSilence() }
            leaveNoSilentConnection()
        }
        let delegate = self.delegate
        self.delegate = nil
        var metrics = leave()
        metrics.evidence = machine.sendEvidence
        delegate?.transferDidEnd(error: error, metrics: metrics)
    }

    /// libcurl keeps an HTTP/2 connection of which a stream was given up, and would give it to the next request, also
    /// when the way to the server is gone. A refused body is waited for too briefly to say so.
    private func noteSilence() {
        guard let start = machine.lastMovement else { return }
        handle.withEndpoints { partition.connections.noteSilence(of: $0, since: start) }
    }

    /// The server may have said how long it keeps the connection. HTTP/2 has no such field.
    private func applyAnnouncedTimeout() {
        guard !isMultiplexed, let head = machine.response.head, head.hasField("keep-alive"),
            let seconds = KeepAlive.timeout(head.values(for: "Keep-Alive"))
        else { return }
        handle.withEndpoints { partition.connections.setTimeout(seconds, of: $0) }
    }

    /// Takes it off libcurl, which keeps bytes that it holds where others go on using the connection, and would give
    /// them to the handle's next transfer: so it has to hand them out once more.
    private func leave() -> TransferMetrics {
        endOpening()
        let metrics = self.metrics
        noteReusability(CURLE_OK, isWhole: false)
        if isHoldingBytes { _ = curl_easy_pause(handle.raw, CURLPAUSE_CONT) }
        partition.remove(self)
        finishCookies()
        return metrics
    }

    /// - Parameter isWhole: whether libcurl has ended the transfer without an error.
    private func noteReusability(_ result: CURLcode, isWhole: Bool) {
        if RememberedRefusal.spoilsHandle(after: machine.attempts, result)
            || StuckRewind.spoilsHandle(
                hasBody: !request.body.isEmpty, hasFailed: !isWhole, statusCode: machine.response.head?.statusCode)
        {
            handle.isReusable = false
        }
    }

    /// Corrects and counts the cookies of the response.
    private func finishCookies() {
        receivedCookies?.end()
        receivedCookies = nil
    }

    private func libraryResult(_ result: CURLcode) -> LibraryResult {
        WordlessEnd.corrected(
            LibraryResult(result, of: handle), isRefused: machine.isStreamRefused, isObserved: http2End == .frames)
    }

    private func error(after result: CURLcode) -> NetworkingError? {
        switch machine.end(libraryResult(result), self) {
        case .success: nil
        case .failure(let error): error
        case .error:
            CurlErrorMapping(machine, handle, error: CurlError(code: result.rawValue), shortage).networkingError
        }
    }

    /// None of a transfer that libcurl has not looked at yet: its handle would give those of the one before.
    private var metrics: TransferMetrics {
        guard let callCountAtStart, callCountAtStart != partition.callCount else { return TransferMetrics() }
        var metrics = handle.metrics
        metrics.tlsInformation = connection.tlsInformation
        return metrics
    }
}

extension CurlTransfer: TransferEvidence {
    var sentByteCount: Int64 { handle.large(CURLINFO_SIZE_UPLOAD_T) }
    var receivedByteCount: Int64 { handle.large(CURLINFO_SIZE_DOWNLOAD_T) }
    var lacksLastChunk: Bool { chunks?.body.hasEnded == false }
    var hasCloseNotice: Bool { connection.hasCloseNotice }
    var http2End: HTTP2EndEvidence { partition.endEvidence(isStreamKnown: connection.stream != nil) }
    var mayHaveLostConnection: Bool { partition.connections.mayHaveEnded(connection.candidates) }
}
