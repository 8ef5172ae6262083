// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc

/// The IP address and the port on which a responder listens.
package struct ServingAddress: Sendable, Hashable, CustomStringConvertible {
    /// The IP address, without brackets.
    package let host: String
    /// The port; 0 lets the system choose a free port.
    package let port: Int

    package init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// Reads `HOST:PORT` or `PORT`. A host is an IP address, IPv6 in brackets, or `localhost`, which is 127.0.0.1, as
    /// is a missing host. Other names are not looked up: a look-up could make the responder listen on an address that
    /// the user did not mean.
    package init?(_ text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else {
            guard let port = Self.port(text[...]) else { return nil }
            self.init(host: "127.0.0.1", port: port)
            return
        }
        guard let port = Self.port(text[text.utf8.index(after: colon)...]) else { return nil }
        let host = text[..<colon]
        if host == "localhost" {
            self.init(host: "127.0.0.1", port: port)
        } else if host.hasPrefix("["), host.hasSuffix("]") {
            guard Self.isLiteral(host) else { return nil }
            self.init(host: String(host.dropFirst().dropLast()), port: port)
        } else {
            guard Self.isLiteral(host) else { return nil }
            self.init(host: String(host), port: port)
        }
    }

    private static func port(_ text: Substring) -> Int? {
        let digits = text.utf8
        guard (1...5).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text).flatMap { $0 <= 65_535 ? $0 : nil }
    }

    /// Whether the address is an IPv6 address.
    var isIPv6: Bool { host.utf8.contains(UInt8(ascii: ":")) }

    /// Whether only programs of the same machine can connect: 127.0.0.0/8 and ::1.
    package var isLoopback: Bool { bluebonnet_is_loopback(host, isIPv6) }

    /// Whether a text is an IP address as in the field `Host`: IPv6 in brackets.
    static func isLiteral(_ text: Substring) -> Bool {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let address = isBracketed ? text.dropFirst().dropLast() : text
        return address.contains(":") == isBracketed && bluebonnet_is_address(String(address))
    }

    package var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Why a responder cannot listen.
package struct ServingError: Error, Sendable, Equatable {
    /// One sentence.
    package let message: String
}
