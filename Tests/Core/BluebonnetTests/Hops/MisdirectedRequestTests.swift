// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Status 421 means that the connection was the wrong one (RFC 9110, 15.5.20).
    @Suite struct MisdirectedRequestTests {
        private static let misdirected = Reply.response(status: 421, body: "not here")

        private static func options(speaksHTTP2: Bool) throws -> (TestServer.Options, TransferOptions) {
            var server = TestServer.Options()
            guard speaksHTTP2 else { return (server, TransferOptions()) }
            (server.certificate, server.speaksHTTP2) = (.localhost, true)
            return (server, try .trustingTestAuthority)
        }

        @Test(arguments: ["GET", "POST", "PATCH"], [false, true])
        func misdirectedRequestIsRetriedOnceOnAnotherConnection(method: String, speaksHTTP2: Bool) async throws {
            let (serverOptions, options) = try Self.options(speaksHTTP2: speaksHTTP2)
            let script: TestServer.Script = {
                $0.path == "/misdirected" && $0.connection == 1 ? Self.misdirected : .response(body: "here")
            }
            try await TestServer.serving(serverOptions, script: script) { server in
                #expect(await get(server.url("/first"), options).error == nil)
                let body = method == "GET" ? nil : "payload"
                let request = URLRequest(method, server.url("/misdirected"), body: body)
                let operation = await perform(request, options)
                #expect(operation.error == nil)
                #expect(operation.responseString == "here")
                #expect(await get(server.url("/last"), options).error == nil)
                #expect(server.requests.map(\.path) == ["/first", "/misdirected", "/misdirected", "/last"])
                #expect(server.requests.map(\.connection) == [1, 1, 2, 2])
                #expect(server.requests.map(\.bodyText) == ["", body ?? "", body ?? "", ""])
            }
        }

        @Test func secondMisdirectedResponseIsTheResult() async throws {
            try await TestServer.answering(Self.misdirected) { server in
                let operation = await perform(URLRequest("POST", server.url(), body: "payload"))
                #expect(operation.statusCode == 421)
                #expect(operation.responseString == "not here")
                #expect(server.requests.map(\.connection) == [1, 2])
            }
        }

        @Test func streamWithoutReplayGetsTheMisdirectedResponse() async throws {
            try await TestServer.answering(Self.misdirected) { server in
                var request = URLRequest("POST", server.url())
                request.httpBodyStream = InputStream(data: Data("payload".utf8))
                #expect(await perform(request).statusCode == 421)
                #expect(server.requests.map(\.bodyText) == ["payload"])
            }
        }

        @Test func eachHopMayBeMisdirectedOnce() async throws {
            let script: TestServer.Script = { request in
                if request.numberOnConnection > 1 || request.connection == 1 { return Self.misdirected }
                return request.path == "/start" ? .redirect(to: "/end", status: 302) : .response(body: "end")
            }
            try await TestServer.serving(script: script) { server in
                #expect(await get(server.url("/start")).responseString == "end")
                #expect(server.requests.map(\.path) == ["/start", "/start", "/end", "/end"])
                #expect(server.requests.map(\.connection) == [1, 2, 2, 3])
            }
        }
    }
}
