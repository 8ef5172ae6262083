// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CCurl

/// When a server refused an expectation.
enum ExpectationRefusal {
    /// The body had not begun to leave.
    case beforeBody
    case amidBody
}

// Answers that come before the body has left.
extension CurlTransfer {
    /// What becomes of a response's head that says that the expectation is refused; nil when it does not say that, or
    /// when libcurl takes it for a response like any other: it does when the whole body has left, or when the
    /// connection ends with the response.
    func refusal(by head: ResponseHead) -> ExpectationRefusal? {
        guard head.status == 417, request.asksForContinue, !sendAttempts.leavesExpectationOut, head.httpVersion != "2",
            let readByteCount = bodyReadByteCount, !isWholeBodySent
        else { return nil }
        if readByteCount == 0 { return .beforeBody }
        return head.closesConnection(after: request.method) ? nil : .amidBody
    }

    /// libcurl would throw the rest of the response away and send the request again.
    var refusalError: NetworkingError {
        NetworkingError(
            .badServerResponse, "\(hostName) refused the expectation (417) when the body was on its way to it")
    }

    private var isWholeBodySent: Bool {
        guard let byteCount = request.body.byteCount else { return hasReadWholeBody }
        return handle.large(CURLINFO_SIZE_UPLOAD_T) == byteCount
    }

    /// libcurl sends no more of a body that was refused, but goes on waiting for one that had no bytes for it just
    /// then, until it is asked to go on.
    func giveUpPausedBody() {
        guard case .stream = request.body else { return }
        NetworkThread.shared.eventLoop.atEndOfRound { [weak self] in self?.resumeSending() }
    }

    /// libcurl stops sending when a response is over that its connection ends with, but goes on waiting for a body that
    /// has no bytes for it just then.
    func noteDryBody() {
        guard isBodyDry, let head, head.httpVersion != "2", head.closesConnection(after: request.method) else { return }
        partition.resumeAfterReading(self)
    }

    /// Whether an HTTP/2 server gave its whole response before libcurl met an error: one in what followed on the
    /// connection, or that of a stream that the server ended because it wants no more of the request's body (NO_ERROR;
    /// RFC 9113, 8.1).
    func isAnsweredInSpite(of result: CURLcode) -> Bool {
        guard let head, isMultiplexed, !isHoldingBytes else { return false }
        if partition.endEvidence == .frames {
            return stream.hasEnded && isComplete(head)
        }
        // libcurl has no words for an early end; for other ends of a stream it has.
        guard result == CURLE_HTTP2_STREAM, handle.lastErrorText == nil, !isWholeBodySent else { return false }
        guard head.hasBody(for: request.method), let length = head.contentLength else { return true }
        return length == handle.large(CURLINFO_SIZE_DOWNLOAD_T)
    }

    /// Whether the body of a response that libcurl takes for complete may be a part of what its server wanted to send.
    func isCutShort(_ head: ResponseHead) -> Bool {
        guard isMultiplexed else { return false }
        switch partition.endEvidence {
        case .libcurl: return false
        case .frames: return !isComplete(head)
        case .openConnection:
            guard head.hasBody(for: request.method), head.contentLength == nil else { return false }
            return partition.hasClosedConnection(socket) || partition.isAtEnd(socket)
        }
    }

    private func isComplete(_ head: ResponseHead) -> Bool {
        stream.isComplete(hasBody: head.hasBody(for: request.method), length: head.contentLength)
    }

    /// The error of a body that ended before its stream, or that libcurl lost a part of.
    func truncationError(_ head: ResponseHead) -> NetworkingError {
        let fault =
            partition.endEvidence == .frames
            ? stream.fault : "closed the HTTP/2 connection together with the end of the response"
        return NetworkingError(
            .badServerResponse, "\(hostName) \(fault) of status \(head.status): the body may be truncated")
    }
}
