// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The `Range` field of a request (RFC 9110, 14.2).
enum RequestedRange: Sendable, Hashable {
    /// The request has no `Range`, or one that has to be ignored.
    case none
    /// From a byte on; `last` is nil for "to the end".
    case from(Int64, last: Int64?)
    /// The last bytes.
    case suffix(Int64)
    /// Several ranges, or a range in another unit. No stored response answers such a request.
    case other

    init(_ headers: HeaderFields) {
        let values = headers.values(for: "Range")
        guard let value = values.first else {
            self = .none
            return
        }
        self = values.count == 1 ? Self.parsed(value) : .other
    }

    private static func parsed(_ value: String) -> RequestedRange {
        let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return .other }
        let ends = Substring(FieldSyntax.trimmed(parts[1].utf8)).split(
            separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return .other }
        let (first, last) = (number(ends[0]), number(ends[1]))
        switch (ends[0].isEmpty, ends[1].isEmpty) {
        case (false, false):
            guard let first, let last, first <= last else { return .other }
            return .from(first, last: last)
        case (false, true): return first.map { .from($0, last: nil) } ?? .other
        case (true, false): return last.map { .suffix($0) } ?? .other
        case (true, true): return .other
        }
    }

    private static func number(_ text: Substring) -> Int64? { FieldSyntax.isNumber(text.utf8) ? Int64(text) : nil }

    /// Returns the bytes that are meant; nil if there are none, or if that depends on an unknown length.
    func bytes(ofTotal total: Int64?) -> Range<Int64>? {
        switch self {
        case .none, .other: return nil
        case .from(let first, let last):
            guard let end = min(last.map { $0.addingClamped(1) }, total), first < end else { return nil }
            return first..<end
        case .suffix(let count):
            guard let total, count > 0, total > 0 else { return nil }
            return max(0, total - count)..<total
        }
    }

    /// Returns the smaller of two numbers, or the only known number.
    private func min(_ first: Int64?, _ second: Int64?) -> Int64? {
        guard let first, let second else { return first ?? second }
        return Swift.min(first, second)
    }
}
