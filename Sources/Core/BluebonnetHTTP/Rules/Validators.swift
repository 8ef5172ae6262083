// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

// What the head says about the version of the body and about a part of it: what a resumed transfer relies on.
extension ResponseHead {
    /// The one entity tag of the response, if it is a strong one: only such a tag promises the same bytes.
    var strongETag: String? {
        let tags = values(for: "ETag")
        guard tags.count == 1, let tag = tags.first, tag.utf8.count >= 2 else { return nil }
        guard tag.utf8.first == UInt8(ascii: "\""), tag.utf8.last == UInt8(ascii: "\"") else { return nil }
        return tag.utf8.dropFirst().dropLast().allSatisfy(Self.isTagByte) ? tag : nil
    }

    /// What promises the same bytes: the strong tag, or, of a response without any tag, the date of last modification
    /// when the response was made a second later at least (RFC 9110, 8.8.2.2 and 13.1.5).
    package var strongValidator: StrongValidator? {
        if let strongETag { return .entityTag(strongETag) }
        let (modifications, dates) = (values(for: "Last-Modified"), values(for: "Date"))
        guard value(for: "ETag") == nil, modifications.count == 1, dates.count == 1,
            let modified = HTTPDate.parse(modifications[0]), let made = HTTPDate.parse(dates[0]),
            made.timeIntervalSince(modified) >= 1
        else { return nil }
        return .lastModified(modifications[0])
    }

    /// Which bytes the body holds, when `Content-Range` says it once and correctly.
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
    /// The body holds these bytes, the last one included, of so many in all, if the server knows.
    case part(first: Int64, last: Int64, total: Int64?)
    /// The wanted range does not exist: there are so many bytes in all.
    case unsatisfied(total: Int64)

    /// Reads `bytes 0-499/1234`, `bytes 0-499/*` or `bytes */1234`; nil for anything else.
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

/// What promises the same bytes when it is the same (RFC 9110, 8.8.1): a strong entity tag, or a date of last
/// modification that was old enough when it was given.
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

    /// Whether a response that names its representation names this one; nil when it does not name any.
    package func names(_ head: ResponseHead) -> Bool? {
        switch self {
        case .entityTag(let tag): head.value(for: "ETag").map { FieldSyntax.isSameText($0, tag) }
        case .lastModified(let date):
            head.value(for: "ETag") == nil
                ? head.value(for: "Last-Modified").map { FieldSyntax.isSameText($0, date) } : false
        }
    }
}
