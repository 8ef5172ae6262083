// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Comparison

/// Finds requests in the bytes of a connection, leniently, so that anything a client sends is recorded. Pure.
package struct RequestReader {
    package enum Event {
        case head(ServerReport.Request)
        case body([UInt8])
        case end
    }

    private enum Expected {
        case head
        case bytes(Int)
        case chunkSize
        case chunk(Int)
        case chunkEnd
        case trailers
    }

    private var buffer: [UInt8] = []
    private var expected = Expected.head

    package init() {}

    /// Reads bytes that have arrived. Returns the events.
    package mutating func read(_ bytes: [UInt8]) -> [Event] {
        buffer += bytes
        var events: [Event] = []
        while let found = next() { events += found }
        return events
    }

    /// Returns the events that the buffered bytes complete; nil if more bytes are needed.
    private mutating func next() -> [Event]? {
        switch expected {
        case .head: return nextHead()
        case .bytes(let count):
            guard let part = removeBytes(upTo: count) else { return nil }
            guard part.count == count else {
                expected = .bytes(count - part.count)
                return [.body(part)]
            }
            expected = .head
            return [.body(part), .end]
        case .chunkSize:
            guard let line = removeLine() else { return nil }
            let size = Int(line.prefix { $0.isHexDigit }, radix: 16) ?? 0
            expected = size == 0 ? .trailers : .chunk(size)
            return []
        case .chunk(let count):
            guard let part = removeBytes(upTo: count) else { return nil }
            expected = part.count == count ? .chunkEnd : .chunk(count - part.count)
            return [.body(part)]
        case .chunkEnd:
            guard removeLine() != nil else { return nil }
            expected = .chunkSize
            return []
        case .trailers:
            guard let line = removeLine() else { return nil }
            guard line.isEmpty else { return [] }
            expected = .head
            return [.end]
        }
    }

    /// Reads a head, which ends with an empty line. Lines may end with CRLF or LF.
    private mutating func nextHead() -> [Event]? {
        var lines: [String] = []
        var start = buffer.startIndex
        while let end = buffer[start...].firstIndex(of: 10) {
            let line = buffer[start..<end]
            start = end + 1
            let text = String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
            guard text.isEmpty else {
                lines.append(text)
                continue
            }
            // Empty lines before a request are skipped.
            guard let first = lines.first else { continue }
            buffer.removeFirst(start)
            return begin(first, lines)
        }
        return nil
    }

    private mutating func begin(_ line: String, _ lines: [String]) -> [Event] {
        let words = line.split(separator: " ")
        let request = ServerReport.Request(
            method: words.first.map(String.init) ?? "", target: words.count > 1 ? String(words[1]) : "", lines: lines)
        if request.value(of: "transfer-encoding")?.lowercased().contains("chunked") == true {
            expected = .chunkSize
            return [.head(request)]
        }
        let count = request.value(of: "content-length").flatMap { Int($0) } ?? 0
        guard count > 0 else { return [.head(request), .end] }
        expected = .bytes(count)
        return [.head(request)]
    }

    private mutating func removeBytes(upTo count: Int) -> [UInt8]? {
        guard !buffer.isEmpty else { return nil }
        let part = Array(buffer.prefix(count))
        buffer.removeFirst(part.count)
        return part
    }

    private mutating func removeLine() -> String? {
        guard let end = buffer.firstIndex(of: 10) else { return nil }
        let line = buffer[..<end]
        let text = String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
        buffer.removeFirst(end + 1)
        return text
    }
}
