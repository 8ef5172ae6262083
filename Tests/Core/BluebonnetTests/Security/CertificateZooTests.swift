// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Certificates of all kinds with a trusted root: rows D6 and D7 of the reliability rules.
    @Suite struct CertificateZooTests {
        /// The result of a GET to `host` from a server with this certificate.
        private func outcome(_ certificate: TestCertificate, host: String = "127.0.0.1") async throws
            -> RequestOperation
        {
            let server = try await TestServer.start(tls: certificate) { _ in .response(body: "secret") }
            var options = try TransferOptions.trustingTestAuthority
            if host.hasSuffix(".test") { options.addressOverrides = [host: "127.0.0.1"] }
            let operation = await get(server.url(host: host), options)
            #expect(server.requests.count == (operation.error == nil ? 1 : 0))
            await server.stop()
            return operation
        }

        @Test(arguments: [TestCertificate.localhost, .rsa, .constraintKept, .chained, .addressOnly])
        func goodCertificateIsAccepted(certificate: TestCertificate) async throws {
            #expect(try await outcome(certificate).responseString == "secret")
        }

        @Test(arguments: ["127.0.0.1", "localhost"])
        func nameConstraintsOfAnAuthorityAreEnforced(host: String) async throws {
            #expect(try await outcome(.constraintKept, host: host).error == nil)
            #expect(try await outcome(.constraintViolated, host: host).code == .serverNotTrusted)
        }

        @Test func addressIsNoName() async throws {
            #expect(try await outcome(.addressAsName).code == .serverNotTrusted)
            #expect(try await outcome(.addressOnly, host: "localhost").code == .serverNotTrusted)
        }

        @Test(arguments: ["a.example.test", "A.EXAMPLE.TEST", "xn--bcher-kva.example.test"])
        func wildcardMatchesOneLabel(host: String) async throws {
            #expect(try await outcome(.wildcard, host: host.lowercased()).error == nil)
        }

        @Test(arguments: ["example.test", "a.b.example.test", "aexample.test"])
        func wildcardMatchesNothingElse(host: String) async throws {
            #expect(try await outcome(.wildcard, host: host).code == .serverNotTrusted)
        }

        @Test(arguments: ["a.example.test", "ab.example.test"])
        func partialLabelWildcardMatchesNothing(host: String) async throws {
            #expect(try await outcome(.partialWildcard, host: host).code == .serverNotTrusted)
        }

        @Test func oneMegabyteChainIsRefused() async throws {
            #expect(try TestCertificate.longChain.chainByteCount > 1_048_576)
            #expect(try await outcome(.longChain).code == .secureConnectionFailed)
        }
    }
}
