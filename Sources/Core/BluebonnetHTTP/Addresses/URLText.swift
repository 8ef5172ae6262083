// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// An absolute or relative URL as text, split according to RFC 3986. It interprets nothing and accepts any text.
///
/// Needed in addition to `URL`, which repairs its input: `URL` escapes a backslash, and escapes existing escapes again.
package struct URLText {
    /// The text before the first colon, if it can be a scheme.
    package let scheme: Substring?
    /// The text between "//" and the path, query or fragment; nil without "//".
    package let authority: Substring?
    /// Path, query and fragment.
    package let remainder: Substring

    package init(_ text: String) {
        let scheme = Self.scheme(of: text)
        let rest = scheme.map { text[text.utf8.index(after: $0.endIndex)...] } ?? text[...]
        self.scheme = scheme
        guard rest.utf8.starts(with: "//".utf8) else {
            authority = nil
            remainder = rest
            return
        }
        let start = rest.utf8.index(rest.startIndex, offsetBy: 2)
        let end = Self.firstIndex(ofAny: "/?#", in: rest[start...]) ?? rest.endIndex
        authority = rest[start..<end]
        remainder = rest[end...]
    }

    /// The text before the query and the fragment.
    package var path: Substring {
        remainder[..<(Self.firstIndex(ofAny: "?#", in: remainder) ?? remainder.endIndex)]
    }

    /// Searches bytes, not characters: a "/" with a combining accent is another character, but not another URL.
    private static func firstIndex(ofAny bytes: StaticString, in text: Substring) -> String.Index? {
        let wanted = UnsafeBufferPointer(start: bytes.utf8Start, count: bytes.utf8CodeUnitCount)
        return text.utf8.firstIndex { wanted.contains($0) }
    }

    private static func scheme(of text: String) -> Substring? {
        let end = firstIndex(ofAny: ":/?#", in: text[...])
        guard let end, text.utf8[end] == UInt8(ascii: ":") else { return nil }
        let name = text[..<end]
        guard let first = name.utf8.first, isLetter(first) else { return nil }
        return name.utf8.dropFirst().allSatisfy(isSchemeByte) ? name : nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20)
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || (0x30...0x39).contains(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E
    }

    /// Returns a URL as a message may show it: without user information, which may contain a password. If the text is
    /// not clearly a URL, everything up to the last "@" counts as user information.
    package static func withoutUserInfo(_ text: String) -> String {
        guard text.hasByte(UInt8(ascii: "@")) else { return text }
        let parts = URLText(text)
        return parts.isClear ? parts.withoutUserInfo : hidingEverythingUpToAt(text, scheme: parts.scheme)
    }

    private static func hidingEverythingUpToAt(_ text: String, scheme: Substring?) -> String {
        let rest = text.utf8.lastIndex(of: UInt8(ascii: "@")).map { text[$0...] } ?? ""
        guard let scheme, isHTTP(scheme) else { return Redaction.placeholder + rest }
        let slashes = text.utf8[scheme.endIndex...].dropFirst().prefix { "/\\".utf8.contains($0) }
        return "\(scheme):\(Substring(slashes))\(Redaction.placeholder)\(rest)"
    }

    /// Whether it is certain which part of the text could be user information. It is uncertain in a URL with missing
    /// slashes, or with a "/", "?" or "#" in its password.
    package var isClear: Bool {
        guard remainder.utf8.contains(UInt8(ascii: "@")) else { return true }
        if let authority {
            let isPort = port.map { $0.isEmpty || (1...65_535).contains(Int($0) ?? 0) } ?? true
            return !authority.isEmpty && isPort
        }
        guard scheme == nil else { return false }
        // The first segment of a relative URL contains no colon (RFC 3986, 4.2).
        let name = remainder.utf8.prefix { !"/?#".utf8.contains($0) }
        return !name.contains(UInt8(ascii: ":")) && !remainder.utf8.contains(UInt8(ascii: "\\"))
    }

    private static func isHTTP(_ scheme: Substring) -> Bool { ["http", "https"].contains(scheme.lowercased()) }

    /// The text of this URL without its user information.
    package var withoutUserInfo: String {
        let start = scheme.map { $0 + ":" } ?? ""
        guard let authority else { return start + remainder }
        let shown = userInfo.map { authority[authority.utf8.index(after: $0.endIndex)...] } ?? authority
        return start + "//" + shown + remainder
    }

    // MARK: - Parts of the authority

    /// The text before the last "@" of the authority.
    package var userInfo: Substring? {
        guard let authority, let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        return authority[..<at]
    }

    /// The host, including brackets; empty without a host.
    package var host: Substring {
        let (host, _) = hostAndPort
        return host
    }

    /// The text after the colon that follows the host: nil without a colon, empty if nothing follows the colon.
    package var port: Substring? {
        let (_, port) = hostAndPort
        return port
    }

    private var hostAndPort: (host: Substring, port: Substring?) {
        guard let authority else { return ("", nil) }
        let rest = userInfo.map { authority[authority.utf8.index(after: $0.endIndex)...] } ?? authority
        // The colons of an IPv6 address are between brackets.
        let isAddress = rest.utf8.first == UInt8(ascii: "[")
        let start = isAddress ? Self.firstIndex(ofAny: "]", in: rest) ?? rest.endIndex : rest.startIndex
        guard let colon = Self.firstIndex(ofAny: ":", in: rest[start...]) else { return (rest, nil) }
        return (rest[..<colon], rest[rest.utf8.index(after: colon)...])
    }
}

// Makes a URL from text that a caller or a server wrote, without changing its well-formed parts.
extension URLText {
    /// Returns the absolute URL of the text, resolved relative to `base`; nil if the text is not a URL. The empty text
    /// is the base without its fragment (RFC 3986, 4.4).
    ///
    /// Bytes that a URL cannot contain are percent-escaped, existing escapes are unchanged, and an international host
    /// name is written in ASCII.
    package static func url(_ text: String, relativeTo base: URL?) -> URL? {
        absolute(text, relativeTo: base).flatMap { URL(string: $0) }
    }

    /// Returns the text of that URL; nil if there is none. The text of another result may still not be a URL.
    static func absolute(_ text: String, relativeTo base: URL?) -> String? {
        guard base != nil || !text.isEmpty, let escaped = URLText(text).escaped else { return nil }
        guard let base else { return escaped }
        return URLText(escaped).resolved(from: URLText(base.absoluteString))
    }

    private var escaped: String? {
        let start = scheme.map { $0 + ":" } ?? ""
        guard let authority else { return start + Self.escape(remainder) }
        guard let ascii = Self.asciiAuthority(authority) else { return nil }
        return start + "//" + ascii + Self.escape(remainder)
    }

    /// Returns the authority with an international name in ASCII; nil if the name has no such form.
    package static func asciiAuthority(_ authority: Substring) -> String? {
        if authority.utf8.allSatisfy({ $0 < 0x80 }) { return String(authority) }
        guard let url = URL(string: "http://\(authority)/") else { return nil }
        return URLText(url.absoluteString).authority.map(String.init)
    }

    /// Returns path, query and fragment, with every byte escaped that RFC 3986 does not permit in them.
    package static func escape(_ text: some StringProtocol) -> String {
        if text.utf8.allSatisfy(isURLByte) { return String(text) }
        let bytes = Array(text.utf8)
        let fragment = bytes.firstIndex(of: UInt8(ascii: "#"))
        var result: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isKept = isURLByte(byte) || index == fragment || isEscape(bytes[index...])
            append(byte, escaped: !isKept, to: &result)
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the bytes as text with all non-ASCII bytes escaped, which makes a `Location` readable.
    static func escapingNonASCII(_ bytes: some Sequence<UInt8>) -> String {
        var result: [UInt8] = []
        for byte in bytes { append(byte, escaped: byte >= 0x80, to: &result) }
        return String(decoding: result, as: UTF8.self)
    }

    private static func append(_ byte: UInt8, escaped: Bool, to result: inout [UInt8]) {
        guard escaped else { return result.append(byte) }
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%".utf8
        result += (byte < 0x10 ? "0" + digits : digits).utf8
    }

    /// Returns whether the bytes start with "%" and two hexadecimal digits.
    private static func isEscape(_ bytes: ArraySlice<UInt8>) -> Bool {
        let digits = bytes.dropFirst().prefix(2)
        return bytes.first == UInt8(ascii: "%") && digits.count == 2
            && digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }

    /// Returns whether path, query and fragment may contain this byte without an escape. "%" and "#" are permitted only
    /// in some places.
    static func isURLByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "&")...UInt8(ascii: ";"): true  // & ' ( ) * + , - . / digits : ;
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "="), UInt8(ascii: "?"), UInt8(ascii: "@"): true
        case UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }
}

// Resolves a relative URL against a base (RFC 3986, 5.2). Foundation's resolution removes dot segments from paths that
// must stay unchanged, and misses segments with escaped dots.
extension URLText {
    /// Returns the absolute URL that this text means, relative to a base.
    ///
    /// A path that begins with a slash keeps its dot segments. A path that continues the base's path is returned
    /// without dot segments.
    package func resolved(from base: URLText) -> String {
        let start = scheme.map { $0 + ":" } ?? base.scheme.map { $0 + ":" } ?? ""
        if scheme != nil || authority != nil { return start + (authority.map { "//" + $0 } ?? "") + remainder }
        return start + (base.authority.map { "//" + $0 } ?? "") + target(from: base)
    }

    /// Returns path, query and fragment.
    private func target(from base: URLText) -> String {
        if path.utf8.first == UInt8(ascii: "/") { return String(remainder) }
        if !path.isEmpty {
            return DotSegments.removed(fromPath: folder(of: base) + path) + remainder[path.endIndex...]
        }
        if remainder.utf8.first == UInt8(ascii: "?") { return String(base.path + remainder) }
        return String(base.remainder.prefix { $0 != "#" } + remainder)
    }

    /// Returns a base's path up to its last slash.
    private func folder(of base: URLText) -> Substring {
        guard let slash = base.path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" }
        return base.path[...slash]
    }
}
