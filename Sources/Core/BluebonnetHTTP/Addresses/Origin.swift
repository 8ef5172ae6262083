// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation
import Glibc

/// Scheme, host and port: what credentials and headers belong to, and what connections are counted by.
package struct Origin: Sendable, Hashable {
    /// Whether the scheme is `https`; else it is `http`.
    package let isSecure: Bool
    /// The host in lower case, an IPv6 address in its brackets.
    package let host: String
    /// The port, written or implied by the scheme.
    package let port: Int

    /// `http` or `https`.
    package var scheme: String { isSecure ? "https" : "http" }

    /// The origin of an http or https URL; nil for any other.
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
    /// The origin of a URL in the plainest form, `http://name:port/…` in lower case; nil for any other form, which has
    /// to be looked at more closely. What this takes, `RequestCheck.check` takes too.
    ///
    /// Nearly every request has such a URL, and most of what is done for a small request would be taking it apart.
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
    /// Whether a text is a URL of that form and the rest of it, too, only has bytes that a URL may hold as they are:
    /// there is nothing in it then that `RequestCheck.url` would refuse or alter.
    package static func hasPlainURL(_ text: String) -> Bool { targetOffset(ofPlainURL: text) != nil }

    /// How many bytes stand before path and query in a URL of that form, which has no fragment; nil for any other.
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

/// Scheme, host and port out of the bytes of a plain URL.
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
