// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// An absolute or relative URL as text, split as RFC 3986 splits it; it interprets nothing and accepts anything.
///
/// Needed beside `URL`, which repairs what it is given: it escapes a backslash, and escapes escapes again.
struct URLText {
    /// What stands before the first colon, if it can be a scheme.
    let scheme: Substring?
    /// What stands between "//" and the path, query or fragment; nil without "//".
    let authority: Substring?
    /// Path, query and fragment.
    let remainder: Substring

    init(_ text: String) {
        let scheme = Self.scheme(of: text)
        let rest = scheme.map { text[$0.endIndex...].dropFirst() } ?? text[...]
        self.scheme = scheme
        guard rest.hasPrefix("//") else {
            authority = nil
            remainder = rest
            return
        }
        let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        self.authority = authority
        remainder = rest[authority.endIndex...]
    }

    private static func scheme(of text: String) -> Substring? {
        let name = text.prefix { $0 != ":" && $0 != "/" && $0 != "?" && $0 != "#" }
        guard name.endIndex < text.endIndex, text[name.endIndex] == ":", let first = name.utf8.first else { return nil }
        let isScheme = name.utf8.allSatisfy {
            FieldSyntax.isTokenByte($0) && ($0 == 0x2B || $0 == 0x2D || $0 == 0x2E || isAlphanumeric($0))
        }
        return isScheme && !(0x30...0x39).contains(first) ? name : nil
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(FieldSyntax.lowercase(byte))
    }

    /// The text as a message may show it: without user information, which may hold a password.
    var withoutUserInfo: String {
        let start = scheme.map { $0 + ":" } ?? ""
        guard let authority else { return start + remainder }
        return start + "//" + (userInfo.map { authority[$0.endIndex...].dropFirst() } ?? authority) + remainder
    }

    // MARK: - Parts of the authority

    /// What stands before the last "@".
    var userInfo: Substring? {
        guard let authority, let at = authority.lastIndex(of: "@") else { return nil }
        return authority[..<at]
    }

    /// The host with its brackets, if it has some; empty when there is none.
    var host: Substring {
        let (host, _) = hostAndPort
        return host
    }

    /// What follows the colon after the host: nil without a colon, empty with nothing behind it.
    var port: Substring? {
        let (_, port) = hostAndPort
        return port
    }

    private var hostAndPort: (host: Substring, port: Substring?) {
        guard let authority else { return ("", nil) }
        let rest = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        // The colons of an IPv6 address stand between brackets.
        let start = rest.hasPrefix("[") ? rest.firstIndex(of: "]") ?? rest.endIndex : rest.startIndex
        let colon = rest[start...].firstIndex(of: ":")
        return (rest[..<(colon ?? rest.endIndex)], colon.map { rest[$0...].dropFirst() })
    }
}
