// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// How far a transfer's response has come, and whether it is complete when it ends.
struct ResponseProgress {
    private var state = State.none
    /// Whether the head came over HTTP/2.
    private(set) var isMultiplexed = false
    private var parser: ResponseHeadParser
    /// What the server sent over HTTP/2.
    private var stream = HTTP2Stream()

    private enum State {
        case none
        /// A part of the head, or an interim response.
        case begun
        case head(ResponseHead)
    }

    init(_ request: TransferRequest) {
        // Over plain TCP, HTTP/2 begins with an upgrade, whose 101 libcurl passes on.
        let expectsUpgrade = request.httpVersion == .http2 && !request.isSecure
        parser = ResponseHeadParser(
            url: request.url, method: request.method, limit: request.limits.headerByteLimit,
            expectsUpgrade: expectsUpgrade)
    }

    var hasBegun: Bool {
        if case .none = state { false } else { true }
    }

    /// Whether the head is complete. Costs less than asking for the head.
    var hasHead: Bool {
        if case .head = state { true } else { false }
    }

    var head: ResponseHead? {
        guard case .head(let head) = state else { return nil }
        return head
    }

    /// Whether only a close_notify makes the end of the connection the end of the body, which has no other.
    func needsCloseNotice(of request: TransferRequest) -> Bool {
        guard request.isSecure, !isMultiplexed, let head else { return false }
        return hasUnknownEnd(head, of: request) && !head.isChunked
    }

    private func hasUnknownEnd(_ head: ResponseHead, of request: TransferRequest) -> Bool {
        head.contentLength == nil && head.hasBody(for: request.method)
    }

    /// - Returns: the head that the line completed.
    mutating func receive(line: UnsafeRawBufferPointer) throws(NetworkingError) -> ResponseHead? {
        if case .none = state { state = .begun }
        guard case .complete(let head)? = try parser.consume(line: line) else { return nil }
        state = .head(head)
        isMultiplexed = head.httpVersion == "2"
        return head
    }

    mutating func noteDelivered(_ byteCount: Int) { stream.noteDelivered(byteCount) }

    mutating func frameArrived(dataByteCount: Int, endsStream: Bool) {
        stream.note(dataByteCount: dataByteCount, endsStream: endsStream)
    }
}

// MARK: - The end

/// How libcurl ended a transfer, as far as it matters here.
package enum LibraryResult {
    case success
    /// CURLE_PARTIAL_FILE: the connection ended in good order, and the response had not. So it is where nghttp2 ends a
    /// connection for a fault on it.
    case partial
    /// CURLE_HTTP2 without words of libcurl's: by GOAWAY, with the last of its requests.
    case wentAway
    /// CURLE_HTTP2_STREAM without words of libcurl's, which it has for other ends than one before the request's.
    case streamEndedEarly
    case otherError
}

extension ResponseProgress {
    /// Whether an HTTP/2 server gave its whole response before libcurl met an error: one in what followed on the
    /// connection, or that of a stream that the server ended because it wants no more of the request's body (NO_ERROR;
    /// RFC 9113, 8.1).
    func isComplete(
        inSpiteOf error: LibraryResult, _ isWholeBodySent: @autoclosure () -> Bool, of request: TransferRequest,
        _ evidence: some TransferEvidence
    ) -> Bool {
        guard isMultiplexed, let head else { return false }
        if evidence.http2End == .frames { return stream.hasEnded && isStreamComplete(head, of: request) }
        guard error == .streamEndedEarly, !isWholeBodySent() else { return false }
        guard head.hasBody(for: request.method), let length = head.contentLength else { return true }
        return length == evidence.receivedByteCount
    }

    /// Whether the server has ended the stream, and the whole response was delivered.
    func hasEnded(of request: TransferRequest) -> Bool {
        guard let head else { return false }
        return stream.hasEnded && isStreamComplete(head, of: request)
    }

    /// What the server did, when a response that libcurl takes for complete may be a part of what it wanted to send.
    func fault(of request: TransferRequest, _ evidence: some TransferEvidence) -> String? {
        guard let head else { return "closed the connection inside its response's header section" }
        var place: String { "the body of status \(head.statusCode) may be truncated" }
        guard isMultiplexed else {
            if evidence.lacksLastChunk { return "closed the connection before the last chunk of the body" }
            guard needsCloseNotice(of: request), !evidence.hasCloseNotice else { return nil }
            return "ended the TLS connection without notice: \(place)"
        }
        switch evidence.http2End {
        case .libcurl: return nil
        case .frames: return isStreamComplete(head, of: request) ? nil : "\(stream.fault): \(place)"
        case .openConnection:
            guard hasUnknownEnd(head, of: request), evidence.mayHaveLostConnection else { return nil }
            return "closed the HTTP/2 connection together with the end of the response: \(place)"
        }
    }

    private func isStreamComplete(_ head: ResponseHead, of request: TransferRequest) -> Bool {
        stream.isComplete(hasBody: head.hasBody(for: request.method), length: head.contentLength)
    }
}
