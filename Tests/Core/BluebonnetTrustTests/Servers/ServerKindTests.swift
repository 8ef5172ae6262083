// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension CertificateTests {
    /// Servers of all kinds, each accepted or refused for the right reason: row D2 of the reliability rules.
    @Suite(.enabled(if: OpenSSLServer.isAvailable)) struct ServerKindTests {
        @Test(
            arguments: ServerKind.accepted + ServerKind.chainsRefused + ServerKind.named + ServerKind.judgedByOptions
                + ServerKind.handshakes + ServerKind.excluded)
        func serverKindIsAcceptedOrRefusedAsListed(kind: ServerKind) async throws {
            try await kind.connect()
        }

        /// A cipher that is not offered cannot be chosen by any server.
        @Test func noWeakCipherIsOffered() async throws {
            let options = try TransferOptions.trustingTestAuthority
            try await OpenSSLServer.serving(.localhost, ["-trace"]) { server in
                #expect(await get(server.url(), options).error == nil)
                let lines = server.log.components(separatedBy: "\n").drop { !$0.contains("cipher_suites (len=") }
                let offered = lines.dropFirst().prefix { !$0.contains("compression_methods") }
                #expect(offered.contains { $0.contains("TLS_AES_128_GCM_SHA256") })
                for word in ["RC4", "DES", "NULL", "EXPORT", "anon", "MD5"] {
                    #expect(!offered.contains { $0.contains(word) }, "\(word)")
                }
                let compression = lines.drop { !$0.contains("compression_methods") }.prefix(2)
                #expect(compression.last?.contains("No Compression") == true)
                #expect(compression.first?.contains("(len=1)") == true)
            }
        }
    }
}
