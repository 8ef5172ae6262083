// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Handshakes that stall: row D7 of the reliability rules.
    @Suite struct HandshakeStallTests {
        private static let established = Reply.raw("HTTP/1.1 200 Connection established\r\n\r\n")

        /// Limits the time to connect, and nothing else.
        private var options: TransferOptions {
            get throws {
                var options = try TransferOptions.trustingTestAuthority
                options.timeouts.connect = .milliseconds(400)
                options.timeouts.idle = .zero
                return options
            }
        }

        private func secure(_ version: TestServer.TLSVersion?) -> TestServer.Options {
            var options = TestServer.Options()
            options.certificate = .localhost
            options.tlsVersion = version
            return options
        }

        /// A relay to a server that stops forwarding at some byte.
        private func relay(to server: TestServer, _ stall: TunnelStall?) -> TestServer.Options {
            var options = TestServer.Options()
            options.greeting = Reply([.tunnel(toPort: server.port, stall: stall)])
            return options
        }

        private func url(_ relay: TestServer) throws -> URL {
            try #require(URL(string: "https://127.0.0.1:\(relay.port)/"))
        }

        @Test(
            arguments: [TestServer.TLSVersion.v12, .v13],
            [
                .afterByteCount(0), .afterByteCount(3), .insideRecord(type: 22), .beforeRecord(type: 20),
                .insideRecord(type: 20), .afterByteCount(400),
            ] as [TunnelStall])
        func stallAtAnyFlightHitsTheConnectTimeout(
            version: TestServer.TLSVersion, stall: TunnelStall
        ) async throws {
            try await TestServer.answering(.response(), secure(version)) { server in
                try await TestServer.answering(.stall, relay(to: server, stall)) { relay in
                    let operation = await get(try url(relay), try options)
                    #expect(operation.code == .timedOut)
                    #expect(server.requests.isEmpty)
                }
            }
        }

        /// Encrypted records belong to the handshake in TLS 1.3, and to the response in TLS 1.2.
        @Test(arguments: [TunnelStall.beforeRecord(type: 23), .insideRecord(type: 23)])
        func stallInTheEncryptedFlightHitsTheConnectTimeout(stall: TunnelStall) async throws {
            try await TestServer.answering(.response(), secure(.v13)) { server in
                try await TestServer.answering(.stall, relay(to: server, stall)) { relay in
                    let operation = await get(try url(relay), try options)
                    #expect(operation.code == .timedOut)
                    #expect(server.requests.isEmpty)
                }
            }
        }

        @Test(arguments: [TestServer.TLSVersion.v12, .v13])
        func handshakeWithoutAStallSucceedsThroughTheRelay(version: TestServer.TLSVersion) async throws {
            try await TestServer.answering(.response(body: "there"), secure(version)) { server in
                try await TestServer.answering(.stall, relay(to: server, nil)) { relay in
                    let operation = await get(try url(relay), try options)
                    #expect(operation.responseString == "there")
                }
            }
        }

        @Test func silentProxyHitsTheConnectTimeout() async throws {
            try await TestServer.answering(.stall) { proxy in
                let options = try options.through("http://127.0.0.1:\(proxy.port)")
                let url = try #require(URL(string: "https://origin.example/"))
                #expect(await get(url, options).code == .timedOut)
                #expect(proxy.requests.map(\.method) == ["CONNECT"])
            }
        }

        @Test(arguments: [TunnelStall.afterByteCount(0), .insideRecord(type: 22), .beforeRecord(type: 23)])
        func stallBehindAProxyHitsTheConnectTimeout(stall: TunnelStall) async throws {
            try await TestServer.answering(.response(), secure(.v13)) { server in
                let reply = Self.established.then(.tunnel(toPort: server.port, stall: stall))
                try await TestServer.answering(reply) { proxy in
                    let options = try options.through("http://127.0.0.1:\(proxy.port)")
                    #expect(await get(server.url(), options).code == .timedOut)
                    #expect(server.requests.isEmpty)
                }
            }
        }

        @Test(arguments: [TunnelStall.afterByteCount(0), .insideRecord(type: 22), .beforeRecord(type: 23)])
        func stallInAnHTTPSProxyHandshakeHitsTheConnectTimeout(stall: TunnelStall) async throws {
            try await TestServer.answering(.response(), secure(.v13)) { proxy in
                try await TestServer.answering(.stall, relay(to: proxy, stall)) { relay in
                    for target in ["https://origin.example/", "http://origin.example/"] {
                        let operation = await get(try #require(URL(string: target)), try throughHTTPS(relay))
                        #expect(operation.code == .timedOut)
                    }
                    #expect(proxy.requests.isEmpty)
                }
            }
        }

        @Test func silentHTTPSProxyHitsTheConnectTimeout() async throws {
            try await TestServer.answering(.stall, secure(.v13)) { proxy in
                let url = try #require(URL(string: "https://origin.example/"))
                let operation = await get(url, try throughHTTPS(proxy))
                #expect(operation.code == .timedOut)
                #expect(proxy.requests.map(\.method) == ["CONNECT"])
            }
        }

        private func throughHTTPS(_ proxy: TestServer) throws -> TransferOptions {
            var options = try options.through("https://127.0.0.1:\(proxy.port)")
            options.proxy?.securityPolicy = options.securityPolicy
            return options
        }
    }
}
