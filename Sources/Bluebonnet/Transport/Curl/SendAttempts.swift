// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// The number of times a request was sent, and the connections used.
struct SendAttempts {
    var count = 0
    /// Whether the first time was over a connection that had been used before, or that others use too.
    var isOnKeptConnection = false
    /// Bytes that nobody asked for were waiting on the connection that the transfer was given.
    var needsFreshConnection = false
    /// The server refused the expectation before the body began to leave.
    var wasRefusedEarly = false
    /// The request goes out without the expectation that it was made with.
    var leavesExpectationOut = false
}

/// A request that is not idempotent is sent once. Another one may be sent again while there is no answer: libcurl does
/// so by itself on a new connection when a kept-alive one turns out dead (RFC 9110, 9.2.2), or when an HTTP/2 server
/// says that it has not looked at the request (REFUSED_STREAM, GOAWAY; RFC 9113, 8.7). That it was the latter libcurl
/// does not tell for certain: that it gave no reason is taken for it with an idempotent request only, never with a
/// POST.
///
/// A request whose expectation was refused before its body began to leave is sent again, once and on a new connection
/// (417; RFC 9110, 10.1.1): the server has not looked at it. libcurl would send it over the same connection, where the
/// server may take it for the body that it was promised, and with a caller's `Expect` as before.
extension CurlTransfer {
    /// How often a request may be sent that HTTP/2 servers go on refusing: as often as libcurl tries.
    private static let refusalLimit = 6

    /// Before each sending of the request (CURLOPT_PREREQFUNCTION): a second one is libcurl's silent retry, or ours.
    func mayBeginSending(over endpoints: ConnectionEndpoints) -> Bool {
        if sendAttempts.count == 0 {
            sendAttempts.isOnKeptConnection = handle.long(CURLINFO_NUM_CONNECTS) == 0
            if sendAttempts.isOnKeptConnection
                && handle.hasUnaskedBytes(on: partition.connections.descriptor(of: endpoints))
            {
                sendAttempts.needsFreshConnection = true
                return false
            }
        }
        if sendAttempts.count > 0 && isPaused {
            // What goes on after a pause is the first sending, or none.
            stop(with: NetworkingError(.connectionLost, "\(hostName) closed the connection before it answered"))
            return false
        }
        guard mayUseConnection() else { return false }
        // A refusal comes without words of libcurl's.
        let isRefusal = sendAttempts.count > 0 && wasMultiplexed && handle.lastErrorText == nil
        if request.isSecure { tlsInformation = handle.tlsConnection.map(TLSConnection.information) }
        sendAttempts.count += 1
        noteSending()
        if wasMultiplexed {
            partition.sharedRequestIsWritten(over: endpoints)
            if partition.endEvidence == .openConnection { socket = partition.connections.descriptor(of: endpoints) }
        }
        return sendAttempts.count == 1 || mayBeginSendingAgain(isRefusal: isRefusal)
    }

    /// - Parameter isRefusal: whether an HTTP/2 server has not looked at the request.
    private func mayBeginSendingAgain(isRefusal: Bool) -> Bool {
        guard request.isIdempotent && sendAttempts.count <= (isRefusal ? Self.refusalLimit : 2) else {
            let end = request.isIdempotent ? " twice" : "; \(request.method) is not sent a second time"
            stop(with: NetworkingError(.connectionLost, "\(hostName) closed the connection before it answered\(end)"))
            return false
        }
        guard request.body.canStartAgain else {
            stop(with: deadConnectionError)
            return false
        }
        startAgain()
        return true
    }

    /// Prepares the transfer for beginning again without its expectation.
    private func mayLeaveExpectationOut() -> Bool {
        sendAttempts = SendAttempts(leavesExpectationOut: true)
        do throws(CurlError) {
            try leaveExpectationOut()
            try beginOnNewConnection()
        } catch {
            let text = "the request to \(hostName) could not be sent again without Expect"
            stop(with: NetworkingError(.connectionLost, text, underlying: error.libraryError))
            return false
        }
        if case .stream(let feed) = request.body { feed.whenReady(nil) }
        tlsInformation = nil
        startAgain()
        waitForConnection()
        return true
    }

    private func beginOnNewConnection() throws(CurlError) {
        handle.setup = nil  // no other request is to do without a kept-alive connection
        handle.forgetErrorText()
        try handle.set(CURLOPT_FRESH_CONNECT, true)
    }

    /// Whether this sending, or the last one, is over HTTP/2.
    var wasMultiplexed: Bool {
        guard request.isSecure else { return request.limits.httpVersion == .http2PriorKnowledge }
        return tlsInformation?.value.applicationProtocol == "h2"
    }

    /// Whether the transfer has to begin again. Asked once it is off the multi handle.
    func mayBeginAgain(after result: CURLcode) -> Bool {
        guard failure == nil else { return false }
        if sendAttempts.wasRefusedEarly { return mayLeaveExpectationOut() }
        if sendAttempts.needsFreshConnection {
            // The old connection is closed by now, and nothing was sent.
            sendAttempts.needsFreshConnection = false
            return (try? beginOnNewConnection()) != nil
        }
        guard !isPaused, !hasHeaderBytes, wasMultiplexed, request.isIdempotent, wasCutShort(by: result) else {
            return false
        }
        guard request.body.canStartAgain else {
            stop(with: deadConnectionError)
            return false
        }
        waitForConnection()
        return true
    }

    /// Whether an HTTP/2 connection went away in a manner that libcurl leaves to us.
    private func wasCutShort(by result: CURLcode) -> Bool {
        switch result {
        // It ended in good order.
        case CURLE_PARTIAL_FILE: sendAttempts.isOnKeptConnection && sendAttempts.count == 1
        // By GOAWAY, with the last of its requests.
        case CURLE_HTTP2: handle.lastErrorText == nil && sendAttempts.count < Self.refusalLimit
        default: false
        }
    }

    /// Notes when the handle is of no use any more: libcurl 7.88 remembers a refusal, also over curl_easy_reset, and
    /// without that it goes on counting what it sent again.
    func noteReusability(_ result: CURLcode) {
        if sendAttempts.count > 1 || result != CURLE_OK && wasMultiplexed { handle.isReusable = false }
    }

    /// Starts the body again for a second sending (CURLOPT_SEEKFUNCTION); false when that is not possible.
    func seekBody(to offset: Int64) -> Bool {
        guard request.body.canStartAgain else {
            stop(with: deadConnectionError)
            return false
        }
        readBody(from: offset)
        return true
    }

    /// What libcurl would send a streamed body a second time for, which only its owner can have again.
    private var deadConnectionError: NetworkingError {
        NetworkingError(
            .connectionLost, "\(hostName) closed the connection before it answered",
            underlying: request.isIdempotent ? BodyNeededAgain() : nil)
    }
}
