// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers

@testable import Bluebonnet

// Servers with valid certificates and weak ciphers, versions or keys.
extension ServerKind {
    static let handshakes: [ServerKind] =
        offers + chosenCiphers + [
            version("tls-v1-0", .v10, .refused(.secureConnectionFailed, "alert protocol version")),
            version("tls-v1-1", .v11, .refused(.secureConnectionFailed, "alert protocol version")),
            version("tls-v1-2", .v12, .accepted), version("tls-v1-3", .v13, .accepted),
        ]

    private static func version(_ name: String, _ version: TestServer.TLSVersion, _ end: End) -> ServerKind {
        ServerKind(name, end) {
            var options = TestServer.Options()
            options.tlsVersion = version
            $0.peer = .scripted(options)
        }
    }

    /// Each `s_server` offers only the given cipher. The client has no cipher in common with the weak ones (RFC 5246,
    /// 7.4.1.3: handshake_failure). It accepts ephemeral Diffie-Hellman, but not with a 1024-bit group.
    private static let offers: [ServerKind] = [
        offer("cbc", "ECDHE-RSA-AES128-SHA"), offer("static-rsa", "AES256-GCM-SHA384"),
        offer("dh2048", "DHE-RSA-AES128-GCM-SHA256"),
        offer("null", "NULL-SHA256", .refused(.secureConnectionFailed, "handshake failure")),
        offer("anonymous", "ADH-AES128-SHA256", .refused(.secureConnectionFailed, "handshake failure")),
        // OpenSSL's server offers no group below 1024 bits.
        offer(
            "dh1024", "DHE-RSA-AES128-GCM-SHA256", group: .of1024Bits,
            .refused(.secureConnectionFailed, "dh key too small")),
        // The client does not check the group itself: the server has signed it with its own key.
        offer("dh-small-subgroup", "DHE-RSA-AES128-GCM-SHA256", group: .smallSubgroup),
        offer("dh-composite", "DHE-RSA-AES128-GCM-SHA256", group: .composite),
    ]

    private static func offer(
        _ name: String, _ cipher: String, group: DiffieHellmanGroup? = nil, _ end: End = .accepted
    ) -> ServerKind {
        ServerKind(name, end) {
            $0.certificate = .rsa
            $0.peer = .openssl {
                ["-tls1_2", "-cipher", cipher + ":@SECLEVEL=0"] + (try group.map { ["-dhparam", try $0.path] } ?? [])
            }
        }
    }

    /// Ciphers that this machine's OpenSSL does not have. The server chooses one that the client did not offer.
    private static let chosenCiphers: [ServerKind] = [
        ("rc4-md5", 0x0004), ("rc4", 0x0005), ("3des", 0x000A), ("export", 0x0003), ("null-md5", 0x0001),
        ("des", 0x0009), ("anonymous rc4", 0x0018),
    ].map { name, cipher in
        ServerKind(name, .refused(.secureConnectionFailed, "cipher returned")) {
            $0.peer = .saying { serverHello(cipher: cipher) }
        }
    }

    /// A TLS 1.2 ServerHello (RFC 5246, 7.4.1.3) with secure renegotiation (RFC 5746), in a record.
    static func serverHello(cipher: Int) -> Data {
        let body: [UInt8] =
            [3, 3] + Array(repeating: 0x5A, count: 32) + [0] + [UInt8(cipher >> 8), UInt8(cipher & 0xFF)] + [0]
            + [0, 5, 0xFF, 1, 0, 1, 0]
        return Data([22, 3, 3, 0, UInt8(body.count + 4), 2, 0, 0, UInt8(body.count)] + body)
    }
}
