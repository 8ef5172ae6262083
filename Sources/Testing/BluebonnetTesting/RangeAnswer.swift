// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation

/// An answer that honours the request's `Range` field (RFC 9110, 14.2). One range of bytes is supported; a request for
/// several ranges gets the whole body.
struct RangeAnswer {
    private(set) var answer: TestAnswer

    init(_ answer: TestAnswer, to request: SentRequest) {
        self.answer = answer
        guard answer.answersRanges, answer.parts == nil, answer.status == 200 else { return }
        if !answer.headers.contains(name: "Accept-Ranges") {
            self.answer.headers.add(name: "Accept-Ranges", value: "bytes")
        }
        if !answer.headers.contains(name: "ETag"), !answer.headers.contains(name: "Last-Modified") {
            self.answer.headers.add(name: "ETag", value: Self.tag(of: answer.body))
        }
        guard request.method == "GET", let field = request.headers["Range"], canBePart(request) else { return }
        apply(field)
    }

    /// Returns whether the condition of a range is met; true without a condition.
    private func canBePart(_ request: SentRequest) -> Bool {
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

    /// Returns the requested bytes, an empty range if the body lacks them, or nil for an unsupported field.
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

    /// Returns a strong validator: the FNV-1a hash of the bytes, and their number.
    private static func tag(of body: Data) -> String {
        let hash = body.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "\"\(String(hash, radix: 16))-\(body.count)\""
    }
}
