// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// The URL under which responses to GET are stored: without fragment and user information, with the host in lower case
/// and without a default port (RFC 9110, 4.2.3). A store adds its partition.
package struct CacheKey: Sendable {
    /// The URL.
    package let text: String
    /// The number of bytes before the query.
    private let pathEnd: Int

    package init(_ url: URL) {
        let text = Self.normalized(url.absoluteString, url)
        self.text = text
        pathEnd = text.utf8.prefix { $0 != UInt8(ascii: "?") }.count
    }

    /// The key without its query. Responses with `No-Vary-Search` are looked up by it, too.
    package var withoutQuery: String { String(decoding: text.utf8.prefix(pathEnd), as: UTF8.self) }

    /// The query without its "?"; nil without a query.
    package var query: Substring? {
        pathEnd < text.utf8.count ? Substring(text.utf8.dropFirst(pathEnd + 1)) : nil
    }

    /// The origin; nil if the URL is neither http nor https.
    package var origin: Origin? { Origin(plain: text) ?? URL(string: text).flatMap { Origin($0) } }

    private static func normalized(_ text: String, _ url: URL) -> String {
        let text = text.hasByte(UInt8(ascii: "#")) ? String(text.prefix { $0 != "#" }) : text
        if let end = Origin.targetOffset(ofPlainURL: text), end < text.utf8.count, hasNormalPort(text, end) {
            return text
        }
        guard let origin = Origin(url) else { return text }
        let target = URLText(text).remainder
        let isDefault = origin.port == (origin.isSecure ? 443 : 80)
        return "\(origin.scheme)://\(origin.host)\(isDefault ? "" : ":\(origin.port)")"
            + (target.utf8.first == UInt8(ascii: "/") ? "" : "/") + target
    }

    /// Returns whether the authority of a plain URL, which ends at `end`, has no port, or another port than its
    /// scheme's, without leading zeros.
    private static func hasNormalPort(_ text: String, _ end: Int) -> Bool {
        let authority = text.utf8.prefix(end).dropFirst(6)  // after the colon of the scheme
        guard let colon = authority.lastIndex(of: UInt8(ascii: ":")) else { return true }
        let port = authority[colon...].dropFirst()
        let isSecure = text.utf8.starts(with: "https".utf8)
        return port.first != UInt8(ascii: "0") && !port.elementsEqual((isSecure ? "443" : "80").utf8)
    }
}

extension CacheKey: Hashable {
    package static func == (first: Self, second: Self) -> Bool { FieldSyntax.isSameText(first.text, second.text) }

    package func hash(into hasher: inout Hasher) { hasher.combine(ByteString(text)) }
}

extension CacheKey: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        self.text = text
        pathEnd = text.utf8.prefix { $0 != UInt8(ascii: "?") }.count
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension CacheKey: CustomStringConvertible {
    package var description: String { Redaction.url(text) }
}
