// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// OpenSSL's own server, limited to some versions and ciphers.
    @Suite(.enabled(if: OpenSSLServer.isAvailable)) struct TLSVersionTests {
        private func trusting(_ tls: TLSOptions) throws -> TransferOptions {
            var options = try TransferOptions.trustingTestAuthority
            options.tls = tls
            return options
        }

        /// OpenSSL speaks the old versions only at its lowest security level.
        private static let arguments: [TLSProtocolVersion: [String]] = [
            .v10: ["-tls1", "-cipher", "ALL:@SECLEVEL=0"], .v11: ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"],
            .v12: ["-tls1_2"], .v13: ["-tls1_3"],
        ]

        @Test(arguments: [TLSProtocolVersion.v10, .v11, .v12, .v13], [TestCertificate.localhost, .rsa])
        func versionsBetweenMinimumAndMaximumAreAccepted(
            version: TLSProtocolVersion, certificate: TestCertificate
        ) async throws {
            let ranges: [(TLSProtocolVersion, TLSProtocolVersion?)] = [
                (.v12, nil), (.v10, nil), (.v11, .v12), (.v10, .v10), (.v13, nil), (.v12, .v12), (.v13, .v13),
            ]
            try await OpenSSLServer.serving(certificate, try #require(Self.arguments[version])) { server in
                for (minimum, maximum) in ranges {
                    let tls = try TLSOptions(minimumVersion: minimum, maximumVersion: maximum)
                    let operation = await get(server.url(), try trusting(tls))
                    if minimum <= version && version <= maximum ?? .v13 {
                        #expect(operation.error == nil, "\(minimum) to \(String(describing: maximum))")
                        #expect(operation.summary.tlsInformation?.version == version)
                    } else {
                        #expect(operation.code == .secureConnectionFailed)
                        #expect(operation.summary.tlsInformation == nil)
                    }
                }
            }
        }

        @Test(arguments: [
            ("ECDHE-ECDSA-CHACHA20-POLY1305", TestCertificate.localhost),
            ("ECDHE-ECDSA-AES128-GCM-SHA256", .localhost), ("ECDHE-RSA-AES256-GCM-SHA384", .rsa),
        ])
        func chosenCipherIsUsed(name: String, certificate: TestCertificate) async throws {
            try await OpenSSLServer.serving(certificate) { server in
                let tls = try TLSOptions(maximumVersion: .v12, ciphers: [name])
                let operation = await get(server.url(), try trusting(tls))
                #expect(operation.responseString?.contains("Cipher is \(name)\n") == true)
                #expect(operation.summary.tlsInformation?.cipher == name)
            }
        }

        @Test(arguments: ["TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256"])
        func chosenCipherSuiteIsUsed(name: String) async throws {
            try await OpenSSLServer.serving(.localhost) { server in
                let operation = await get(server.url(), try trusting(TLSOptions(cipherSuites: [name])))
                #expect(operation.responseString?.contains("Cipher is \(name)\n") == true)
                #expect(operation.summary.tlsInformation?.cipher == name)
            }
        }

        @Test func connectionFailsWithoutACommonCipher() async throws {
            let arguments = ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-GCM-SHA384"]
            try await OpenSSLServer.serving(.localhost, arguments) { server in
                let tls = try TLSOptions(ciphers: ["ECDHE-ECDSA-AES128-GCM-SHA256"])
                let (narrow, wide) = (try trusting(tls), try trusting(.default))
                #expect(await get(server.url(), narrow).code == .secureConnectionFailed)
                #expect(await get(server.url(), wide).error == nil)
            }
        }
    }

    /// The TLS information about a connection.
    @Suite struct TLSInformationTests {
        @Test func expiryMatchesTheCertificate() async throws {
            let server = try await TestServer.start(tls: .localhost) { _ in .response() }
            let operation = await get(server.url(), try .trustingTestAuthority)
            await server.stop()
            // The test certificates expire at the end of 2047.
            #expect(operation.summary.tlsInformation?.certificateExpiry == Date(timeIntervalSince1970: 2_461_449_600))
            #expect(operation.summary.tlsInformation?.applicationProtocol == "http/1.1")
        }

        @Test func reusedConnectionReportsTheSameInformation() async throws {
            let server = try await TestServer.start(tls: .localhost) { _ in .response() }
            let options = try TransferOptions.trustingTestAuthority
            let (first, second) = (await get(server.url(), options), await get(server.url(), options))
            await server.stop()
            #expect(second.summary.isReused && !first.summary.isReused)
            #expect(second.summary.tlsInformation == first.summary.tlsInformation)
            #expect(second.summary.tlsInformation != nil)
        }

        @Test func plainHTTPHasNoTLSInformation() async throws {
            try await TestServer.answering(.response()) { server in
                #expect(await get(server.url()).summary.tlsInformation == nil)
            }
        }

        @Test(.enabled(if: NginxServer.isAvailable), arguments: [HTTPProtocolVersion.http1, .negotiated])
        func informationMatchesWhatNginxReports(version: HTTPProtocolVersion) async throws {
            let root = try TemporaryFolder()
            defer { root.remove() }
            let server = try await NginxServer.start(documentRoot: root.url)
            for maximum in [TLSProtocolVersion.v12, .v13] {
                var options = try TransferOptions.trustingTestAuthority
                options.tls = try TLSOptions(maximumVersion: maximum)
                options.httpVersion = version
                let operation = await get(server.tlsURL("/tls"), options)
                let lines = (operation.responseString ?? "").components(separatedBy: "\n")
                let information = try #require(operation.summary.tlsInformation)
                #expect(lines.count > 2 && lines[0] == (maximum == .v12 ? "TLSv1.2" : "TLSv1.3"))
                #expect(information.version == maximum)
                #expect(information.cipher == lines[1])
                #expect(information.applicationProtocol == lines[2])
                #expect(lines[2] == (version == .http1 ? "http/1.1" : "h2"))
            }
            await server.stop()
        }
    }
}
