// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Glibc
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// The authorities that a policy trusts: from files, folders, memory and the system.
    @Suite struct AuthoritiesTests {
        private func options(_ authorities: TrustedAuthorities) -> TransferOptions {
            TransferOptions { $0.securityPolicy.authorities = authorities }
        }

        private func serving(_ body: (TestServer) async throws -> Void) async throws {
            var options = TestServer.Options()
            options.certificate = .chained
            try await TestServer.answering(.response(body: "trusted"), options, body)
        }

        @Test func authoritiesCanComeFromAnySource() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let root = TestCertificate.Authority.root.certificate
            let pem = try Data(contentsOf: URL(fileURLWithPath: root.leafPath))
            try folder.write("root.crt", pem)
            let sources: [TrustedAuthorities] = try [
                .file(root.leafPath), .directory(folder.url.path), .data(pem), .data(root.der),
            ]
            try await serving { server in
                for source in sources {
                    #expect(await get(server.url(), options(source)).responseString == "trusted", "\(source)")
                }
                #expect(await get(server.url(), options(.system)).code == .serverNotTrusted)
                let otherAuthority = options(.file(try TestCertificate.untrusted.caPath))
                #expect(await get(server.url(), otherAuthority).code == .serverNotTrusted)
            }
        }

        @Test func sourceWithoutAnAuthorityFailsBeforeConnecting() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
            let sources: [TrustedAuthorities] = [
                .file("/nowhere.pem"), .directory("/nowhere"), .directory(folder.url.path), .data(Data()),
                .data(Data(broken.utf8)), .file(try folder.write("empty.pem", "")),
            ]
            try await serving { server in
                for source in sources {
                    #expect(await get(server.url(), options(source)).code == .invalidSecurityPolicy, "\(source)")
                }
                #expect(server.connectionCount == 0)
            }
        }

        @Test func missingAuthoritiesDoNotAffectPlainHTTP() async throws {
            try await TestServer.answering(.response(body: "plain")) { server in
                let operation = await get(server.url(), options(.file("/nowhere.pem")))
                #expect(operation.responseString == "plain")
            }
        }

        @Test func redirectToTLSNeedsTheAuthorities() async throws {
            try await serving { secure in
                let location = secure.url().absoluteString
                try await TestServer.answering(.redirect(to: location)) { plain in
                    let trusting = options(.file(try TestCertificate.chained.caPath))
                    #expect(await get(plain.url(), trusting).responseString == "trusted")
                    let missing = options(.file("/nowhere.pem"))
                    #expect(await get(plain.url(), missing).code == .invalidSecurityPolicy)
                    #expect(secure.requests.count == 1)
                }
            }
        }

        @Test func environmentVariablesAddNoAuthorities() async throws {
            let path = try TestCertificate.chained.caPath
            for name in ["SSL_CERT_FILE", "CURL_CA_BUNDLE"] { setenv(name, path, 1) }
            defer { for name in ["SSL_CERT_FILE", "CURL_CA_BUNDLE"] { unsetenv(name) } }
            try await serving { server in
                #expect(await get(server.url()).code == .serverNotTrusted)
            }
        }
    }

    /// The file of `TLSOptions.keyLogFile`, which contains the secrets of connections.
    @Suite struct KeyLogTests {
        private func serving(
            _ version: TestServer.TLSVersion, _ body: (TestServer) async throws -> Void
        ) async throws {
            var options = TestServer.Options()
            (options.certificate, options.tlsVersion) = (.localhost, version)
            try await TestServer.answering(.response(), options, body)
        }

        @Test(arguments: [
            (TestServer.TLSVersion.v12, "CLIENT_RANDOM"), (.v13, "CLIENT_HANDSHAKE_TRAFFIC_SECRET"),
        ])
        func secretsAreAppendedInTheKeyLogFormat(version: TestServer.TLSVersion, label: String) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let path = try folder.write("keys", "# mine\n")
            var options = try TransferOptions.trustingTestAuthority
            options.tls.keyLogFile = path
            try await serving(version) { server in
                #expect(await get(server.url(), options).error == nil)
            }
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            #expect(lines.first == "# mine")
            // A label, the client's random of 32 bytes, and a secret of 48 or 32 bytes, in hexadecimal digits.
            let words = try #require(lines.first { $0.hasPrefix(label) }).split(separator: " ")
            #expect(words.count == 3)
            #expect(words[1].count == 64 && [64, 96].contains(words[2].count))
            #expect(words[1...].allSatisfy { $0.allSatisfy(\.isHexDigit) })
        }

        @Test func newFileIsAccessibleToItsOwnerOnly() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            var options = try TransferOptions.trustingTestAuthority
            options.tls.keyLogFile = folder.path("keys")
            try await serving(.v13) { server in
                #expect(await get(server.url(), options).error == nil)
            }
            let mode = try FileManager.default.attributesOfItem(atPath: folder.path("keys"))[.posixPermissions] as? Int
            #expect(mode.map { $0 & 0o077 } == 0)
        }

        @Test func unusableFileFailsBeforeConnecting() async throws {
            var options = try TransferOptions.trustingTestAuthority
            options.tls.keyLogFile = "/nowhere/keys"
            try await serving(.v13) { server in
                #expect(await get(server.url(), options).code == .cannotOpenFile)
                #expect(server.connectionCount == 0)
            }
        }
    }
}
