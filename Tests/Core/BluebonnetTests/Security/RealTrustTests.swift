// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// A real man in the middle whose authority is trusted: only a pin keeps it out.
    @Suite(.enabled(if: MitmproxyServer.isAvailable)) struct MitmproxyTests {
        private func withProxy(_ body: (MitmproxyServer, TestServer) async throws -> Void) async throws {
            let origin = try await TestServer.start(tls: .localhost) { _ in .response(body: "origin") }
            let proxy = try await MitmproxyServer.start()
            do {
                try await body(proxy, origin)
            } catch {
                await proxy.stop()
                throw error
            }
            await proxy.stop()
            await origin.stop()
        }

        private func options(_ proxy: MitmproxyServer, _ policy: SecurityPolicy) throws -> TransferOptions {
            try TransferOptions { $0.securityPolicy = policy }.through("http://127.0.0.1:\(proxy.port)")
        }

        @Test func pinningRefusesTrustedInterceptor() async throws {
            try await withProxy { proxy, origin in
                let trusting = try SecurityPolicy(authorities: .file(proxy.caPath))
                #expect(try await get(origin.url("/read"), options(proxy, trusting)).responseString == "origin")
                #expect(proxy.log.contains("/read"))
                for mode in [PinningMode.publicKey, .certificate] {
                    for pinned in [TestCertificate.localhost, .root] {
                        for invalid in [false, true] {
                            let policy = try SecurityPolicy(
                                pinningMode: mode, pins: PinSet(certificateData: pinned.der),
                                allowInvalidCertificates: invalid, authorities: .file(proxy.caPath))
                            let operation = await get(origin.url("/pinned"), try options(proxy, policy))
                            #expect(operation.code == .pinMismatch, "\(mode), \(pinned), \(invalid)")
                        }
                    }
                }
                #expect(!proxy.log.contains("/pinned"))
                #expect(origin.requests.map(\.path) == ["/read"])
            }
        }

        @Test func interceptingProxyIsNotTrustedWithoutItsAuthority() async throws {
            try await withProxy { proxy, origin in
                let options = try options(proxy, PinnedOptions.unpinned.securityPolicy)
                #expect(await get(origin.url("/read"), options).code == .serverNotTrusted)
                #expect(origin.requests.isEmpty)
            }
        }
    }

    /// OpenSSL's own server.
    @Suite struct OpenSSLServerTests {
        @Test(arguments: ["-tls1_2", "-tls1_3"], [TestCertificate.chained, .incomplete])
        func pinsAreCheckedInBothTLSVersions(version: String, certificate: TestCertificate) async throws {
            let server = try await OpenSSLServer.start(certificate, [version])
            for mode in [PinningMode.publicKey, .certificate] {
                let own = await get(server.url(), try PinnedOptions.pinning(certificate, mode))
                #expect((own.error == nil) == (certificate == .chained), "\(own.error?.message ?? "")")
                let root = await get(server.url(), try PinnedOptions.pinning(.root, mode))
                #expect((root.error == nil) == (certificate == .chained))
                let other = await get(server.url(), try PinnedOptions.pinning(.otherKey, mode))
                #expect(other.code == (certificate == .chained ? .pinMismatch : .serverNotTrusted))
            }
            await server.stop()
        }
    }
}
