// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

extension NetworkTests {
    /// The first field line of a response, on handles that received a response before.
    @Suite struct FirstFieldGuardTests {
        private static let before = Reply.response(headers: ["X-Long": String(repeating: "v", count: 200)], body: "end")

        /// Runs a request for `/`, which gets the reply, between two other requests on the same handle.
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
                "HTTP/1.1 200 OK\n X: 1\nContent-Length: 2\n\nok",
                "HTTP/2 200 \r\n X: 1\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/2.0 200 OK\r\n X: 1\r\nContent-Length: 2\r\n\r\nok",
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
            // The head parser, which runs after libcurl, would refuse the line too, but too late.
            let isOurs = operation.error?.message.contains("begins with white space") == true
            #expect(isOurs || !FirstFieldGuard.isNeeded)
        }

        @Test(arguments: ["HTTP/2 200 \r\n", "HTTP/2.0 200 OK\r\n"])
        func statusLineVersionMustMatchTheConnection(line: String) async throws {
            let operation = try await Self.outcome(of: .raw(line + "Content-Length: 2\r\n\r\nok"))
            #expect(operation.error?.code == .badServerResponse)
            // The library's message, or the message of libcurl 8.14.
            let texts = ["HTTP/2 over a connection of HTTP/1.1", "Version mismatch"]
            #expect(texts.contains { operation.error?.message.contains($0) == true })
        }

        /// libcurl stores the bytes that it reads while a transfer is paused, and delivers them later.
        @Test(arguments: ["", "HTTP/1.1 103 Early Hints\r\nA: 1\r\n\r\n"], [false, true])
        func headReceivedDuringAPauseIsChecked(interim: String, isFolded: Bool) async throws {
            let response = interim + "HTTP/1.1 200 OK\r\n\(isFolded ? " " : "")X: 1\r\nContent-Length: 2\r\n\r\nok"
            let mayAnswer = Gate()
            let script: TestServer.Script = {
                $0.path == "/" ? Reply([.wait(until: mayAnswer)] + Reply.raw(response).steps) : Self.before
            }
            try await TestServer.serving(script: script) { server in
                #expect(await get(server.url("/before")).responseString == "end")
                let operation = RequestOperation(request: URLRequest("POST", server.url("/"), body: "sent"))
                operation.start()
                await server.waitForRequests(count: 2)
                operation.pause()
                operation.resume()
                operation.pause()
                mayAnswer.open()
                let byteCount = Self.before.bytes.count + response.utf8.count
                await server.wait { $0.connections.map(\.sentByteCount).reduce(0, +) == byteCount }
                for _ in 0..<3 { await networkThreadAnswers() }
                operation.resume()
                try await operation.waitUntilEnded()
                #expect(operation.responseString == (isFolded ? nil : "ok"))
                #expect(operation.error?.code == (isFolded ? .badServerResponse : nil))
                #expect(await get(server.url("/after")).responseString == "end")
            }
        }

        /// libcurl does not report the trailers of such a response. If libcurl decoded the chunks, it would keep the
        /// trailers.
        @Test func proxyResponseTrailerDoesNotReachAUsedHandle() async throws {
            let refusal = "HTTP/1.1 407 No\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n X: 1\r\n\r\n"
            let script: TestServer.Script = { $0.method == "CONNECT" ? .raw(refusal) : Self.before }
            try await TestServer.serving(script: script) { proxy in
                let options = try TransferOptions { $0.proxy = try Proxy("http://127.0.0.1:\(proxy.port)") }
                for _ in 0..<5 {
                    #expect(await get(try #require(URL(string: "http://a.test/")), options).responseString == "end")
                    let secure = await get(try #require(URL(string: "https://a.test/")), options)
                    #expect(secure.error != nil && secure.response == nil)
                }
            }
        }

        @Test(arguments: [false, true]) func firstFieldCanHaveAnyLength(isSliced: Bool) async throws {
            for byteCount in [0, 1, 16_000, 16_384, 20_000, 50_000] {
                let value = String(repeating: "x ", count: byteCount / 2) + "x"
                let reply = Reply.raw("HTTP/1.1 200 OK\r\nX: \(value)\r\n folded\r\nContent-Length: 2\r\n\r\nok")
                let operation = try await Self.outcome(of: isSliced ? reply.dripping(chunk: 1000) : reply)
                #expect(operation.responseString == "ok")
                #expect(operation.responseHeaders["X"] == value + " folded")
            }
        }

        @Test func bodyFollowsAHeadWithoutFields() async throws {
            let operation = try await Self.outcome(of: Reply.raw("HTTP/1.1 200 OK\r\n\r\n HTTP/1.1 ok").then(.close))
            #expect(operation.responseString == " HTTP/1.1 ok")
            #expect(operation.responseHeaders.isEmpty)
        }

        @Test func responseToHEADIsComplete() async throws {
            let reply = Reply.raw("HTTP/1.1 200 OK\r\nX: 1\r\nContent-Length: 5\r\n\r\n")
            let operation = try await Self.outcome(of: reply, method: "HEAD")
            #expect(operation.responseHeaders["X"] == "1")
            #expect(operation.responseData?.isEmpty != false)
        }

        @Test func closeAfterTheStatusLineFailsOnlyThatRequest() async throws {
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
