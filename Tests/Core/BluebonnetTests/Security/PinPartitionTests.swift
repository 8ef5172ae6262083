// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

/// Policies for the test servers.
struct PinnedOptions {
    /// Trusts the test authority and pins nothing.
    static var unpinned: TransferOptions { get throws { try .trustingTestAuthority } }

    static func pinning(_ certificate: TestCertificate, _ mode: PinningMode = .publicKey) throws -> TransferOptions {
        try TransferOptions {
            $0.securityPolicy = try SecurityPolicy(
                pinningMode: mode, pins: PinSet(certificateData: certificate.der),
                authorities: .file(TestCertificate.localhost.caPath))
        }
    }
}

extension NetworkTests {
    /// A connection or TLS session that one policy approved is not used for another policy.
    @Suite struct PinPartitionTests {
        @Test func pinIsCheckedDespiteAnOpenConnection() async throws {
            let server = try await TestServer.start(tls: .localhost) { _ in .response() }
            #expect(try await get(server.url(), PinnedOptions.unpinned).error == nil)
            #expect(server.openConnectionCount == 1)
            for mode in [PinningMode.publicKey, .certificate] {
                #expect(try await get(server.url(), PinnedOptions.pinning(.otherKey, mode)).code == .pinMismatch)
                #expect(try await get(server.url(), PinnedOptions.pinning(.localhost, mode)).error == nil)
            }
            #expect(try await get(server.url(), PinnedOptions.unpinned).error == nil)
            #expect(server.requests.map(\.connection) == [1, 3, 5, 1])
            await server.stop()
        }

        @Test func equalPoliciesShareTheirConnections() async throws {
            let server = try await TestServer.start(tls: .localhost) { _ in .response() }
            for _ in 0..<3 { #expect(try await get(server.url(), PinnedOptions.pinning(.localhost)).error == nil) }
            #expect(server.connectionCount == 1)
            await server.stop()
        }

        @Test func changedPolicyAppliesToTheNextOperation() async throws {
            let server = try await TestServer.start(tls: .localhost) { _ in .response() }
            let manager = RequestOperationManager(baseURL: server.url())
            manager.transferOptions = try PinnedOptions.pinning(.localhost)
            manager.responseSerializer = HTTPResponseSerializer()
            func code() async throws -> NetworkingError.Code? {
                let operation = manager.operation(with: URLRequest(url: server.url()))
                return await operation.run().code
            }
            #expect(try await code() == nil)
            manager.securityPolicy = try PinnedOptions.pinning(.otherKey).securityPolicy
            #expect(server.openConnectionCount == 1)
            #expect(try await code() == .pinMismatch)
            manager.securityPolicy = try PinnedOptions.pinning(.localhost).securityPolicy
            #expect(try await code() == nil)
            #expect(server.requests.map(\.connection) == [1, 1])
            await server.stop()
        }

        @Test func redirectToAPinnedHostChecksItsPin() async throws {
            let pinned = try await TestServer.start(tls: .otherKey) { _ in .response(body: "pinned") }
            let location = pinned.url(host: "localhost").absoluteString
            let first = try await TestServer.start(tls: .localhost) { _ in .redirect(to: location) }
            func run(_ pin: TestCertificate) async throws -> RequestOperation {
                var options = try PinnedOptions.unpinned
                options.securityPolicy.hosts = try SecurityPolicyTable(
                    ["localhost": PinnedOptions.pinning(pin).securityPolicy])
                return await get(first.url(), options)
            }
            #expect(try await run(.otherKey).responseString == "pinned")
            let refused = try await run(.localhost)
            #expect(refused.code == .pinMismatch)
            #expect(refused.error?.message.contains("localhost") == true)
            #expect(pinned.requests.count == 1)
            #expect(first.connectionCount == 1)  // the first hop has the same identity both times
            await first.stop()
            await pinned.stop()
        }

        @Test func redirectFromAPinnedHostUsesTheTargetsPolicy() async throws {
            let evil = try await TestServer.start(tls: .untrusted) { _ in .response(body: "evil") }
            let location = evil.url(host: "localhost").absoluteString
            let first = try await TestServer.start(tls: .localhost) { _ in .redirect(to: location) }
            let pinned = try PinnedOptions.pinning(.localhost)
            // One policy for all hops: the second host does not match the pin of the first.
            #expect(await get(first.url(), pinned).code == .serverNotTrusted)
            for others in [SecurityPolicy.trustingNobody, .default] {
                var policy = others
                policy.hosts = try SecurityPolicyTable(["127.0.0.1": pinned.securityPolicy])
                let operation = await get(first.url(), TransferOptions { $0.securityPolicy = policy })
                #expect(operation.code == .serverNotTrusted)
            }
            #expect(evil.requests.isEmpty)
            #expect(evil.connectionCount == 2)  // a refused host is not even connected to
            await first.stop()
            await evil.stop()
        }

        @Test func hostRefusedByTheTableIsNeverConnectedTo() async throws {
            let server = try await TestServer.start(tls: .localhost) { _ in .response() }
            let plain = try await TestServer.start { _ in .response() }
            var options = TransferOptions { $0.securityPolicy = .trustingNobody }
            options.securityPolicy.hosts = try SecurityPolicyTable(["api.example.com": .default])
            for url in [server.url(), plain.url()] { #expect(await get(url, options).code == .serverNotTrusted) }
            #expect(server.connectionCount == 0 && plain.connectionCount == 0)
            await server.stop()
            await plain.stop()
        }
    }

    /// Pins with nginx, which resumes sessions and speaks HTTP/2.
    @Suite(.enabled(if: NginxServer.isAvailable)) struct NginxPinTests {
        private func serving(_ body: (NginxServer) async throws -> Void) async throws {
            let root = try TemporaryFolder()
            defer { root.remove() }
            let server = try await NginxServer.start(documentRoot: root.url)
            do {
                try await body(server)
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }

        @Test func pinnedPolicyResumesNoSession() async throws {
            try await serving { server in
                let url = server.tlsURL("/session")
                func options(_ base: TransferOptions) -> TransferOptions {
                    var options = base
                    options.httpVersion = .http1
                    return options
                }
                let closing = URLRequest("GET", url, headers: ["Connection": "close"])
                func words(_ base: TransferOptions) async -> String {
                    var words = ""
                    for _ in 0..<3 { words += await perform(closing, options(base)).responseString ?? "!" }
                    return words
                }
                let (unpinned, pinned) = try (PinnedOptions.unpinned, PinnedOptions.pinning(.localhost))
                let byCertificate = try PinnedOptions.pinning(.localhost, .certificate)
                let anyName = try TransferOptions {
                    $0.securityPolicy = try SecurityPolicy(
                        validatesDomainName: false, authorities: .file(TestCertificate.localhost.caPath))
                }
                let mismatched = try PinnedOptions.pinning(.otherKey)
                // The first line shows that the server and libcurl resume sessions. Without that, the other lines
                // would prove nothing.
                #expect(await words(unpinned) == ".rr")
                #expect(await words(anyName) == ".rr")
                #expect(await words(pinned) == "...")
                #expect(await words(byCertificate) == "...")
                #expect(await words(mismatched) == "!!!")
                #expect(await words(unpinned) == "rrr")
            }
        }

        @Test func http2ConnectionIsNotSharedAcrossPoliciesOrHosts() async throws {
            try await serving { server in
                let byName = server.tlsURL("/tiny").absoluteString.replacingOccurrences(
                    of: "127.0.0.1", with: "localhost")
                let named = try #require(URL(string: byName))
                for (url, options, isReused) in [
                    (server.tlsURL("/tiny"), try PinnedOptions.unpinned, false),
                    (server.tlsURL("/tiny"), try PinnedOptions.unpinned, true),
                    (named, try PinnedOptions.unpinned, false),
                    (server.tlsURL("/tiny"), try PinnedOptions.pinning(.localhost), false),
                    (named, try PinnedOptions.pinning(.localhost), false),
                    (server.tlsURL("/tiny"), try PinnedOptions.pinning(.localhost), true),
                ] {
                    let operation = await get(url, options)
                    #expect(operation.error == nil)
                    #expect(operation.httpVersion == "2")
                    #expect(operation.summary.isReused == isReused, "\(url)")
                }
                #expect(try await get(server.tlsURL("/tiny"), PinnedOptions.pinning(.otherKey)).code == .pinMismatch)
            }
        }
    }
}
