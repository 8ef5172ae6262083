// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

// The version of the body and the range of its bytes, as stated by the head. Resumed transfers rely on both.
extension ResponseHead {
    /// The entity tag of the response, if it is the only tag and strong: only a strong tag guarantees the same bytes.
    var strongETag: String? {
        let tags = values(for: "ETag")
        guard tags.count == 1, let tag = tags.first, tag.utf8.count >= 2 else { return nil }
        guard tag.utf8.first == UInt8(ascii: "\""), tag.utf8.last == UInt8(ascii: "\"") else { return nil }
        return tag.utf8.dropFirst().dropLast().allSatisfy(Self.isTagByte) ? tag : nil
    }

    /// The validator that guarantees the same bytes. It is the strong tag or, for a response without any tag, the date
    /// of last modification if the response was made at least a second later (RFC 9110, 8.8.2.2 and 13.1.5).
    package var strongValidator: StrongValidator? {
        if let strongETag { return .entityTag(strongETag) }
        let (modifications, dates) = (values(for: "Last-Modified"), values(for: "Date"))
        guard value(for: "ETag") == nil, modifications.count == 1, dates.count == 1,
            let modified = HTTPDate.parse(modifications[0]), let made = HTTPDate.parse(dates[0]),
            made.timeIntervalSince(modified) >= 1
        else { return nil }
        return .lastModified(modifications[0])
    }

    /// The bytes in the body, if there is exactly one `Content-Range` and it is valid.
    package var contentRange: ContentRange? {
        let ranges = values(for: "Content-Range")
        return ranges.count == 1 ? ranges.first.flatMap(ContentRange.init) : nil
    }

    private static func isTagByte(_ byte: UInt8) -> Bool {
        byte == 0x21 || (byte >= 0x23 && byte != 0x7F)
    }
}

/// The value of a `Content-Range` field in bytes (RFC 9110, 14.4).
package enum ContentRange: Sendable, Equatable {
    /// The body contains these bytes, including the last byte. `total` is the number of bytes in all, if the server
    /// knows it.
    case part(first: Int64, last: Int64, total: Int64?)
    /// The requested range does not exist. `total` is the number of bytes in all.
    case unsatisfied(total: Int64)

    /// Parses `bytes 0-499/1234`, `bytes 0-499/*` or `bytes */1234`; nil for any other text.
    package init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let total = Self.number(parts[1])
        guard total != nil || parts[1] == "*" else { return nil }
        self.init(range: parts[0], total: total)
    }

    private init?(range: Substring, total: Int64?) {
        if range == "*" {
            guard let total else { return nil }
            self = .unsatisfied(total: total)
            return
        }
        let ends = range.split(separator: "-", omittingEmptySubsequences: false).map(Self.number)
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last else { return nil }
        if let total, last >= total { return nil }
        self = .part(first: first, last: last, total: total)
    }

    private static func number(_ text: Substring) -> Int64? {
        FieldSyntax.isNumber(text.utf8) ? Int64(text) : nil
    }
}

/// A validator that guarantees the same bytes while it is unchanged (RFC 9110, 8.8.1): a strong entity tag, or a date
/// of last modification that was old enough when the response was made.
package enum StrongValidator: Codable, Equatable, Sendable {
    case entityTag(String)
    case lastModified(String)

    /// The value of `If-Range` (RFC 9110, 13.1.5).
    package var fieldValue: String {
        switch self {
        case .entityTag(let tag): tag
        case .lastModified(let date): date
        }
    }

    /// Returns whether a response has this validator; nil if the response has no validator.
    package func names(_ head: ResponseHead) -> Bool? {
        switch self {
        case .entityTag(let tag): head.value(for: "ETag").map { FieldSyntax.isSameText($0, tag) }
        case .lastModified(let date):
            head.value(for: "ETag") == nil
                ? head.value(for: "Last-Modified").map { FieldSyntax.isSameText($0, date) } : false
        }
    }
}
