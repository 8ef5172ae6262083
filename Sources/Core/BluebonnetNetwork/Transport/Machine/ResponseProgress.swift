// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Tracks the response of a transfer, and decides whether it is complete when the transfer ends.
package struct ResponseProgress {
    private var state = State.none
    /// Whether the head came over HTTP/2.
    private(set) var isMultiplexed = false
    private var parser: ResponseHeadParser
    /// The frames that arrived on the HTTP/2 stream.
    private var stream = HTTP2Stream()

    /// The received part of the response's head.
    private enum State {
        case none
        /// A part of the head, or an interim response, has arrived.
        case begun
        case head(ResponseHead)
    }

    init(_ request: TransferRequest) {
        // Over plain TCP, HTTP/2 begins with an upgrade. libcurl passes on the 101 response.
        let expectsUpgrade = request.httpVersion == .http2 && !request.isSecure
        parser = ResponseHeadParser(
            url: request.url, method: request.method, limit: request.limits.headerByteLimit,
            expectsUpgrade: expectsUpgrade)
    }

    var hasBegun: Bool {
        if case .none = state { false } else { true }
    }

    /// Whether the head is complete. Faster than reading `head`.
    var hasHead: Bool {
        if case .head = state { true } else { false }
    }

    package var head: ResponseHead? {
        guard case .head(let head) = state else { return nil }
        return head
    }

    /// The trailer section of the response; nil without one.
    package var trailers: HeaderFields? { parser.trailers }

    /// Returns whether the rest of a body without a length is not sent, because the server has refused or redirected
    /// the request over HTTP/2. The stream stays open, so that the body does not look complete.
    func withholdsBody(of request: TransferRequest) -> Bool {
        isMultiplexed && request.body.byteCount == nil && (head?.statusCode ?? 0) >= 300
    }

    /// Returns whether the end of the connection is the only end of the body. It then needs a close_notify alert.
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

    mutating func recordDelivered(_ byteCount: Int) { stream.recordDelivered(byteCount) }

    mutating func frameArrived(dataByteCount: Int, endsStream: Bool) {
        stream.recordFrame(dataByteCount: dataByteCount, endsStream: endsStream)
    }
}

// MARK: - The end

/// How libcurl ended a transfer, reduced to the cases that matter here.
package enum LibraryResult {
    case success
    /// CURLE_PARTIAL_FILE: the connection was closed in good order before the end of the response. Also used when
    /// nghttp2 ends a connection because of an error on it.
    case partial
    /// CURLE_HTTP2 without an error text: a GOAWAY ended the connection together with the last of its requests.
    case wentAway
    /// CURLE_HTTP2_STREAM without an error text: the server ended the stream before the end of the request. For other
    /// ends libcurl writes a text.
    case streamEndedEarly
    case otherError
}

extension ResponseProgress {
    /// Returns whether an HTTP/2 server sent its whole response before libcurl encountered an error. The error is
    /// either in the bytes after the response, or the server ended the stream because it does not need the rest of the
    /// request's body (NO_ERROR; RFC 9113, 8.1).
    func isComplete(
        inSpiteOf error: LibraryResult, _ isWholeBodySent: @autoclosure () -> Bool, of request: TransferRequest,
        _ evidence: some TransferFacts
    ) -> Bool {
        guard isMultiplexed, let head else { return false }
        if evidence.http2End == .frames { return stream.hasEnded && isStreamComplete(head, of: request) }
        guard error == .streamEndedEarly, !isWholeBodySent() else { return false }
        guard head.hasBody(for: request.method), let length = head.contentLength else { return true }
        return length == evidence.receivedByteCount
    }

    /// Returns whether the server has ended the stream and the whole response was delivered.
    func hasEnded(of request: TransferRequest) -> Bool {
        guard let head else { return false }
        return stream.hasEnded && isStreamComplete(head, of: request)
    }

    /// Describes what the server did, if a response that libcurl considers complete may be truncated.
    func truncation(of request: TransferRequest, _ evidence: some TransferFacts) -> String? {
        guard let head else { return "closed the connection within its response's header section" }
        var place: String { "the body of status \(head.statusCode) may be truncated" }
        guard isMultiplexed else {
            if evidence.lacksLastChunk { return "closed the connection before the last chunk of the body" }
            guard needsCloseNotice(of: request), !evidence.hasCloseNotice else { return nil }
            return "ended the TLS connection without close_notify: \(place)"
        }
        switch evidence.http2End {
        case .libcurl: return nil
        case .frames: return isStreamComplete(head, of: request) ? nil : "\(stream.fault): \(place)"
        case .openConnection:
            guard hasUnknownEnd(head, of: request), evidence.mayHaveLostConnection else { return nil }
            return "closed the HTTP/2 connection at the end of the response: \(place)"
        }
    }

    private func isStreamComplete(_ head: ResponseHead, of request: TransferRequest) -> Bool {
        stream.isComplete(hasBody: head.hasBody(for: request.method), length: head.contentLength)
    }
}

extension TransferMachine {
    /// Whether the delegate receives bytes of the response.
    package enum Flow {
        case open
        /// Back-pressure: the delegate currently takes no bytes. The server is not responsible for the lack of
        /// progress.
        case backPressured
        /// Rate-limited: a rate limit currently allows no bytes. Neither the server nor the delegate is responsible
        /// for the lack of progress.
        case rateLimited
        /// The user has paused the transfer. libcurl buffers what arrives, including header lines.
        case paused
    }
}
