// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl
internal import Foundation

/// One transfer on one easy handle of a partition. It reports the events of libcurl's callbacks to its machine, and
/// carries out the machine's decisions.
///
/// Network thread only. A transfer has one request and one delegate; it does not follow redirects, retry or decode.
package final class CurlTransfer: Transfer {
    let request: TransferRequest
    /// Unchecked exclusivity: read in every callback, and the machine calls no code that could reach it.
    @exclusivity(unchecked) var machine: TransferMachine
    let handle: EasyHandle
    unowned let partition: CurlPartition
    private(set) var delegate: (any TransferDelegate)?
    /// The index in the partition's list of active transfers.
    var activeIndex = 0
    /// The bytes received in the current round. Unchecked exclusivity: changed for every piece.
    @exclusivity(unchecked) var readQuota = ReadQuota()
    /// The partition's count of libcurl calls at the time when libcurl accepted the transfer; nil before that.
    private var callCountAtStart: Int?
    /// Nil if the response has no cookies.
    private var receivedCookies: (any ReceivedCookies)?
    var connection = ConnectionInUse()
    /// Whether libcurl answers the proxy with Digest.
    private var usesProxyDigest: Bool
    /// Decodes the chunks of the response's body; nil if the body is not chunked.
    var chunks: Chunks?
    /// The connection that is being made to a name; nil if no connection is being made.
    private(set) var opening: OpeningConnection?
    /// The reason why the last socket could not be opened; nil if it could.
    private(set) var shortage: DescriptorShortage?
    /// Nil without a rate limit.
    let pacing: TransferPacing?
    /// Whether the delegate observes connections.
    private let isObserved: Bool
    /// The socket whose use is recorded for event monitors; -1 without monitors.
    @exclusivity(unchecked) private var usedSocket: CInt = -1
    /// The delegate, if it observes connections.
    var observer: (any TransferDelegate)? { isObserved ? delegate : nil }

    /// The decoder of a chunked body, and its progress in the current piece.
    struct Chunks {
        var body = ChunkedBody()
        /// The number of bytes that were taken of the piece that libcurl delivers again.
        var takenByteCount = 0
    }

    init(_ request: TransferRequest, handle: EasyHandle, partition: CurlPartition, delegate: any TransferDelegate) {
        self.request = request
        machine = TransferMachine(request)
        self.handle = handle
        self.partition = partition
        self.delegate = delegate
        pacing = delegate.pacing
        isObserved = delegate.observesConnections
        usesProxyDigest = partition.usesProxyDigest
    }

    /// Records the connection that is being made to a name.
    func beginOpening(_ opening: OpeningConnection) { self.opening = opening }

    /// Closes the opening connection, because it is made or no longer needed.
    func endOpening() {
        opening?.close()
        opening = nil
    }

    package var hasBegunSending: Bool { machine.attempts.count > 0 }
    /// Whether the connection is shared with concurrent transfers.
    var isMultiplexed: Bool { machine.response.isMultiplexed }
    /// Whether libcurl may have buffered bytes for the delegate.
    var mayHaveBufferedBytes: Bool { machine.flow != .open }

    package func abort() -> TransferMetrics {
        delegate = nil
        leaveNoSilentConnection()
        return leave()
    }

    package func pause() {
        if !machine.response.hasHead { handle.firstField.expectStoredLines(of: handle.raw) }
        machine.pause()
        partition.stopPacing(self)
        partition.setExpectsSmallResponse(self, false)
        _ = curl_easy_pause(handle.raw, CURLPAUSE_ALL)
    }

    package func resume(deadline: UInt64) {
        machine.resume(deadline: deadline, now: MonotonicClock.roughly())
        partition.resume(self)
    }

    package func resumeReceiving() {
        machine.decisionCame(now: MonotonicClock.roughly())
        switch machine.flow {
        case .paused: return
        case .open, .rateLimited: partition.deadlineMayBeEarlier(nextDeadline)
        case .backPressured:
            machine.resumeReceiving(now: MonotonicClock.roughly())
            partition.resume(self)
        }
    }

    /// Records for event monitors that the transfer uses a connection.
    func beginUse(of endpoints: ConnectionEndpoints) {
        guard isObserved || ConnectionReports.areEnabled else { return }
        endUse()
        let isKept = handle.long(CURLINFO_NUM_CONNECTS) == 0
        guard let (socket, use) = partition.connections.beginUse(endpoints, to: request.origin, isKept: isKept) else {
            return
        }
        usedSocket = socket
        if isObserved {
            var metrics = isKept ? TransferMetrics() : handle.metrics
            metrics.tlsInformation = connection.tlsInformation
            delegate?.transferDidConnect(use, metrics)
            machine.sentReports = SentReports()
            partition.sending.add(self)
        }
    }

    /// Records for event monitors that the transfer has left its connection.
    private func endUse(hasFailed: Bool = false) {
        guard usedSocket >= 0 else { return }
        partition.connections.endUse(of: usedSocket, hasFailed: hasFailed)
        usedSocket = -1
    }

    /// Records the failure, unless an earlier one is recorded. libcurl then stops the transfer.
    func stop(with error: NetworkingError) { machine.fail(error) }

    /// Closes the connection of an abandoned request, unless other requests use it (`BufferedReset`).
    func leaveNoSilentConnection() {
        BufferedReset.closeConnection(
            of: handle, hasBegunSending: hasBegunSending, isMultiplexed: machine.attempts.isMultiplexed)
    }

    /// Records the result of opening a socket: the shortage, if there was no descriptor.
    func socketWasOpened(_ shortage: DescriptorShortage?) { self.shortage = shortage }

    /// Continues sending, because the body has the bytes that libcurl asked for.
    func resumeSending() {
        guard delegate != nil, machine.flow != .paused else { return }
        partition.resume(self)
    }

    /// Continues, because the rate limits allow more bytes.
    func resumePaced() {
        guard let delegate, machine.flow != .paused else { return }
        let now = MonotonicClock.now()
        if machine.flow == .rateLimited { delegate.recordContinuation(now: now) }
        machine.continueAfterRateLimit(now: now)
        partition.resume(self)
    }

    /// Reports to the delegate the bytes that have left libcurl's buffer since the last report.
    func reportSentBytes() {
        guard !request.body.isEmpty else { return }
        let count = machine.consumeUnreportedByteCount(ofSent: sentByteCount)
        if count > 0 { delegate?.transferDidSend(bodyByteCount: count) }
    }

    /// Receives a `Set-Cookie` line. libcurl has already stored the cookie in the jar if it accepts the cookie.
    func receiveCookie(_ line: UnsafeRawBufferPointer) {
        guard let cookies = receivedCookies ?? request.cookieJar?.receiveCookies(from: request.url, request.origin)
        else { return }
        receivedCookies = cookies
        cookies.add(line)
        if cookies.hasWideCookie { partition.correctCookiesAfterCall(of: self) }
    }

    /// Corrects the cookies received so far.
    func correctCookies() { receivedCookies?.correct() }
}

// MARK: - Limits

extension CurlTransfer {
    /// The next instant at which to check the time limits; `UInt64.max` is never.
    var nextDeadline: UInt64 {
        let bodyDeadline = bodyDeadline  // before the access to the machine, which would be copied
        return machine.nextDeadline(bodyDeadline: bodyDeadline)
    }

    /// Returns the error of a time limit that has passed.
    func limitError(now: UInt64) -> NetworkingError? {
        machine.limitError(
            now: now, bodyDeadline: bodyDeadline, sentByteCount: sentByteCount, receivedByteCount: receivedByteCount,
            connectionMovement: connectionMovement(now: now))
    }

    /// Returns the instant at which the transfer's connection last received bytes; nil if it is not known.
    private func connectionMovement(now: UInt64) -> UInt64? {
        var age: UInt64?
        handle.withEndpoints { age = partition.connections.dataAge(of: $0) }
        return age.map { now - min(now, $0) }
    }

    /// Returns whether the response is complete and the rest of the request's body need not be sent.
    func checkAnsweredEarly(now: UInt64) -> Bool { machine.checkAnsweredEarly(now: now, self) }

    var bodyDeadline: UInt64 { machine.response.hasHead ? delegate?.bodyDeadline ?? .max : .max }
}

// MARK: - The end

extension CurlTransfer {
    /// Records that libcurl has accepted the transfer.
    func didBegin() { callCountAtStart = partition.callCount }

    /// Prepares another attempt after libcurl's result, if there is to be one. The partition has removed the transfer
    /// from the multi handle.
    ///
    /// - Returns: whether the transfer begins again.
    func prepareRetry(after result: CURLcode) -> Bool {
        if result != CURLE_OK, beginProxyDigest() { return true }
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

    /// Switches to Digest if a proxy has refused to make a tunnel with the credential as it was sent, and accepts
    /// Digest. From then on, the partition's requests use Digest.
    private func beginProxyDigest() -> Bool {
        guard !usesProxyDigest, request.isSecure, request.poolKey.proxy?.user != nil, !hasBegunSending,
            machine.failure == nil, handle.long(CURLINFO_HTTP_CONNECTCODE) == 407,
            handle.long(CURLINFO_PROXYAUTH_AVAIL) & bluebonnet_auth_digest != 0
        else { return false }
        do throws(CurlError) { try handle.useProxyDigest() } catch { return false }
        (usesProxyDigest, partition.usesProxyDigest) = (true, true)
        handle.setup = nil
        return true
    }

    /// Records that libcurl has accepted the transfer again. The metrics of the previous attempt are reported now,
    /// because libcurl forgets them.
    func didBeginAgain() {
        delegate?.transferBeginsAgain(after: metrics)
        didBegin()
    }

    func end(result: CURLcode) {
        endOpening()
        reportSentBytes()
        endUse(hasFailed: result != CURLE_OK)
        var metrics = self.metrics
        let error = error(after: result)
        if error != nil { metrics.evidence = machine.sendEvidence }
        metrics.trailers = machine.response.trailers.map { Box($0) }
        let delegate = self.delegate
        self.delegate = nil
        if result != CURLE_OK || machine.failure != nil { handle.setup = nil }
        if KeptBrokenConnection.concerns(result) { handle.withEndpoints { partition.connections.shutDown($0) } }
        if mayHaveBufferedBytes { handle.isReusable = false }  // too late to make libcurl discard them
        markHandleIfSpoiled(result, isWhole: result == CURLE_OK && error == nil)
        if error == nil { applyAnnouncedTimeout() }
        partition.recycle(handle)
        finishCookies()
        delegate?.transferDidEnd(error: error, metrics: metrics)
    }

    /// Ends the transfer with its complete response, while libcurl still sends the request's body.
    func endEarly() {
        if !machine.isStreamClosed { leaveNoSilentConnection() }
        reportSentBytes()
        let error = error(after: CURLE_OK)
        let delegate = self.delegate
        self.delegate = nil
        var metrics = leave()
        metrics.trailers = machine.response.trailers.map { Box($0) }
        delegate?.transferDidEnd(error: error, metrics: metrics)
    }

    /// Ends the transfer with an error of the library, while libcurl still works on it.
    func fail(_ error: NetworkingError) {
        if error.timeLimit != .refusedBody {
            if error.timeLimit != nil, machine.attempts.isMultiplexed { recordSilence() }
            leaveNoSilentConnection()
        }
        let delegate = self.delegate
        self.delegate = nil
        var metrics = leave()
        metrics.evidence = machine.sendEvidence
        delegate?.transferDidEnd(error: error, metrics: metrics)
    }

    /// Records that the connection was silent. libcurl keeps an HTTP/2 connection after one of its streams was
    /// abandoned and would use it for the next request, even if the path to the server is broken. Waiting for a
    /// refused body is too short for this conclusion.
    private func recordSilence() {
        guard let start = machine.lastMovement else { return }
        handle.withEndpoints { partition.connections.recordSilence(of: $0, since: start) }
    }

    /// Applies the time for which the server keeps the connection, if the server has announced one. HTTP/2 has no such
    /// field.
    private func applyAnnouncedTimeout() {
        guard !isMultiplexed, let head = machine.response.head, head.hasField("keep-alive"),
            let seconds = KeepAlive.timeout(head.values(for: "Keep-Alive"))
        else { return }
        handle.withEndpoints { partition.connections.setTimeout(seconds, of: $0) }
    }

    /// Removes the transfer from libcurl. On a shared connection, libcurl keeps the bytes that it has buffered and
    /// would deliver them to the handle's next transfer, so libcurl has to deliver them first.
    private func leave() -> TransferMetrics {
        endOpening()
        endUse(hasFailed: true)
        let metrics = self.metrics
        markHandleIfSpoiled(CURLE_OK, isWhole: false)
        if mayHaveBufferedBytes { _ = curl_easy_pause(handle.raw, CURLPAUSE_CONT) }
        partition.remove(self)
        finishCookies()
        return metrics
    }

    /// - Parameter isWhole: whether libcurl has ended the transfer without an error.
    private func markHandleIfSpoiled(_ result: CURLcode, isWhole: Bool) {
        if RememberedTrailers.spoilHandle(hasTrailers: request.body.trailers != nil)
            || RememberedRefusal.spoilsHandle(after: machine.attempts, result)
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

    /// The metrics; empty if libcurl has not processed the transfer yet, because the handle would return the metrics
    /// of its previous transfer.
    private var metrics: TransferMetrics {
        guard let callCountAtStart, callCountAtStart != partition.callCount else { return TransferMetrics() }
        var metrics = handle.metrics
        metrics.tlsInformation = connection.tlsInformation
        return metrics
    }
}

extension CurlTransfer: TransferFacts {
    package var sentByteCount: Int64 { handle.large(CURLINFO_SIZE_UPLOAD_T) }
    package var receivedByteCount: Int64 { handle.large(CURLINFO_SIZE_DOWNLOAD_T) }
    package var lacksLastChunk: Bool { chunks?.body.hasEnded == false }
    package var hasCloseNotice: Bool { connection.hasCloseNotice }
    package var http2End: HTTP2EndEvidence { partition.endEvidence(isStreamKnown: connection.stream != nil) }
    package var mayHaveLostConnection: Bool { partition.connections.hasPossiblyEnded(connection.candidates) }
}

// MARK: - Reports of what was sent

extension CurlTransfer: SendingTransfer {
    /// libcurl counts the bytes of a head that it has written (CURLINFO_REQUEST_SIZE), and writes a head at once if
    /// the socket takes it (`CutHead`).
    func reportSentParts() -> Bool {
        if !machine.sentReports.hasHead {
            guard handle.long(CURLINFO_REQUEST_SIZE) > 0 else { return true }
            machine.sentReports.hasHead = true
            observer?.transferDidSend(.head)
        }
        guard !request.body.isEmpty else { return false }
        reportSentBytes()
        guard request.copiedBody != nil || machine.upload.isHandedOver(of: request.body.byteCount) else { return false }
        let isSent = machine.upload.isWholeBodySent(of: request.body.byteCount, sentByteCount)
        if isSent, request.body.byteCount == nil, !machine.sentReports.hasEnd {
            machine.sentReports.hasEnd = true
            observer?.transferDidSend(.endOfBody(byteCount: machine.upload.readByteCount))
        }
        return !isSent
    }
}
