// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Servers that ask for a client certificate.
    @Suite struct ClientCertificateTests {
        private func options(_ identity: ClientIdentity?) throws -> TransferOptions {
            var options = try TransferOptions.trustingTestAuthority
            options.tls.clientIdentity = identity
            return options
        }

        private func identity(_ certificate: TestCertificate) throws -> ClientIdentity {
            .files(certificate: try certificate.certificatePath, key: try certificate.keyPath)
        }

        private func serverOptions(_ version: TestServer.TLSVersion) -> TestServer.Options {
            var options = TestServer.Options()
            options.certificate = .localhost
            options.requiresClientCertificate = true
            options.tlsVersion = version
            return options
        }

        @Test(arguments: [TestServer.TLSVersion.v12, .v13])
        func serverReceivesTheCertificateFromEveryForm(version: TestServer.TLSVersion) async throws {
            let client = TestCertificate.client
            let forms: [ClientIdentity] = try [
                identity(client), .data(certificate: client.der, key: client.keyDER),
                .files(certificate: client.leafPath, key: client.encryptedKeyPath(password: "p"), password: "p"),
                .pkcs12(file: client.pkcs12Path(password: "p"), password: "p"), identity(.chainedClient),
            ]
            try await TestServer.answering(.response(body: "known"), serverOptions(version)) { server in
                for form in forms {
                    let operation = await get(server.url(), try options(form))
                    #expect(operation.responseString == "known", "\(form)")
                }
            }
        }

        @Test(arguments: [TestServer.TLSVersion.v12, .v13])
        func untrustedCertificateIsRejected(version: TestServer.TLSVersion) async throws {
            try await TestServer.answering(.response(), serverOptions(version)) { server in
                let operation = await get(server.url(), try options(identity(.untrustedClient)))
                #expect(operation.code == .clientCertificateRejected, "\(operation.error?.message ?? "")")
                #expect(server.requests.isEmpty)
            }
        }

        @Test func missingCertificateIsReportedAsTheReason() async throws {
            try await TestServer.answering(.response(), serverOptions(.v13)) { server in
                let operation = await get(server.url(), try options(nil))
                #expect(operation.code == .clientCertificateRejected, "\(operation.error?.message ?? "")")
                #expect(operation.error?.urlErrorCode == .clientCertificateRejected)
                #expect(server.requests.isEmpty)
            }
            // TLS 1.2 has no alert for a missing certificate: the handshake fails without a reason.
            try await TestServer.answering(.response(), serverOptions(.v12)) { server in
                let operation = await get(server.url(), try options(nil))
                #expect(operation.code == .secureConnectionFailed)
                #expect(server.requests.isEmpty)
            }
        }

        @Test func unusableIdentityFailsBeforeConnecting() async throws {
            let client = TestCertificate.client
            let (leaf, key) = (try client.leafPath, try client.keyPath)
            let bad: [ClientIdentity] = try [
                .files(certificate: "/nowhere.pem", key: key), .files(certificate: leaf, key: "/nowhere.key"),
                .files(certificate: leaf, key: TestCertificate.localhost.keyPath),
                .files(certificate: leaf, key: client.encryptedKeyPath(password: "right")),
                .pkcs12(file: client.pkcs12Path(password: "right"), password: "wrong"),
            ]
            try await TestServer.answering(.response(), serverOptions(.v13)) { server in
                for identity in bad {
                    let operation = await get(server.url(), try options(identity))
                    #expect(operation.code == .invalidSecurityPolicy)
                }
                #expect(server.connectionCount == 0)
            }
        }

        @Test func sameOriginRedirectKeepsTheCertificate() async throws {
            try await TestServer.serving(serverOptions(.v13)) { request in
                request.path == "/" ? .redirect(to: "/next") : .response(body: "known")
            } _: { server in
                let operation = await get(server.url(), try options(identity(.client)))
                #expect(operation.responseString == "known")
            }
        }

        @Test func certificateIsNotSentToAnotherOrigin() async throws {
            try await TestServer.answering(.response(), serverOptions(.v13)) { other in
                let location = other.url().absoluteString
                try await TestServer.answering(.redirect(to: location), serverOptions(.v13)) { server in
                    let operation = await get(server.url(), try options(identity(.client)))
                    #expect(operation.code == .clientCertificateRejected)
                    #expect(server.requests.count == 1)
                    #expect(other.requests.isEmpty)
                    // The other server would have accepted the certificate.
                    let direct = await get(other.url(), try options(identity(.client)))
                    #expect(direct.error == nil)
                }
            }
        }

        @Test func certificateDoesNotReturnOnALaterHop() async throws {
            let between = try await TestServer.start { request in .redirect(to: String(request.path.dropFirst())) }
            try await TestServer.serving(serverOptions(.v13)) { request in
                let back = "https://127.0.0.1:\(request.headers["Host"]?.split(separator: ":").last ?? "")/back"
                return request.path == "/"
                    ? .redirect(to: between.url("/\(back)").absoluteString) : .response(body: "known")
            } _: { server in
                var options = try options(identity(.client))
                options.allowsInsecureRedirects = true
                let operation = await get(server.url(), options)
                #expect(between.requests.count == 1)
                #expect(operation.code == .clientCertificateRejected)
                #expect(server.requests.map(\.path) == ["/"])
            }
            await between.stop()
        }

        @Test(.enabled(if: NginxServer.isAvailable))
        func connectionIsNotReusedWithAnotherCertificate() async throws {
            let root = try TemporaryFolder()
            defer { root.remove() }
            let server = try await NginxServer.start(documentRoot: root.url)
            let clients: [(TestCertificate?, String)] = [
                (.client, "CN=test client"), (nil, ""), (.chainedClient, "CN=chained client"),
                (.client, "CN=test client"), (nil, ""),
            ]
            for (certificate, name) in clients {
                let operation = await get(server.clientTLSURL("/tls"), try options(certificate.map(identity)))
                let lines = (operation.responseString ?? "").components(separatedBy: "\n")
                #expect(lines.count > 4 && lines[3] == name)
                #expect(lines.last { !$0.isEmpty } == (certificate == nil ? "NONE" : "SUCCESS"))
            }
            await server.stop()
        }
    }
}
