// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Servers that are slow at every stage. Each time limit holds, and requests to other servers are not delayed.
    @Suite struct SlowServerTests {
        /// The reply of a slow server, and the stage at which the server is slow.
        struct Dawdling: Sendable, CustomTestStringConvertible {
            let testDescription: String
            let reply: Reply
            /// Whether bytes keep coming, so that only the limit of the whole request applies.
            let isDripping: Bool

            private static let whole = Reply.response(
                headers: ["X-Long": String(repeating: "x", count: 2000)], body: "body")
            private static let chunked = Reply.chunked(chunks: Array(repeating: "x", count: 2000))
            private static let head = "HTTP/1.1 200 OK\r\n"

            static let all = [
                Dawdling(testDescription: "nothing", reply: .stall, isDripping: false),
                Dawdling(
                    testDescription: "inside the status line", reply: whole.cut(afterByteCount: 9, then: .stall),
                    isDripping: false),
                Dawdling(
                    testDescription: "inside the head", reply: whole.cut(afterByteCount: 300, then: .stall),
                    isDripping: false),
                Dawdling(
                    testDescription: "inside the body",
                    reply: whole.cut(afterByteCount: whole.bytes.count - 1, then: .stall), isDripping: false),
                Dawdling(
                    testDescription: "inside a chunk", reply: chunked.cut(afterByteCount: 1000, then: .stall),
                    isDripping: false),
                Dawdling(
                    testDescription: "before the last chunk",
                    reply: chunked.cut(afterByteCount: chunked.bytes.count - 5, then: .stall), isDripping: false),
                Dawdling(
                    testDescription: "after an interim response",
                    reply: Reply.raw("HTTP/1.1 103 Early Hints\r\n\r\n").then(.stall), isDripping: false),
                Dawdling(testDescription: "a head by the byte", reply: whole.dripping(every: pace), isDripping: true),
                Dawdling(testDescription: "chunks by the byte", reply: chunked.dripping(every: pace), isDripping: true),
                Dawdling(
                    testDescription: "one interim response after the other",
                    reply: Reply([
                        .drip(
                            Data(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1000).utf8), chunk: 25,
                            every: pace)
                    ]), isDripping: true),
                Dawdling(
                    testDescription: "a body without end by the byte",
                    reply: Reply([.bytes(Data("\(head)\r\n".utf8)), .drip(Data(count: 5000), chunk: 1, every: pace)]),
                    isDripping: true),
            ]

            private static let pace = Duration.milliseconds(5)
        }

        @Test(arguments: Dawdling.all) func timeLimitsApplyAtEveryStage(dawdling: Dawdling) async throws {
            let folder = try DownloadFolder()
            defer { folder.remove() }
            try await TestServer.answering(dawdling.reply) { server in
                let limits: [(inout TransferOptions) -> Void] =
                    dawdling.isDripping
                    ? [{ $0.timeouts.total = .milliseconds(250) }]
                    : [{ $0.timeouts.idle = .milliseconds(150) }, { $0.timeouts.total = .milliseconds(150) }]
                for limit in limits {
                    let options = TransferOptions { limit(&$0) }
                    let operations: [RequestOperation] = [
                        RequestOperation(request: URLRequest(url: server.url("/memory")), options: options),
                        folder.operation(URLRequest(url: server.url("/file")), options),
                    ]
                    for operation in operations { operation.start() }
                    for operation in operations {
                        try await operation.waitUntilEnded()
                        #expect(operation.code == .timedOut)
                    }
                    #expect(folder.names == [])
                    await server.waitForConnectionsToClose()
                }
            }
        }

        @Test func hundredSlowTransfersDoNotDelayOthers() async throws {
            let drip = Reply.response(body: Data(count: 100_000)).dripping(every: .milliseconds(20))
            try await TestServer.answering(drip) { slow in
                var configuration = RequestOperationManager.Configuration()
                configuration.maximumConcurrentTransferCount = 200
                configuration.maximumConcurrentTransferCountPerOrigin = 100
                let manager = RequestOperationManager(configuration: configuration)
                let operations = (0..<100).map { manager.started("GET", slow.url("/\($0)").absoluteString) }
                await slow.waitForRequests(count: 100)
                try await TestServer.answering(.response(body: "answer")) { server in
                    for _ in 0..<50 { #expect(await get(server.url()).responseString == "answer") }
                }
                #expect(operations.allSatisfy { !$0.isFinished })
                manager.operationQueue.cancelAllOperations()
                for operation in operations { try await operation.waitUntilEnded() }
                await slow.waitForConnectionsToClose()
            }
        }
    }

    /// Malformed or superfluous responses, and how the library handles them.
    @Suite struct OddResponseTests {
        private func answer(_ text: String, _ request: (URL) -> URLRequest = { URLRequest(url: $0) }) async throws
            -> RequestOperation
        {
            try await TestServer.answering(.raw(text).then(.close)) { await perform(request($0.url())) }
        }

        @Test(arguments: [
            "HTTP/1.1 099 Low\r\n\r\n", "HTTP/1.1 -200 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
            "HTTP/1.1 20 OK\r\n\r\n",
            "HTTP/1.1 2OO OK\r\n\r\n", "HTTP/ 200 OK\r\n\r\n", "HTTP/1 200 OK\r\n\r\n", "HTTP/0.9 200 OK\r\n\r\n",
            "HTTP/1.11 200 OK\r\n\r\n", "http/1.1 200 OK\r\n\r\n", "ICY 200 OK\r\n\r\n",
            "\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
            " HTTP/1.1 200 OK\r\n\r\n", "<html>a body of HTTP/0.9</html>", "\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}\u{46}",
            "\u{0}\u{0}\u{12}\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}", "220 mail.example ESMTP\r\n",
            "HTTP/1.1 200 OK\r\n\u{0}: x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX\u{1}: a\r\n\r\n",
        ])
        func malformedResponseFails(text: String) async throws {
            let operation = try await answer(text)
            #expect([.badServerResponse, .connectionLost].contains(operation.code), "\(text.debugDescription)")
        }

        /// Lines that end with a line feed alone are complete lines (RFC 9112, 2.2).
        @Test func bareLineFeedsEndLines() async throws {
            let operation = try await answer("HTTP/1.1 200 OK\nContent-Length: 5\nX-Field: value\n\nhello")
            #expect(operation.error == nil)
            #expect(operation.responseString == "hello")
            #expect(operation.responseHeaders.map(\.value) == ["5", "value"])
        }

        /// A folded line belongs to the line before it (RFC 9112, 5.2). It never becomes a separate field.
        @Test(arguments: [" ", "\t", "   "]) func foldedLineBelongsToTheFieldBefore(fold: String) async throws {
            let operation = try await answer(
                "HTTP/1.1 200 OK\r\nX-Folded: one\r\n\(fold)Location: two\r\nContent-Length: 5\r\n\r\nhello")
            #expect(operation.responseHeaders.map(\.name) == ["X-Folded", "Content-Length"])
            #expect(operation.responseHeaders.first?.value == "one Location: two")
            #expect(operation.responseString == "hello")
        }

        @Test(arguments: [
            "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 X\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 199 X\r\n\r\n",
        ])
        func interimResponseIsNotTheFinalResponse(text: String) async throws {
            #expect(try await answer(text).error != nil)
            let final = "HTTP/1.1 204 No Content\r\n\r\n"
            #expect(try await answer(text + final).statusCode == 204)
            let posted = try await answer(text + final) { URLRequest("POST", $0, body: "payload") }
            #expect(posted.statusCode == 204)
        }

        /// A 304 only answers a condition. Without a condition it has no content, and is not an accepted response.
        @Test func unsolicitedNotModifiedIsUnacceptable() async throws {
            try await TestServer.answering(.raw("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n")) { server in
                let operation = await HTTPRequestOperation(request: URLRequest(url: server.url())).run()
                #expect(operation.code == .unacceptableStatus)
                #expect(operation.receivedByteCount == 0)
                #expect(await get(server.url("/again")).statusCode == 304)
            }
        }
    }
}
