// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The directives of `Cache-Control` that matter to a private cache (RFC 9111, 5.2; RFC 5861; RFC 8246), of a request
/// or of a response. Directives for shared caches, such as `s-maxage` and `proxy-revalidate`, and unknown directives
/// are ignored.
///
/// An error in a directive makes a response less usable, never more: an unreadable number counts as 0, and a
/// restriction counts in any form.
package struct CacheDirectives: Sendable, Hashable {
    package private(set) var noStore = false
    /// `no-cache` without field names.
    package var noCache = false
    /// The names in `no-cache="…"`, in lower case: fields that are not used without validation.
    package private(set) var noCacheFields: [String] = []
    package private(set) var isPublic = false
    /// `private`, with or without field names.
    package private(set) var isPrivate = false
    package private(set) var mustRevalidate = false
    package private(set) var mustUnderstand = false
    package private(set) var isImmutable = false
    package private(set) var onlyIfCached = false
    /// Seconds; 0 if the directive is unreadable, or occurs with different values.
    package private(set) var maxAge: Int?
    /// The seconds of freshness that must be left.
    package private(set) var minFresh: Int?
    /// The seconds for which a response may be stale; `Int.max` for any time.
    package private(set) var maxStale: Int?
    package private(set) var staleWhileRevalidate: Int?
    package private(set) var staleIfError: Int?

    /// The largest number of seconds (RFC 9111, 1.2.2).
    package static let maximumSeconds = 1 << 31

    package init(_ lines: [String] = []) {
        for line in lines { for piece in Self.pieces(line) { apply(Directive(piece)) } }
    }

    private mutating func apply(_ directive: Directive) {
        switch directive.name {
        case "no-store": noStore = true
        case "no-cache": applyNoCache(directive)
        case "public": isPublic = true
        case "private": isPrivate = true
        case "must-revalidate": mustRevalidate = true
        case "must-understand": mustUnderstand = true
        case "immutable": isImmutable = true
        case "only-if-cached": onlyIfCached = true
        case "max-stale" where directive.value == nil && !directive.isMalformed: maxStale = .max
        default: applySeconds(directive)
        }
    }

    private mutating func applySeconds(_ directive: Directive) {
        switch directive.name {
        case "max-age": maxAge = directive.seconds(with: maxAge)
        case "min-fresh": minFresh = max(directive.seconds(with: nil), minFresh ?? 0)
        case "max-stale": maxStale = directive.seconds(with: maxStale)
        case "stale-while-revalidate": staleWhileRevalidate = directive.seconds(with: staleWhileRevalidate)
        case "stale-if-error": staleIfError = directive.seconds(with: staleIfError)
        default: return
        }
    }

    /// A list that names no field restricts the whole response.
    private mutating func applyNoCache(_ directive: Directive) {
        let names = ResponseHead.list(directive.value.map { [$0] } ?? [])
        if names.isEmpty || !names.allSatisfy({ FieldSyntax.isToken($0.utf8) }) { noCache = true }
        noCacheFields += names
    }

    /// Splits a line at the commas outside of quoted strings. After a quote that is never closed, every comma counts:
    /// otherwise the quote would hide a `no-store`.
    private static func pieces(_ line: String) -> [Substring.UTF8View] {
        let bytes = line[...].utf8
        let comma = UInt8(ascii: ",")
        guard bytes.contains(UInt8(ascii: "\"")) else { return bytes.split(separator: comma) }
        var (pieces, start, isQuoted, isEscaped) = ([Substring.UTF8View](), bytes.startIndex, false, false)
        for index in bytes.indices {
            let byte = bytes[index]
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = isQuoted
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == comma, !isQuoted {
                pieces.append(bytes[start..<index])
                start = bytes.index(after: index)
            }
        }
        return pieces + (isQuoted ? bytes[start...].split(separator: comma) : [bytes[start...]])
    }
}

/// One directive: `name`, `name=token` or `name="text"`.
private struct Directive {
    /// The name in lower case.
    let name: String
    /// The value without quotes; nil without a value.
    let value: String?
    /// Whether there is white space around the "=" (not allowed by RFC 9111, 5.2), or a quote is missing.
    let isMalformed: Bool

    init(_ piece: Substring.UTF8View) {
        let trimmed = FieldSyntax.trimmed(piece)
        let left = trimmed.prefix { $0 != UInt8(ascii: "=") }
        let bare = FieldSyntax.trimmed(left)
        name = String(decoding: bare.map(FieldSyntax.lowercase), as: UTF8.self)
        guard left.endIndex < trimmed.endIndex else {
            (value, isMalformed) = (nil, false)
            return
        }
        let right = trimmed[trimmed.index(after: left.endIndex)...]
        let text = Self.unquoted(right)
        value = text
        isMalformed = text == nil || bare.count != left.count || right.first == 0x20 || right.first == 0x09
    }

    private static func unquoted(_ bytes: Substring.UTF8View) -> String? {
        guard bytes.first == UInt8(ascii: "\"") else { return String(Substring(bytes)) }
        guard bytes.count > 1, bytes.last == UInt8(ascii: "\"") else { return nil }
        var (text, isEscaped) = ([UInt8](), false)
        for byte in bytes.dropFirst().dropLast() {
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            if !isEscaped { text.append(byte) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the number of seconds: 0 if it is unreadable or differs from an earlier value.
    func seconds(with earlier: Int?) -> Int {
        guard !isMalformed, let value, FieldSyntax.isNumber(value.utf8) else { return 0 }
        let seconds = min(Int(value) ?? .max, CacheDirectives.maximumSeconds)
        return earlier == nil || earlier == seconds ? seconds : 0
    }
}
