// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// libcurl alters the request target that it derives from a URL. Where it would, the library sets the target itself
/// (CURLOPT_REQUEST_TARGET).
enum AlteredTarget {
    /// libcurl 8.14 omits the question mark of an empty query (`/a?`), which is another resource (RFC 3986, 6.2.3).
    /// 7.88 sends the question mark; versions between them have not been examined.
    enum EmptyQuery: CurlQuirk {
        static let versions = Range.since(8, 0)
    }

    /// In every version, 7.88 included, libcurl omits the question mark from an absolute URL, which a proxy without a
    /// tunnel needs as the target.
    enum EmptyQueryOfURL: CurlQuirk {
        static let versions = Range<CurlVersion>.all
    }

    /// libcurl 8.21 writes the digits of percent escapes in capitals (`%2f` becomes `%2F`). The resource is the same
    /// (RFC 3986, 6.2.2.1), but a signature over the original text becomes invalid. 8.14 sends escapes unmodified;
    /// versions between them have not been examined.
    enum EscapeCase: CurlQuirk {
        static let versions = Range.since(8, 15)
    }

    /// Returns the target that the library sets; nil if libcurl's target is correct.
    ///
    /// - Parameter isAbsolute: whether the target is the whole URL.
    static func writtenTarget(ofURL text: String, isAbsolute: Bool) -> String? {
        target(
            ofURL: text, isAbsolute: isAbsolute,
            keepsEmptyQuery: isAbsolute ? EmptyQueryOfURL.isPresent : EmptyQuery.isPresent,
            keepsEscapes: EscapeCase.isPresent)
    }

    /// Returns the target of a URL that libcurl would alter; nil for other URLs, and for a host with non-ASCII
    /// letters, which libcurl has to convert.
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
