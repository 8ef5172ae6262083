// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import FlyingFox
import FlyingSocks
import Foundation

/// A large text: the numbers from 0, each with nine digits and a line end, sent slowly on purpose.
///
/// `GET /numbers?count=3000000&seconds=3` returns 30,000,000 bytes, as `seq -f %09.0f 0 2999999` writes them. The text
/// has an entity tag and supports ranges that begin at any byte, so that clients can stop and continue.
enum Numbers {
    private static let lineByteCount = 10

    static func response(to request: HTTPRequest) -> HTTPResponse {
        func value(_ name: String) -> Double? { request.query[name].flatMap(Double.init) }
        let byteCount = Int(value("count") ?? 1000) * lineByteCount
        let tag = "\"numbers-\(byteCount)\""
        var headers: HTTPHeaders = [.contentType: "text/plain", .eTag: tag, .acceptRanges: "bytes"]
        let start = offset(in: request, tag: tag, byteCount: byteCount)
        if let start { headers[.contentRange] = "bytes \(start)-\(byteCount - 1)/\(byteCount)" }
        let rest = (start ?? 0)..<byteCount
        let pace = Double(byteCount) / (value("seconds") ?? 0.001)
        return HTTPResponse(
            statusCode: start == nil ? .ok : .partialContent, headers: headers,
            body: HTTPBodySequence(
                from: SlowNumbers(range: rest, bytesPerSecond: pace), count: rest.count, suggestedBufferSize: 1 << 20))
    }

    /// Returns the offset at which the client continues; nil unless it requests this text from a byte to the end.
    private static func offset(in request: HTTPRequest, tag: String, byteCount: Int) -> Int? {
        guard let range = request.headers[.range], range.hasPrefix("bytes="), range.hasSuffix("-"),
            request.headers[.ifRange].map({ $0 == tag }) ?? true
        else { return nil }
        return Int(range.dropFirst("bytes=".count).dropLast()).flatMap { (0..<byteCount).contains($0) ? $0 : nil }
    }

    /// Returns the bytes in a range of the text.
    static func bytes(in range: Range<Int>) -> Data {
        let lines = range.lowerBound / lineByteCount...range.upperBound / lineByteCount
        var data = Data(count: lines.count * lineByteCount)
        data.withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            let first = String(format: "%09d\n", lines.lowerBound)
            memcpy(start, first, lineByteCount)
            for place in 1..<Swift.max(1, lines.count) { countUp(start + (place - 1) * lineByteCount) }
        }
        let start = range.lowerBound - lines.lowerBound * lineByteCount
        return data[start..<(start + range.count)]
    }

    /// Writes the next line after this one.
    private static func countUp(_ line: UnsafeMutableRawPointer) {
        let next = line + lineByteCount
        memcpy(next, line, lineByteCount)
        var digit = (next + lineByteCount - 2).assumingMemoryBound(to: UInt8.self)
        while digit.pointee == UInt8(ascii: "9") {
            digit.pointee = UInt8(ascii: "0")
            digit -= 1
        }
        digit.pointee += 1
    }
}

/// The bytes of the numbers, one piece every 20 ms.
private struct SlowNumbers: AsyncBufferedSequence {
    typealias Element = UInt8

    let range: Range<Int>
    let bytesPerSecond: Double

    func makeAsyncIterator() -> Iterator {
        Iterator(rest: range, pieceByteCount: Swift.max(1, Int(bytesPerSecond / 50)))
    }

    struct Iterator: AsyncBufferedIteratorProtocol {
        var rest: Range<Int>
        let pieceByteCount: Int
        private let start = ContinuousClock.now
        private var pieceCount = 0

        init(rest: Range<Int>, pieceByteCount: Int) {
            (self.rest, self.pieceByteCount) = (rest, pieceByteCount)
        }

        mutating func next() async throws -> UInt8? {
            try await nextBuffer(suggested: 1)?.first
        }

        mutating func nextBuffer(suggested count: Int) async throws -> Data? {
            guard !rest.isEmpty else { return nil }
            try await Task.sleep(until: start + .milliseconds(20 * pieceCount))
            pieceCount += 1
            let piece = rest.prefix(Swift.min(count, pieceByteCount))
            rest = piece.upperBound..<rest.upperBound
            return Numbers.bytes(in: piece)
        }
    }
}
