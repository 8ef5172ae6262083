// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// HTTP/2 without a fallback.
    @Suite struct RequiredHTTP2Tests {
        private func options(_ version: HTTPProtocolVersion) throws -> TransferOptions {
            var options = try TransferOptions.trustingTestAuthority
            options.httpVersion = version
            return options
        }

        @Test func serverWithoutHTTP2IsNamedAndGetsNoRequest() async throws {
            let server = try await TestServer.start(tls: .localhost) { _ in .response(body: "never") }
            let error = try #require(await get(server.url(), try options(.http2PriorKnowledge)).error)
            #expect(error.code == .secureConnectionFailed)
            #expect(error.message == "127.0.0.1 does not support HTTP/2: TLS did not negotiate it, but http/1.1")
            #expect(server.requests.isEmpty)
            await server.stop()
        }

        @Test func cleartextServerWithoutHTTP2IsNamed() async throws {
            try await TestServer.answering(.close) { server in
                let options = TransferOptions { $0.httpVersion = .http2PriorKnowledge }
                let error = try #require(await get(server.url(), options).error)
                #expect(error.message.contains("which may not support HTTP/2"), "\(error)")
            }
        }

        @Test func idleConnectionOfAnotherVersionIsNotReused() async throws {
            var settings = TestServer.Options()
            (settings.certificate, settings.speaksHTTP2) = (.localhost, true)
            let script: TestServer.Script = { _ in .response(body: "answer") }
            try await TestServer.serving(settings, script: script) { server in
                var versions: [String?] = []
                for version in [HTTPProtocolVersion.http1, .http2PriorKnowledge, .http2PriorKnowledge] {
                    versions.append(await get(server.url(), try options(version)).responseHead?.httpVersion)
                }
                #expect(versions == ["1.1", "2", "2"])
                #expect(server.connectionCount == 2)
            }
        }
    }
}
