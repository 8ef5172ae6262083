// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Messages that a server starts after the handshake: the rest of row D7 of the reliability rules.
    @Suite(.enabled(if: OpenSSLServer.isAvailable)) struct RenegotiationTests {
        private func start(_ url: URL, _ identity: ClientIdentity? = nil) throws -> RequestOperation {
            var options = try TransferOptions.trustingTestAuthority
            options.tls.clientIdentity = identity
            options.timeouts.idle = .seconds(20)
            let operation = RequestOperation(request: URLRequest(url: url), options: options)
            operation.start()
            return operation
        }

        private func helloCount(_ server: OpenSSLServer) -> Int {
            server.log.components(separatedBy: "ClientHello").count - 1
        }

        /// No code would judge a certificate that a server shows in a second handshake, so there is no second
        /// handshake.
        @Test(arguments: ["r", "R"]) func secondHandshakeDoesNotBegin(command: String) async throws {
            let client = TestCertificate.client
            let identity = try ClientIdentity.files(certificate: client.leafPath, key: client.keyPath)
            let server = try await OpenSSLServer.start(typing: .localhost, ["-tls1_2", "-msg"])
            let operation = try start(server.url("/asked"), identity)
            await eventually(server.log) { $0.contains("GET /asked") }
            server.type(command + "\n")  // "R" also asks for a client certificate
            try await operation.waitUntilEnded()
            #expect(operation.code == .connectionLost, "\(operation.error?.message ?? "no error")")
            #expect(operation.statusCode == nil)
            // The server asked for a handshake. The client refused, and sent only one ClientHello.
            #expect(server.log.contains("HelloRequest"))
            #expect(server.log.contains("no_renegotiation"))
            #expect(helloCount(server) == 1)
            await server.stop()
        }

        /// New keys for the same connection are not a new handshake (RFC 8446, 4.6.3).
        @Test func keyUpdateIsAccepted() async throws {
            let server = try await OpenSSLServer.start(typing: .localhost, ["-tls1_3", "-msg"])
            let operation = try start(server.url("/asked"))
            await eventually(server.log) { $0.contains("GET /asked") }
            server.type("K\n")
            await eventually(server.log) { $0.contains("KeyUpdate") }
            server.type("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nnew")
            try await operation.waitUntilEnded()
            #expect(operation.responseString == "new", "\(operation.error?.message ?? "")")
            #expect(helloCount(server) == 1)
            await server.stop()
        }
    }
}
