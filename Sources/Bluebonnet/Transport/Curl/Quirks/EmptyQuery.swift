// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// libcurl 8.14 leaves the question mark of an empty query (`/a?`) out of the target that it makes of a URL, which is
/// another resource (RFC 3986, 6.2.3). 7.88 sends the question mark; versions between them have not been examined.
/// Where the quirk is present, the library writes the target of such a URL (CURLOPT_REQUEST_TARGET).
enum EmptyQuery: CurlQuirk {
    static let versions = Range.since(8, 0)

    /// libcurl leaves it out of the whole URL, which a proxy without a tunnel wants, in 7.88 too.
    enum InAbsoluteTarget: CurlQuirk {
        static let versions = Range<CurlVersion>.all
    }

    /// The target that the library writes; nil when libcurl writes the target.
    static func writtenTarget(ofURL text: String, isAbsolute: Bool) -> String? {
        guard isAbsolute ? InAbsoluteTarget.isPresent : isPresent else { return nil }
        return target(ofURL: text, isAbsolute: isAbsolute)
    }

    /// The target of a URL with an empty query; nil for other URLs, and for a host in letters that libcurl has to
    /// convert.
    ///
    /// - Parameter isAbsolute: whether the target is the whole URL.
    static func target(ofURL text: String, isAbsolute: Bool) -> String? {
        let bytes = text.utf8.prefix { $0 != UInt8(ascii: "#") }
        guard let question = bytes.firstIndex(of: UInt8(ascii: "?")), bytes.index(after: question) == bytes.endIndex,
            let slashes = text.range(of: "://")
        else { return nil }
        let authority = bytes[slashes.upperBound...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let rest = String(Substring(bytes[authority.endIndex...]))
        let path = rest.hasPrefix("/") ? rest : "/" + rest
        guard isAbsolute else { return path }
        let host =
            authority.lastIndex(of: UInt8(ascii: "@")).map { authority[authority.index(after: $0)...] } ?? authority
        guard host.allSatisfy({ $0 < 0x80 }) else { return nil }
        return String(Substring(bytes[..<slashes.upperBound])) + String(Substring(host)) + path
    }
}
