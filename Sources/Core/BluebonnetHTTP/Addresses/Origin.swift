// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation
import Glibc

/// Scheme, host and port of a URL. Credentials and headers belong to an origin, and connections are counted by origin.
package struct Origin: Sendable, Hashable {
    /// Whether the scheme is `https`; otherwise the scheme is `http`.
    package let isSecure: Bool
    /// The host in lower case; an IPv6 address includes its brackets.
    package let host: String
    /// The port, explicit or implied by the scheme.
    package let port: Int

    /// `http` or `https`.
    package var scheme: String { isSecure ? "https" : "http" }

    /// Makes the origin of an http or https URL; nil for any other URL.
    package init?(_ url: URL) {
        let text = URLText(url.absoluteString)
        let scheme = text.scheme?.lowercased() ?? ""
        isSecure = scheme == "https"
        host = text.host.lowercased()
        guard scheme == "http" || scheme == "https", !host.isEmpty else { return nil }
        let implied = isSecure ? 443 : 80
        guard let written = text.port, !written.isEmpty else {
            port = implied
            return
        }
        guard let port = Int(written) else { return nil }
        self.port = port
    }
}

extension Origin {
    /// Makes the origin of a plain URL, `http://name:port/…` in lower case; nil for any other form, which needs a
    /// closer check. `RequestCheck.check` accepts every URL that this initializer accepts.
    ///
    /// Nearly every request has such a URL, and parsing the URL would be most of the work for a small request.
    package init?(plain text: String) {
        var text = text
        let parts = text.withUTF8 { bytes in
            PlainAuthority(bytes).map { ($0, String(decoding: bytes[$0.host], as: UTF8.self)) }
        }
        guard let (authority, host) = parts else { return nil }
        isSecure = authority.isSecure
        self.host = host
        port = authority.port
    }
}

extension Origin {
    /// Returns whether a text is a plain URL whose other bytes, too, are valid in a URL without escapes.
    /// `RequestCheck.url` would neither refuse nor change anything in such a text.
    package static func hasPlainURL(_ text: String) -> Bool { targetOffset(ofPlainURL: text) != nil }

    /// Returns the number of bytes before path and query in a plain URL without a fragment; nil for any other text.
    package static func targetOffset(ofPlainURL text: String) -> Int? {
        var text = text
        return text.withUTF8 { bytes in
            guard let authority = PlainAuthority(bytes), bytes[authority.end...].allSatisfy(URLText.isURLByte) else {
                return nil
            }
            return authority.end
        }
    }
}

/// Parses scheme, host and port from the bytes of a plain URL.
private struct PlainAuthority {
    let isSecure: Bool
    let host: Range<Int>
    let port: Int
    /// Where the path begins, or the text ends.
    let end: Int

    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        isSecure = Self.starts(bytes, with: "https://")
        guard isSecure || Self.starts(bytes, with: "http://") else { return nil }
        let start = isSecure ? 8 : 7
        var next = start
        while next < bytes.count, Self.isNameByte(bytes[next]) { next += 1 }
        host = start..<next
        var number = 0
        if next < bytes.count, bytes[next] == UInt8(ascii: ":") {
            next += 1
            while next < bytes.count, (0x30...0x39).contains(bytes[next]), number <= 65535 {
                number = number * 10 + Int(bytes[next]) - 0x30
                next += 1
            }
            guard (1...65535).contains(number) else { return nil }
        }
        port = number > 0 ? number : (isSecure ? 443 : 80)
        end = next
        guard !host.isEmpty, next == bytes.count || bytes[next] == UInt8(ascii: "/") else { return nil }
    }

    private static func starts(_ bytes: UnsafeBufferPointer<UInt8>, with prefix: StaticString) -> Bool {
        bytes.count >= prefix.utf8CodeUnitCount
            && memcmp(bytes.baseAddress!, prefix.utf8Start, prefix.utf8CodeUnitCount) == 0
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "-")
    }
}

extension Origin: CustomStringConvertible {
    package var description: String { "\(scheme)://\(host):\(port)" }
}
