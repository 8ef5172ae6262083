// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation
import Glibc

/// Parses the head of a response line by line as it arrives, and refuses heads that could be read in two ways.
///
/// The parser is lenient where nothing depends on it: a line may end without a carriage return, a value may continue in
/// a next line that starts with white space (the parts are joined by one space), and the space after the status may be
/// missing. Interim responses are dropped, trailers are kept apart from the head, and all bytes count against the
/// limit. A status of 600 or more, which is invalid, is delivered unchanged: it is a server's error (RFC 9110, 15).
package struct ResponseHeadParser: Sendable {
    /// The result of a completed head.
    package enum Event: Sendable {
        /// An interim response with this status, from 100 to 199; another head follows.
        case informational(Int)
        /// The final head.
        case complete(ResponseHead)
    }

    private enum State { case statusLine, fields, complete }

    private let url: URL
    private let method: String?
    private let limit: Int
    private let expectsUpgrade: Bool
    private var state = State.statusLine
    private var consumedByteCount = 0
    private var statusLine = StatusLine()
    private var block = FieldBlock()
    private var trailerBlock: FieldBlock?

    /// - Parameter limit: the maximum number of bytes of interim heads, head and trailers together.
    /// - Parameter expectsUpgrade: whether 101 is an interim response, because the request asked for another protocol.
    package init(url: URL, method: String? = nil, limit: Int = 256 * 1024, expectsUpgrade: Bool = false) {
        self.url = url
        self.method = method
        self.limit = limit
        self.expectsUpgrade = expectsUpgrade
    }

    /// Whether the final head has ended. If not, a response that ends here was truncated.
    package var isComplete: Bool { state == .complete }

    /// The trailer section (RFC 9110, 6.5); nil without one. A malformed line of it is dropped.
    package var trailers: HeaderFields? { trailerBlock.map { HeaderFields($0.trimmed) } }

    /// Consumes one line, including its line end.
    package mutating func consume(line: UnsafeRawBufferPointer) throws(NetworkingError) -> Event? {
        consumedByteCount += line.count
        guard consumedByteCount <= limit else {
            throw NetworkingError(.headersTooLarge, "the response's header section has more than \(limit) bytes")
        }
        let line = Self.withoutLineEnd(line)
        switch state {
        case .statusLine:
            statusLine = try StatusLine(line)
            block = FieldBlock()
            state = .fields
        case .fields where line.isEmpty: return try endBlock()
        case .fields: try block.append(line)
        case .complete: consumeTrailer(line)
        }
        return nil
    }

    private mutating func consumeTrailer(_ line: UnsafeRawBufferPointer) {
        guard !line.isEmpty else { return }
        var block = trailerBlock ?? FieldBlock()
        guard (try? block.append(line)) != nil else { return }
        trailerBlock = block
    }

    private mutating func endBlock() throws(NetworkingError) -> Event {
        if statusLine.status == 101 && !expectsUpgrade {
            throw NetworkingError(.badServerResponse, "the server switched protocols without a request to upgrade")
        }
        if statusLine.status < 200 {
            state = .statusLine
            return .informational(statusLine.status)
        }
        let head = ResponseHead(
            url: url, statusCode: statusLine.status, reasonPhrase: statusLine.reason, httpVersion: statusLine.version,
            block: block.trimmed, method: method)
        try head.checkFraming()
        block = FieldBlock()
        state = .complete
        return .complete(head)
    }

    private static func withoutLineEnd(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard line.last == UInt8(ascii: "\n") else { return line }
        let end = line.count - (line.count > 1 && line[line.count - 2] == UInt8(ascii: "\r") ? 2 : 1)
        return UnsafeRawBufferPointer(rebasing: line[..<end])
    }
}

// MARK: - The status line

/// Parses a status line: `HTTP/1.1 200 OK`, or `HTTP/2 200` as libcurl presents later versions.
private struct StatusLine {
    private(set) var version = ""
    private(set) var status = 0
    private(set) var reason = ""

    init() {}

    init(_ line: UnsafeRawBufferPointer) throws(NetworkingError) {
        if let usual = Self.usual(line) {
            self = usual
            return
        }
        let words = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, let version = Self.version(words[0]) else {
            throw NetworkingError(.badServerResponse, "the response does not start with an HTTP status line")
        }
        let digits = words[1]
        let status = digits.prefix(3).reduce(0) { $0 * 10 + Int($1) - 0x30 }
        guard digits.count == 3, FieldSyntax.isNumber(digits), (100...999).contains(status) else {
            throw NetworkingError(.badServerResponse, "the response's status is not from 100 to 999")
        }
        self.version = version
        self.status = status
        guard words.count == 3 else { return }
        guard !words[2].contains(where: FieldSyntax.isForbiddenInValue) else {
            throw NetworkingError(.badServerResponse, "the response's status line contains a control character")
        }
        reason = FieldBlock.text(words[2])
    }

    /// Parses `HTTP/1.1 200 OK`, `HTTP/2 200 ` and similar lines byte by byte; nil for a line that needs a closer
    /// check.
    private static func usual(_ line: UnsafeRawBufferPointer) -> StatusLine? {
        guard line.count >= 10 else { return nil }
        let isVersion2 = hasPrefix("HTTP/2 ", line)
        guard isVersion2 || hasPrefix("HTTP/1.1 ", line) else { return nil }
        let start = isVersion2 ? 7 : 9
        guard line.count >= start + 4, line[start + 3] == 0x20, (0x31...0x39).contains(line[start]),
            (0x30...0x39).contains(line[start + 1]), (0x30...0x39).contains(line[start + 2])
        else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: line[(start + 4)...])
        for byte in text where !(0x20...0x7E).contains(byte) { return nil }
        var usual = StatusLine()
        usual.version = isVersion2 ? "2" : "1.1"
        usual.status = line[start..<start + 3].reduce(0) { $0 * 10 + Int($1 - 0x30) }
        usual.reason = text.count == 2 && hasPrefix("OK", text) ? "OK" : String(decoding: text, as: UTF8.self)
        return usual
    }

    private static func hasPrefix(_ prefix: StaticString, _ line: UnsafeRawBufferPointer) -> Bool {
        guard let start = line.baseAddress, line.count >= prefix.utf8CodeUnitCount else { return false }
        return memcmp(start, prefix.utf8Start, prefix.utf8CodeUnitCount) == 0
    }

    /// Returns the known version; a later 1.x counts as 1.1 (RFC 9110, 2.5).
    private static func version(_ word: Slice<UnsafeRawBufferPointer>) -> String? {
        if word.elementsEqual("HTTP/1.1".utf8) { return "1.1" }
        let text = String(decoding: word, as: UTF8.self)
        guard text.hasPrefix("HTTP/") else { return nil }
        switch text.dropFirst(5) {
        case "1.0": return "1.0"
        case "2", "2.0": return "2"
        case "3", "3.0": return "3"
        case let later where later.utf8.count == 3 && later.hasPrefix("1."):
            return FieldSyntax.isNumber(later.utf8.dropFirst(2)) ? "1.1" : nil
        default: return nil
        }
    }
}
