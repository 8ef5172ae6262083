// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers

@testable import Bluebonnet

// Servers with a valid certificate and a bad group for ephemeral Diffie-Hellman.
extension ServerKind {
    /// A group that OpenSSL's server does not offer. The server sends the handshake's first flight, up to the point
    /// where the client refuses it. The client never reaches the signature.
    static func shortGroup(_ name: String, bitCount: Int, _ words: String) -> ServerKind {
        ServerKind(name, .refused(.secureConnectionFailed, words)) {
            $0.certificate = .rsa
            $0.peer = .saying { try flight(prime: [UInt8](repeating: 0xFF, count: bitCount / 8)) }
        }
    }

    /// ServerHello, Certificate, ServerKeyExchange and ServerHelloDone of TLS 1.2 (RFC 5246, 7.4) for
    /// TLS_DHE_RSA_WITH_AES_128_GCM_SHA256.
    private static func flight(prime: [UInt8]) throws -> Data {
        let certificate = Data(counted(try TestCertificate.rsa.der, byteCount: 3))
        let exchange =
            counted(prime, byteCount: 2) + counted([2], byteCount: 2) + counted([4], byteCount: 2) + [4, 1]
            + counted([UInt8](repeating: 0x5A, count: 256), byteCount: 2)
        return serverHello(cipher: 0x009E) + message(11, counted(certificate, byteCount: 3)) + message(12, exchange)
            + message(14, [])
    }

    /// A handshake message in a record.
    private static func message(_ type: UInt8, _ body: [UInt8]) -> Data {
        let message = [type] + counted(body, byteCount: 3)
        return Data([22, 3, 3] + counted(message, byteCount: 2))
    }

    /// Bytes prefixed with their count, which takes `byteCount` bytes.
    private static func counted(_ bytes: some Collection<UInt8>, byteCount: Int) -> [UInt8] {
        (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: bytes.count >> ($0 * 8)) } + bytes
    }
}
