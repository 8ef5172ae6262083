// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Responses that break the protocol or are ambiguous.
    @Suite struct FramingTests {
        /// Runs a request whose response is these bytes. Then the connection closes.
        private func answer(_ text: String, method: String = "GET") async throws -> RequestOperation {
            try await TestServer.answering(.raw(text).then(.close)) { server in
                await perform(URLRequest(method, server.url()))
            }
        }

        @Test(arguments: [
            "Content-Length: 5\r\nContent-Length: 6", "Content-Length: 5, 6", "Content-Length : 5",
            "Content-Length: +5",
            "Content-Length: -5", "Content-Length: 0x5", "Content-Length: 5 5", "Content-Length: 9223372036854775808",
            "Content-Length:", "Content-Length: 5\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nContent-Length: 5",
        ])
        func ambiguousLengthIsABadResponse(fields: String) async throws {
            let operation = try await answer("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nhello!")
            #expect(operation.code == .badServerResponse)
        }

        @Test(arguments: ["Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5, 5", "content-length:\t5 "])
        func repeatedEqualLengthsAreAccepted(fields: String) async throws {
            let operation = try await answer("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\nhello!")
            #expect(operation.error == nil)
            #expect(operation.responseString == "hello")
        }

        @Test(arguments: [
            "zz\r\nhello\r\n0\r\n\r\n", "fffffffffffffffff\r\nhello\r\n0\r\n\r\n", "5\r\nhelloXX\r\n0\r\n\r\n",
            "-5\r\nhello\r\n0\r\n\r\n", "\r\nhello\r\n0\r\n\r\n", "5 5\r\nhello\r\n0\r\n\r\n",
            "5\r\nhello\r\r\n0\r\n\r\n", "5;a\u{0}\r\nhello\r\n0\r\n\r\n",
        ])
        func brokenChunksAreABadResponse(body: String) async throws {
            let operation = try await answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
            #expect(operation.code == .badServerResponse)
        }

        @Test func chunkExtensionsAreIgnored() async throws {
            let body = "5;name=value\r\nhello\r\n0;last\r\n\r\n"
            let operation = try await answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
            #expect(operation.responseString == "hello")
        }

        @Test func trailersDoNotBecomeHeaders() async throws {
            let trailers: WireFields = ["X-Late": "1", "Location": "/elsewhere", "Set-Cookie": "a=b"]
            let reply = Reply.chunked(headers: ["X-Early": "1"], chunks: ["hello"], trailers: trailers)
            try await TestServer.answering(reply) { server in
                let operation = await get(server.url())
                #expect(operation.responseString == "hello")
                #expect(operation.responseHeaders.map(\.name) == ["X-Early", "Transfer-Encoding"])
            }
        }

        @Test(arguments: [
            "this is no HTTP at all\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}", "HTTP/1.1 99 Low\r\n\r\n",
            "HTTP/1.1 9999 High\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n", "HTTP/7.7 200 OK\r\n\r\n", "HTTP/1.1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nno colon here\r\n\r\n", "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX Y: 1\r\n\r\n", "HTTP/1.1 200 OK\r\n: 1\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n",
        ])
        func malformedHeadIsABadResponse(text: String) async throws {
            #expect(try await answer(text).code == .badServerResponse)
        }

        @Test(arguments: ["", "X: 1\r\n", "Content-Length: 0\r\n", "Content-Length: 0"])
        func truncatedHeadIsABadResponse(fields: String) async throws {
            let operation = try await answer("HTTP/1.1 200 OK\r\n\(fields)")
            #expect(operation.code == .badServerResponse)
            #expect(operation.statusCode == nil)
        }

        @Test func unsolicitedSwitchingProtocolsIsABadResponse() async throws {
            let text = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
            #expect(try await answer(text).code == .badServerResponse)
            let answered = text + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
            #expect(try await answer(answered).code == .badServerResponse)
        }

        @Test func onlyTheFinalResponseCounts() async throws {
            let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\nX-Hint: 1\r\n\r\n"
            let final = "HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nhello"
            let operation = try await answer(String(repeating: interim, count: 250) + final)
            #expect(operation.error == nil)
            #expect(operation.statusCode == 201)
            #expect(operation.responseHeaders.map(\.name) == ["Content-Length"])
            #expect(operation.responseString == "hello")
        }

        @Test(arguments: [204, 304])
        func bodilessStatusHasNoBody(status: Int) async throws {
            let operation = try await answer("HTTP/1.1 \(status) X\r\nContent-Length: 5\r\n\r\nhello")
            #expect(operation.error == nil)
            #expect(operation.statusCode == status)
            #expect(operation.receivedByteCount == 0)
        }
    }

    /// Bytes after a response are not the response to the next request.
    @Suite struct LeftoverTests {
        static let poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nPOISON"

        /// Answers `/first` with the reply and the bytes after it, and every other request honestly.
        private func expectNoPoison(_ reply: Reply, method: String = "GET") async throws {
            let script: TestServer.Script = { $0.path == "/first" ? reply : .response(body: "honest") }
            for _ in 0..<5 {
                try await TestServer.serving(script: script) { server in
                    #expect(await perform(URLRequest(method, server.url("/first"))).error == nil)
                    await server.wait { $0.connections[0].sentByteCount >= reply.bytes.count }
                    #expect(await get(server.url("/second")).responseString == "honest")
                    #expect(await get(server.url("/third")).responseString == "honest")
                }
            }
        }

        @Test(arguments: [204, 304])
        func bytesAfterABodilessStatusAreNoResponse(status: Int) async throws {
            try await expectNoPoison(.raw("HTTP/1.1 \(status) X\r\n\r\n" + Self.poison))
        }

        @Test func bytesAfterAFixedLengthAreNoResponse() async throws {
            try await expectNoPoison(.raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello" + Self.poison))
        }

        @Test func bytesAfterChunksAreNoResponse() async throws {
            let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
            try await expectNoPoison(.raw(text + Self.poison))
        }

        @Test func bytesAfterTheReplyToHEADAreNoResponse() async throws {
            try await expectNoPoison(.raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), method: "HEAD")
            try await expectNoPoison(.raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + Self.poison), method: "HEAD")
        }

        @Test(arguments: [nil, TestCertificate.localhost])
        func bytesOnAnIdleConnectionAreNoResponse(tls: TestCertificate?) async throws {
            let options = try tls.map { _ in try TransferOptions.trustingTestAuthority } ?? TransferOptions()
            let gate = Gate()
            let server = try await TestServer.start(tls: tls) { request in
                guard request.path == "/first" else { return .response(body: "honest") }
                return Reply.response(body: "hello").then(.wait(until: gate), .bytes(Data(Self.poison.utf8)))
            }
            #expect(await get(server.url("/first"), options).responseString == "hello")
            let before = server.history.connections[0].sentByteCount
            gate.open()
            await server.wait { $0.connections[0].sentByteCount >= before + Self.poison.utf8.count }
            for path in ["/second", "/third"] {
                let operation = await get(server.url(path), options)
                #expect(operation.error == nil)
                #expect(operation.responseString == "honest")
            }
            await server.stop()
        }

        /// No port distinguishes Unix sockets.
        @Test(arguments: [1, 3]) func bytesOnIdleUnixSocketConnectionsAreNoResponse(count: Int) async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            var options = TestServer.Options()
            options.unixSocketPath = folder.path("socket")
            let client = TransferOptions { [options] in $0.unixSocketPath = options.unixSocketPath }
            let (answers, poison) = (Gate(), Gate())
            let steps = [.wait(until: answers)] + Reply.response(body: "hello").steps
            let script: TestServer.Script = { request in
                guard request.path == "/first" else { return .response(body: "honest") }
                return Reply(steps).then(.wait(until: poison), .bytes(Data(Self.poison.utf8)))
            }
            try await TestServer.serving(options, script: script) { server in
                let operations = (0..<count).map { _ in
                    RequestOperation(request: URLRequest(url: server.url("/first")), options: client)
                }
                for operation in operations { operation.start() }
                await server.waitForRequests(count: count)
                answers.open()
                for operation in operations { try await operation.waitUntilEnded() }
                #expect(operations.map(\.responseString) == operations.map { _ in "hello" })
                let before = server.history.connections.map(\.sentByteCount)
                #expect(before.count == count)
                poison.open()
                await server.wait { history in
                    zip(history.connections, before).allSatisfy { $0.sentByteCount >= $1 + Self.poison.utf8.count }
                }
                for number in 0..<count + 2 {
                    let operation = await get(server.url("/\(number)"), client)
                    #expect(operation.error == nil)
                    #expect(operation.responseString == "honest")
                }
                // A connection without pending bytes is reused.
                #expect(server.connectionCount <= 2 * count)
            }
        }
    }
}
