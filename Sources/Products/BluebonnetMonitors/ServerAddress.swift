// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The attributes `server.address`, `server.port` and `url.scheme` of OpenTelemetry's conventions.
package struct ServerAddress: Hashable, Sendable {
    /// In lower case.
    package var scheme: String
    /// The name or the address of the host, without brackets.
    package var address: String
    package var port: Int

    package init(scheme: String, address: String, port: Int) {
        (self.scheme, self.address, self.port) = (scheme, address, port)
    }

    /// Reads an origin, `https://api.example.com:443`, or an absolute URL; nil if the text has no scheme or no host.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let rest = bytes[bytes.index(after: colon)...]
        guard colon > bytes.startIndex, rest.starts(with: "//".utf8) else { return nil }
        let authority = rest.dropFirst(2).prefix { !"/?#\\".utf8.contains($0) }
        let place = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[$0...].dropFirst() } ?? authority
        let isBracketed = place.first == UInt8(ascii: "[")
        let host = isBracketed ? place.dropFirst().prefix { $0 != UInt8(ascii: "]") } : place.prefix { $0 != 0x3A }
        guard !host.isEmpty else { return nil }
        let tail = Substring(place[host.endIndex...].drop { $0 == UInt8(ascii: "]") })
        scheme = text[..<colon].lowercased()
        address = Substring(host).lowercased()
        port = Int(tail.dropFirst()) ?? (scheme == "https" ? 443 : 80)
    }
}
