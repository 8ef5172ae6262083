// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// An entity tag (RFC 9110, 8.8.3), in the spelling in which it was received.
struct EntityTag: Sendable, Hashable {
    /// The tag with its quotes and its mark of weakness. Tags without quotes, which some servers send, are kept as they
    /// are.
    let text: String

    var isWeak: Bool { text.utf8.starts(with: "W/".utf8) }
    /// The tag without its mark of weakness.
    private var opaque: Substring { isWeak ? Substring(text.utf8.dropFirst(2)) : text[...] }
    private var isQuoted: Bool {
        let opaque = opaque.utf8
        return opaque.count >= 2 && opaque.first == UInt8(ascii: "\"") && opaque.last == UInt8(ascii: "\"")
    }

    /// Whether the tag guarantees the same bytes: it is in quotes and not weak.
    var isStrong: Bool { !isWeak && isQuoted }

    init(_ text: String) { self.text = text }

    /// The tag of a message; nil without a tag, or with several.
    init?(_ headers: HeaderFields) {
        let values = headers.values(for: "ETag")
        guard values.count == 1, !FieldSyntax.isBlank(values[0]) else { return nil }
        text = values[0]
    }

    /// The comparison for `If-None-Match`.
    func matchesWeakly(_ other: EntityTag) -> Bool {
        opaque.utf8.elementsEqual(other.opaque.utf8)
    }

    /// The comparison for ranges.
    func matchesStrongly(_ other: EntityTag) -> Bool { isStrong && other.isStrong && self == other }

    static func == (first: Self, second: Self) -> Bool { FieldSyntax.isSameText(first.text, second.text) }

    func hash(into hasher: inout Hasher) { hasher.combine(ByteString(text)) }

    /// Parses a list of tags. A comma in quotes does not separate.
    static func list(_ values: [String]) -> [EntityTag] {
        values.flatMap { value -> [EntityTag] in
            var (tags, current, isQuoted) = ([EntityTag](), [UInt8](), false)
            for byte in value.utf8 + [UInt8(ascii: ",")] {
                if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
                guard byte == UInt8(ascii: ","), !isQuoted else {
                    current.append(byte)
                    continue
                }
                append(current, to: &tags)
                current = []
            }
            append(current.dropLast(), to: &tags)  // a quote that is never closed took the last comma
            return tags
        }
    }

    private static func append(_ bytes: some Sequence<UInt8>, to tags: inout [EntityTag]) {
        let text = Substring(decoding: Array(bytes), as: UTF8.self)
        let trimmed = FieldSyntax.trimmed(text.utf8)
        if !trimmed.isEmpty { tags.append(EntityTag(String(Substring(trimmed)))) }
    }
}

extension StrongValidator {
    /// The validator of fields that guarantees the same bytes; see `ResponseHead.strongValidator`.
    init?(_ headers: HeaderFields) {
        if let tag = EntityTag(headers), tag.isStrong {
            self = .entityTag(tag.text)
            return
        }
        let (modifications, dates) = (headers.values(for: "Last-Modified"), headers.values(for: "Date"))
        guard !headers.contains(name: "ETag"), modifications.count == 1, dates.count == 1,
            let modified = HTTPDate.parse(modifications[0]), let made = HTTPDate.parse(dates[0]),
            made.timeIntervalSince(modified) >= 1
        else { return nil }
        self = .lastModified(modifications[0])
    }
}
