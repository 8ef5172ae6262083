// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// Splits the bytes of an HTTP/1.1 response into the parts that HTTP/2 sends. A pure value.
struct RawResponse {
    /// The content of one or more frames.
    enum Part {
        case headers(status: Int, WireFields)
        case data(Data)
        case trailers(WireFields)
    }

    private enum State {
        case head
        case body
        case chunkSize
        case chunk(remaining: Int)
        case trailers
        case ended
    }

    private var state = State.head
    private var buffer = Data()

    /// Appends further bytes.
    mutating func append(_ bytes: Data) {
        buffer.append(bytes)
    }

    /// Records a head that was sent separately. The bytes that follow a final head are its body.
    mutating func recordHead(status: Int) {
        if status >= 200 { state = .body }
    }

    /// Returns the next part; nil if more bytes are needed.
    mutating func next() -> Part? {
        while true {
            switch state {
            case .head:
                guard let text = consume(through: "\r\n\r\n") else { return nil }
                return head(text)
            case .body:
                return data(atMost: buffer.count)
            case .chunkSize:
                guard let line = consume(through: "\r\n") else { return nil }
                let size = Int(line.trimmingCharacters(in: .whitespacesAndNewlines), radix: 16) ?? 0
                state = size == 0 ? .trailers : .chunk(remaining: size)
            case .chunk(remaining: 0):
                guard consume(through: "\r\n") != nil else { return nil }
                state = .chunkSize
            case .chunk(let remaining):
                guard let part = data(atMost: remaining), case .data(let data) = part else { return nil }
                state = .chunk(remaining: remaining - data.count)
                return part
            case .trailers:
                guard buffer.starts(with: Data("\r\n".utf8)) else {
                    guard let text = consume(through: "\r\n\r\n") else { return nil }
                    state = .ended
                    return .trailers(RequestHeadParser.fields(text.components(separatedBy: "\r\n")))
                }
                state = .ended
            case .ended:
                return nil
            }
        }
    }

    private mutating func head(_ text: String) -> Part {
        let lines = text.components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        let status = words.count > 1 ? Int(words[1]) ?? 500 : 500
        let fields = RequestHeadParser.fields(lines.dropFirst())
        let isChunked = fields["Transfer-Encoding"]?.lowercased().hasSuffix("chunked") == true
        if status >= 200 { state = isChunked ? .chunkSize : .body }
        return .headers(status: status, fields)
    }

    private mutating func data(atMost byteCount: Int) -> Part? {
        let taken = buffer.prefix(byteCount)
        guard !taken.isEmpty else { return nil }
        buffer = Data(buffer.dropFirst(taken.count))
        return .data(Data(taken))
    }

    private mutating func consume(through end: String) -> String? {
        guard let range = buffer.range(of: Data(end.utf8)) else { return nil }
        let text = String(decoding: buffer[..<range.upperBound], as: UTF8.self)
        buffer = Data(buffer[range.upperBound...])
        return text
    }
}
