// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import NIOCore

/// Splits the bytes of one connection into requests. A pure value: it accesses no socket and sends no answer.
struct RequestParser {
    /// A parsed part of the input.
    enum Event {
        /// A head that expects "100 Continue" before its body.
        case continueExpected
        /// The head of a request whose body follows, if heads are answered.
        case head(ReceivedRequest)
        /// A part of the body of the last head.
        case piece(ByteBuffer)
        /// A complete request, or its head if bodies are not read.
        case request(ReceivedRequest)
        /// Bytes that are not valid at this position. No event follows.
        case malformed
    }

    private enum State {
        case head
        case body(remaining: Int)
        case chunkSize
        case chunk(remaining: Int)
        case trailers
        case ended
    }

    private let readsBodies: Bool
    private let refusesExpectations: Bool
    private let reportsHeads: Bool
    private var isHeadReported = false
    private var piece: ByteBuffer?
    private var trailerLines: [String] = []
    private var state = State.head
    private var buffer = ByteBuffer()
    private var searchedByteCount = 0
    private var pieceCount = 0
    private var request = ReceivedRequest()

    init(_ options: TestServer.Options) {
        readsBodies = options.readsBodies
        refusesExpectations = options.refusesExpectations
        reportsHeads = options.answersHeads
    }

    /// Appends received bytes.
    mutating func append(_ bytes: ByteBuffer) {
        pieceCount = buffer.readableBytes == 0 && isBetweenRequests ? 1 : pieceCount + 1
        buffer.discardReadBytes()
        buffer.writeImmutableBuffer(bytes)
    }

    private var isBetweenRequests: Bool {
        if case .head = state { true } else { false }
    }

    private var hasEnded: Bool { if case .ended = state { true } else { false } }

    /// Returns the request that was incomplete when the connection ended; nil without one.
    func unfinishedRequest() -> ReceivedRequest? {
        var unfinished = request
        if case .head = state { unfinished.rawHead.append(contentsOf: buffer.readableBytesView) }
        return unfinished.rawHead.isEmpty ? nil : unfinished
    }

    /// Returns the next event; nil if more bytes are needed.
    mutating func next() -> Event? {
        while true {
            if let event = reportProgress() { return event }
            switch state {
            case .head:
                guard let head = consume(through: "\r\n\r\n") else { return nil }
                if let event = begin(head) { return event }
            case .body(let remaining):
                let left = moveBody(atMost: remaining)
                state = .body(remaining: left)
                if piece != nil { continue }
                return left == 0 ? finish() : nil
            case .chunkSize:
                guard let line = consume(through: "\r\n") else { return nil }
                guard let size = chunkSize(line), size >= 0 else { return giveUp() }
                state = size == 0 ? .trailers : .chunk(remaining: size)
            case .chunk(let remaining):
                let left = moveBody(atMost: remaining)
                state = .chunk(remaining: left)
                if piece != nil { continue }
                guard left == 0, let end = consume(through: "\r\n") else { return nil }
                guard end.count == 2 else { return giveUp() }
                request.rawBody += end
                state = .chunkSize
            case .trailers:
                guard let line = consume(through: "\r\n") else { return nil }
                request.rawBody += line
                if line.count == 2 { return finish() }
                trailerLines.append(String(decoding: line.dropLast(2), as: UTF8.self))
            case .ended:
                return nil
            }
        }
    }

    /// Returns the head and the parts of the body that have not been reported.
    private mutating func reportProgress() -> Event? {
        guard reportsHeads, !isBetweenRequests, !hasEnded else { return nil }
        if !isHeadReported {
            isHeadReported = true
            return .head(request)
        }
        defer { piece = nil }
        return piece.map(Event.piece)
    }

    /// Parses a head and determines the state that follows.
    private mutating func begin(_ head: Data) -> Event? {
        request = RequestHeadParser.parse(head)
        if !readsBodies {
            state = .ended
            return .request(request)
        }
        let isContinueExpected = request.headers["Expect"]?.lowercased() == "100-continue"
        if isContinueExpected && refusesExpectations { return finish() }
        let length = request.headers["Content-Length"].map { Int($0) ?? -1 } ?? 0
        if request.headers["Transfer-Encoding"]?.lowercased().hasSuffix("chunked") == true {
            state = .chunkSize
        } else if length >= 0 {
            state = .body(remaining: length)
        } else {
            return giveUp()
        }
        return isContinueExpected ? .continueExpected : nil
    }

    private mutating func finish() -> Event {
        var finished = request
        finished.isComplete = true
        finished.pieceCount = pieceCount
        finished.trailers = RequestHeadParser.fields(trailerLines)
        (isHeadReported, trailerLines) = (false, [])
        request = ReceivedRequest()
        state = .head
        return .request(finished)
    }

    private mutating func giveUp() -> Event {
        state = .ended
        return .malformed
    }

    /// Moves the available part of the body to the request. Returns the number of bytes that are still missing.
    private mutating func moveBody(atMost byteCount: Int) -> Int {
        let available = min(byteCount, buffer.readableBytes)
        if let slice = buffer.readSlice(length: available) {
            slice.withUnsafeReadableBytes { bytes in
                request.body.append(contentsOf: bytes)
                request.rawBody.append(contentsOf: bytes)
            }
            if reportsHeads, available > 0 { piece = slice }
        }
        return byteCount - available
    }

    private mutating func chunkSize(_ line: Data) -> Int? {
        request.rawBody += line
        let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "\r") }
        return Int(String(decoding: digits, as: UTF8.self).trimmingCharacters(in: .whitespaces), radix: 16)
    }

    /// Removes and returns the bytes up to the end of `end`; nil until it has arrived.
    private mutating func consume(through end: String) -> Data? {
        let mark = Array(end.utf8)
        let view = buffer.readableBytesView
        let from = view.startIndex + max(0, searchedByteCount - mark.count + 1)
        guard let found = view[from...].firstRange(of: mark) else {
            searchedByteCount = view.count
            return nil
        }
        searchedByteCount = 0
        return buffer.readBytes(length: found.upperBound - view.startIndex).map { Data($0) }
    }
}
