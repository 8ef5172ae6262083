// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Proof that a certificate was not revoked, stapled to the handshake.
    @Suite(.enabled(if: OpenSSLServer.isAvailable)) struct StapledStatusTests {
        private func options(_ change: (inout TransferOptions) throws -> Void = { _ in }) throws -> TransferOptions {
            var options = try TransferOptions.trustingTestAuthority
            options.tls.requiresStapledStatus = true
            try change(&options)
            return options
        }

        /// Runs a GET while the server staples the answer from a file.
        private func outcome(
            _ certificate: TestCertificate, answer: String?, version: String, _ options: TransferOptions
        ) async throws -> RequestOperation {
            let arguments = [version] + (answer.map { ["-status_file", $0] } ?? [])
            return try await OpenSSLServer.serving(certificate, arguments) { await get($0.url(), options) }
        }

        @Test(arguments: ["-tls1_2", "-tls1_3"], [TestCertificate.revoked, .chained, .rsa])
        func statusOfTheAuthorityDecides(version: String, certificate: TestCertificate) async throws {
            for status in TestCertificate.RevocationStatus.allCases {
                let answer = try certificate.ocspAnswer(status)
                let operation = try await outcome(certificate, answer: answer, version: version, options())
                #expect(operation.code == (status == .good ? nil : .serverNotTrusted), "\(status)")
                if status == .revoked { #expect(operation.error?.message.contains("was revoked") == true) }
                if status == .unknown { #expect(operation.error?.message.contains("does not know") == true) }
            }
        }

        @Test(arguments: ["-tls1_2", "-tls1_3"])
        func connectionWithoutAStapledAnswerIsRefused(version: String) async throws {
            let operation = try await outcome(.localhost, answer: nil, version: version, options())
            #expect(operation.code == .serverNotTrusted)
            #expect(operation.error?.message.contains("stapled no OCSP response") == true)
        }

        @Test(arguments: ["-tls1_2", "-tls1_3"])
        func answerAboutAnotherCertificateIsNoProof(version: String) async throws {
            let answer = try TestCertificate.otherKey.ocspAnswer(.good)
            let operation = try await outcome(.localhost, answer: answer, version: version, options())
            #expect(operation.error?.message.contains("another certificate") == true)
        }

        @Test(arguments: ["-tls1_2", "-tls1_3"])
        func outdatedAnswerIsNoProof(version: String) async throws {
            let answer = try TestCertificate.chained.outdatedOCSPAnswer()
            let operation = try await outcome(.chained, answer: answer, version: version, options())
            #expect(operation.code == .serverNotTrusted)
            #expect(operation.error?.message.contains("out of date") == true, "\(operation.error?.message ?? "")")
        }

        @Test func answerSignedByAStrangerIsNoProof() async throws {
            let answer = try TestCertificate.untrusted.ocspAnswer(.good)
            let operation = try await outcome(.localhost, answer: answer, version: "-tls1_3", options())
            #expect(operation.error?.message.contains("not signed by") == true)
        }

        @Test func unrequestedAnswerIsIgnored() async throws {
            let options = try options { $0.tls.requiresStapledStatus = false }
            let answer = try TestCertificate.revoked.ocspAnswer(.revoked)
            #expect(try await outcome(.revoked, answer: answer, version: "-tls1_3", options).error == nil)
        }

        @Test func answerDoesNotProveAnUntrustedCertificate() async throws {
            let answer = try TestCertificate.untrusted.ocspAnswer(.good)
            let operation = try await outcome(.untrusted, answer: answer, version: "-tls1_3", options())
            #expect(operation.code == .serverNotTrusted)
        }

        @Test(.enabled(if: NginxServer.isAvailable), arguments: [TLSProtocolVersion.v12, .v13])
        func everyNewConnectionBringsItsProof(version: TLSProtocolVersion) async throws {
            let root = try TemporaryFolder()
            defer { root.remove() }
            let server = try await NginxServer.start(documentRoot: root.url)
            let options = try options {
                $0.tls = try TLSOptions(maximumVersion: version)
                $0.tls.requiresStapledStatus = true
            }
            // A resumed session would bring no proof.
            for _ in 0..<3 {
                #expect(await get(server.clientTLSURL("/tls"), options).error == nil)
                await closeIdleConnections()
            }
            // The other port staples nothing.
            #expect(await get(server.tlsURL("/tls"), options).code == .serverNotTrusted)
            await server.stop()
        }
    }
}
