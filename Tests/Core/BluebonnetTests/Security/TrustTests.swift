// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct TrustTests {
        private func options(_ policy: SecurityPolicy) -> TransferOptions {
            TransferOptions { $0.securityPolicy = policy }
        }

        private func trusting(_ certificate: TestCertificate) throws -> TransferOptions {
            options(try SecurityPolicy(authorities: .file(certificate.caPath)))
        }

        /// The result of a GET to a server with this certificate.
        private func outcome(
            _ certificate: TestCertificate, host: String = "127.0.0.1", _ options: TransferOptions
        ) async throws -> RequestOperation {
            let server = try await TestServer.start(tls: certificate) { _ in .response(body: "secret") }
            let operation = await get(server.url(host: host), options)
            #expect(server.requests.count == (operation.error == nil ? 1 : 0))
            await server.stop()
            return operation
        }

        @Test(arguments: [TestCertificate.localhost, .otherKey, .chained], ["127.0.0.1", "localhost"])
        func customAuthorityIsTrustedForItsCertificates(certificate: TestCertificate, host: String) async throws {
            let operation = try await outcome(certificate, host: host, trusting(certificate))
            #expect(operation.responseString == "secret")
        }

        @Test(arguments: [TestCertificate.localhost, .chained, .selfSigned, .untrusted])
        func systemStoreDoesNotTrustTheTestAuthority(certificate: TestCertificate) async throws {
            #expect(try await outcome(certificate, TransferOptions()).code == .serverNotTrusted)
        }

        @Test(arguments: [TestCertificate.expired, .future, .selfSigned, .untrusted, .incomplete, .wrongHost])
        func badCertificateIsRefusedDespiteTheAuthority(certificate: TestCertificate) async throws {
            let operation = try await outcome(certificate, try .trustingTestAuthority)
            #expect(operation.code == .serverNotTrusted)
            #expect(operation.statusCode == nil)
        }

        @Test(arguments: ["127.0.0.1", "localhost"])
        func commonNameDoesNotNameTheHost(host: String) async throws {
            let operation = try await outcome(.commonNameOnly, host: host, try .trustingTestAuthority)
            #expect(operation.code == .serverNotTrusted)
        }

        @Test func wrongHostIsAcceptedOnlyWithoutHostValidation() async throws {
            let policy = try SecurityPolicy(
                validatesDomainName: false, authorities: .file(TestCertificate.localhost.caPath))
            #expect(try await outcome(.wrongHost, options(policy)).error == nil)
            #expect(try await outcome(.selfSigned, options(policy)).code == .serverNotTrusted)
        }

        @Test(arguments: [TestCertificate.expired, .future, .selfSigned, .untrusted, .incomplete, .wrongHost])
        func invalidCertificateIsAcceptedIfAllowed(certificate: TestCertificate) async throws {
            let policy = try SecurityPolicy(allowInvalidCertificates: true, validatesDomainName: false)
            #expect(try await outcome(certificate, options(policy)).responseString == "secret")
        }

        @Test func nameIsCheckedAgainstTheURLNotTheHostHeader() async throws {
            let server = try await TestServer.start(tls: .wrongHost) { _ in .response() }
            let request = URLRequest("GET", server.url(), headers: ["Host": "wrong.example"])
            let operation = await perform(request, try .trustingTestAuthority)
            #expect(operation.code == .serverNotTrusted)
            await server.stop()
        }

        @Test func missingAuthorityFileIsAnInvalidPolicy() async throws {
            let policy = try SecurityPolicy(authorities: .file("/nowhere/authority.pem"))
            #expect(try await outcome(.localhost, options(policy)).code == .invalidSecurityPolicy)
        }

        @Test(arguments: ["", "no certificate\n", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
        func authorityFileWithoutACertificateIsAnInvalidPolicy(contents: String) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let policy = try SecurityPolicy(authorities: .file(folder.write("authority.pem", contents)))
            #expect(try await outcome(.localhost, options(policy)).code == .invalidSecurityPolicy)
        }

        @Test(arguments: [TestServer.TLSVersion.v10, .v11])
        func olderVersionsOfTLSAreRefused(version: TestServer.TLSVersion) async throws {
            var serverOptions = TestServer.Options()
            (serverOptions.certificate, serverOptions.tlsVersion) = (.localhost, version)
            try await TestServer.answering(.response(), serverOptions) { server in
                let operation = await get(server.url(), try .trustingTestAuthority)
                #expect(operation.code == .secureConnectionFailed)
                #expect(server.requests.isEmpty)
            }
        }

        @Test func plainHTTPServerIsNotASecureServer() async throws {
            var serverOptions = TestServer.Options()
            serverOptions.greeting = .raw("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            try await TestServer.answering(.response(), serverOptions) { server in
                let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
                let operation = await get(url, try .trustingTestAuthority)
                #expect(operation.code == .secureConnectionFailed)
            }
        }
    }

    /// A connection that one policy approved is not used for another policy.
    @Suite struct TrustPartitionTests {
        private let anyone: TransferOptions
        private let testAuthority: TransferOptions

        init() throws {
            anyone = try TransferOptions {
                $0.securityPolicy = try SecurityPolicy(allowInvalidCertificates: true, validatesDomainName: false)
            }
            testAuthority = try .trustingTestAuthority
        }

        private func withServer(_ body: (URL, TestServer) async throws -> Void) async throws {
            let server = try await TestServer.start(tls: .localhost) { _ in .response(body: "secret") }
            try await body(server.url(), server)
            await server.stop()
        }

        @Test func strictPolicyDoesNotReuseALenientConnection() async throws {
            try await withServer { url, server in
                #expect(await get(url, anyone).error == nil)
                #expect(server.openConnectionCount == 1)
                for _ in 0..<3 { #expect(await get(url).code == .serverNotTrusted) }
                #expect(server.requests.count == 1)
                #expect(server.connectionCount == 4)
            }
        }

        @Test func policiesReuseTheirOwnConnections() async throws {
            try await withServer { url, server in
                for _ in 0..<2 {
                    #expect(await get(url, anyone).error == nil)
                    #expect(await get(url, testAuthority).error == nil)
                }
                #expect(server.requests.map(\.connection) == [1, 2, 1, 2])
            }
        }

        @Test func redirectTargetIsJudgedByThePolicy() async throws {
            let bad = try await TestServer.start(tls: .untrusted) { _ in .response(body: "secret") }
            let location = bad.url().absoluteString
            let good = try await TestServer.start(tls: .localhost) { _ in .redirect(to: location) }
            #expect(await get(bad.url(), anyone).error == nil)
            #expect(await get(good.url(), testAuthority).code == .serverNotTrusted)
            #expect(bad.requests.count == 1)
            await good.stop()
            await bad.stop()
        }
    }
}
