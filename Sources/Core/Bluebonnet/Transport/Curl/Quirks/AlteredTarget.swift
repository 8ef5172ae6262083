// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// libcurl alters the target that it makes of a URL. Where it would, the library writes the target
/// (CURLOPT_REQUEST_TARGET).
enum AlteredTarget {
    /// libcurl 8.14 leaves out the question mark of an empty query (`/a?`), which is another resource (RFC 3986,
    /// 6.2.3). 7.88 sends the question mark; versions between them have not been examined.
    enum EmptyQuery: CurlQuirk {
        static let versions = Range.since(8, 0)
    }

    /// libcurl leaves it out of the whole URL, which a proxy without a tunnel wants, in 7.88 too.
    enum EmptyQueryOfURL: CurlQuirk {
        static let versions = Range<CurlVersion>.all
    }

    /// libcurl 8.21 writes the digits of percent escapes in capitals (`%2f` becomes `%2F`). That is the same resource
    /// (RFC 3986, 6.2.2.1), but not what a signature was made of. 8.14 sends escapes as they are; versions between them
    /// have not been examined.
    enum EscapeCase: CurlQuirk {
        static let versions = Range.since(8, 15)
    }

    /// The target that the library writes; nil when libcurl writes the target.
    ///
    /// - Parameter isAbsolute: whether the target is the whole URL.
    static func writtenTarget(ofURL text: String, isAbsolute: Bool) -> String? {
        target(
            ofURL: text, isAbsolute: isAbsolute,
            keepsEmptyQuery: isAbsolute ? EmptyQueryOfURL.isPresent : EmptyQuery.isPresent,
            keepsEscapes: EscapeCase.isPresent)
    }

    /// The target of a URL that has something to keep; nil for other URLs, and for a host in letters that libcurl has
    /// to convert.
    static func target(
        ofURL text: String, isAbsolute: Bool, keepsEmptyQuery: Bool, keepsEscapes: Bool
    ) -> String? {
        let mayMatch =
            keepsEmptyQuery && text.hasByte(UInt8(ascii: "?")) || keepsEscapes && text.hasByte(UInt8(ascii: "%"))
        guard mayMatch else { return nil }
        let bytes = text.utf8.prefix { $0 != UInt8(ascii: "#") }
        guard let slashes = text.range(of: "://") else { return nil }
        let authority = bytes[slashes.upperBound...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let rest = bytes[authority.endIndex...]
        guard keepsEmptyQuery && hasEmptyQuery(rest) || keepsEscapes && hasSmallEscape(rest) else { return nil }
        let path = (rest.first == UInt8(ascii: "/") ? "" : "/") + String(Substring(rest))
        guard isAbsolute else { return path }
        let host =
            authority.lastIndex(of: UInt8(ascii: "@")).map { authority[authority.index(after: $0)...] } ?? authority
        guard host.allSatisfy({ $0 < 0x80 }) else { return nil }
        return String(Substring(bytes[..<slashes.upperBound])) + String(Substring(host)) + path
    }

    private static func hasEmptyQuery(_ rest: Substring.UTF8View.SubSequence) -> Bool {
        rest.firstIndex(of: UInt8(ascii: "?")).map { rest.index(after: $0) == rest.endIndex } ?? false
    }

    /// Whether a percent escape has a lowercase digit.
    private static func hasSmallEscape(_ rest: Substring.UTF8View.SubSequence) -> Bool {
        rest.indices.contains { index in
            rest[index] == UInt8(ascii: "%")
                && rest[index...].dropFirst().prefix(2).contains { $0 >= UInt8(ascii: "a") }
        }
    }
}
