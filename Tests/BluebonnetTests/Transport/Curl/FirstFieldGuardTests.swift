// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// The first field line of a response, on handles that have received one before.
    @Suite struct FirstFieldGuardTests {
        private static let before = Reply.response(headers: ["X-Long": String(repeating: "v", count: 200)], body: "end")

        /// Runs a request for `/`, which gets the reply, between others of the same handle.
        private static func outcome(of reply: Reply, method: String = "GET") async throws -> RequestOperation {
            let script: TestServer.Script = { $0.path == "/" ? reply : before }
            return try await TestServer.serving(script: script) { server in
                #expect(await get(server.url("/before")).responseString == "end")
                let operation = await perform(URLRequest(method, server.url("/")))
                #expect(await get(server.url("/after")).responseString == "end")
                return operation
            }
        }

        @Test(
            arguments: [
                "HTTP/1.1 200 OK\r\n X: 1\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.1 200 OK\r\n\tX: 1\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.1 200 OK\n  \nContent-Length: 2\n\nok",
                "HTTP/1.0 404 Not Found\r\n X: 1\r\n\r\n",
                "HTTP/1.1 103 Early Hints\r\n Link: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n X: 1\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n X: 1\r\nContent-Length: 2\r\n\r\nok",
            ], [false, true])
        func foldedFirstLineIsRefused(response: String, isSliced: Bool) async throws {
            let reply = Reply.raw(response)
            let operation = try await Self.outcome(of: isSliced ? reply.dripping() : reply)
            #expect(operation.error?.code == .badServerResponse)
            #expect(operation.response == nil)
        }

        @Test(arguments: [false, true]) func fieldOfAnyLengthMayBeFirst(isSliced: Bool) async throws {
            for byteCount in [0, 1, 16_000, 16_384, 20_000, 50_000] {
                let value = String(repeating: "x", count: byteCount)
                let reply = Reply.raw("HTTP/1.1 200 OK\r\nX: \(value)\r\n folded\r\nContent-Length: 2\r\n\r\nok")
                let operation = try await Self.outcome(of: isSliced ? reply.dripping(chunk: 1000) : reply)
                #expect(operation.responseString == "ok")
                #expect(operation.responseHeaders["X"] == (value.isEmpty ? "folded" : value + " folded"))
            }
        }

        @Test func bodyFollowsAHeadWithoutFields() async throws {
            let operation = try await Self.outcome(of: Reply.raw("HTTP/1.1 200 OK\r\n\r\n HTTP/1.1 ok").then(.close))
            #expect(operation.responseString == " HTTP/1.1 ok")
            #expect(operation.responseHeaders.isEmpty)
        }

        @Test func responseToHeadIsWhole() async throws {
            let reply = Reply.raw("HTTP/1.1 200 OK\r\nX: 1\r\nContent-Length: 5\r\n\r\n")
            let operation = try await Self.outcome(of: reply, method: "HEAD")
            #expect(operation.responseHeaders["X"] == "1")
            #expect(operation.responseData?.isEmpty != false)
        }

        /// The request is sent again by libcurl, on the same handle.
        @Test func connectionThatEndsBehindTheStatusLineIsFollowedByAnother() async throws {
            let script: TestServer.Script = {
                $0.numberOnConnection == 2 ? Reply.raw("HTTP/1.1 200 OK\r\n").then(.close) : Self.before
            }
            try await TestServer.serving(script: script) { server in
                for number in 0..<6 {
                    let operation = await get(server.url("/\(number)"))
                    #expect(operation.error?.code == (number % 2 == 0 ? nil : .badServerResponse))
                    #expect(operation.responseString == (number % 2 == 0 ? "end" : nil))
                }
            }
        }
    }
}
