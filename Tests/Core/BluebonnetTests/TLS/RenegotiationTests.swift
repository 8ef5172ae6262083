// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// What a server begins on a connection whose handshake is over: the rest of row D7 of the reliability rules.
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

        /// A certificate that a server shows later would be one that nobody has judged: there is no later.
        @Test(arguments: ["r", "R"]) func aSecondHandshakeDoesNotBegin(command: String) async throws {
            let client = TestCertificate.client
            let identity = try ClientIdentity.files(certificate: client.leafPath, key: client.keyPath)
            let server = try await OpenSSLServer.start(typing: .localhost, ["-tls1_2", "-msg"])
            let operation = try start(server.url("/asked"), identity)
            await eventually(server.log) { $0.contains("GET /asked") }
            server.type(command + "\n")  // "R" asks for a client's certificate, too
            try await operation.waitUntilEnded()
            #expect(operation.code == .connectionLost, "\(operation.error?.message ?? "no error")")
            #expect(operation.statusCode == nil)
            // The server asked; the client said no, and said hello once.
            #expect(server.log.contains("HelloRequest"))
            #expect(server.log.contains("no_renegotiation"))
            #expect(helloCount(server) == 1)
            await server.stop()
        }

        /// New keys for the same connection are no new handshake (RFC 8446, 4.6.3).
        @Test func newKeysAreTaken() async throws {
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
