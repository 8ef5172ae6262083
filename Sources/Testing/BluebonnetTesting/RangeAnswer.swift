// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation

/// An answer with what its request's `Range` asks for (RFC 9110, 14.2): one range of bytes; several get the whole body.
struct RangeAnswer {
    private(set) var answer: TestAnswer

    init(_ answer: TestAnswer, to request: SentRequest) {
        self.answer = answer
        guard answer.answersRanges, answer.status == 200 else { return }
        if !answer.headers.contains(name: "Accept-Ranges") {
            self.answer.headers.add(name: "Accept-Ranges", value: "bytes")
        }
        if !answer.headers.contains(name: "ETag"), !answer.headers.contains(name: "Last-Modified") {
            self.answer.headers.add(name: "ETag", value: Self.tag(of: answer.body))
        }
        guard request.method == "GET", let field = request.headers["Range"], mayBePart(request) else { return }
        apply(field)
    }

    /// Whether the condition of a range, if there is one, is met.
    private func mayBePart(_ request: SentRequest) -> Bool {
        guard let condition = request.headers["If-Range"] else { return true }
        return condition == answer.headers["ETag"] || condition == answer.headers["Last-Modified"]
    }

    private mutating func apply(_ field: String) {
        let count = answer.body.count
        guard let range = Self.range(field, count) else { return }
        guard !range.isEmpty else {
            answer.status = 416
            answer.headers["Content-Range"] = "bytes */\(count)"
            answer.body = Data()
            return
        }
        answer.status = 206
        answer.headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)"
        answer.body = answer.body.dropFirst(range.lowerBound).prefix(range.count)
    }

    /// The bytes that a field asks for, an empty range when there are none of them; nil for a field that is not
    /// understood.
    private static func range(_ field: String, _ count: Int) -> Range<Int>? {
        guard let match = field.wholeMatch(of: /bytes=(\d*)-(\d*)/) else { return nil }
        switch (Int(match.1), Int(match.2)) {
        case (nil, nil): return nil
        case (nil, let suffix?): return max(0, count - suffix)..<count
        case (let start?, nil): return min(start, count)..<count
        case (let start?, let end?):
            guard start <= end else { return nil }
            return min(start, count)..<max(min(start, count), min(end, count - 1) + 1)
        }
    }

    /// A strong validator: FNV-1a over the bytes, and their number.
    private static func tag(of body: Data) -> String {
        let hash = body.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "\"\(String(hash, radix: 16))-\(body.count)\""
    }
}
