// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Decisions while a redirect's body does not end: blocks, pauses, cancels, time limits.
    @Suite struct UnwantedBodyDecisionTests {
        private static func script(_ body: EndlessBody) -> TestServer.Script {
            let redirect = body.reply(status: 302, headers: ["Location": "/end"], text: "moved")
            return { $0.path == "/start" ? redirect : .response(body: "there") }
        }

        private static func operation(
            _ server: TestServer, method: String = "GET", _ options: TransferOptions = .withoutIdleLimit,
            _ block: @escaping RequestOperation.RedirectBlock
        ) -> RequestOperation {
            let operation = RequestOperation(request: URLRequest(method, server.url("/start")), options: options)
            operation.onRedirect = block
            return operation
        }

        @Test(arguments: EndlessBody.all) func redirectIsFollowedWhenTheBlockReturnsIt(body: EndlessBody) async throws {
            try await TestServer.serving(script: Self.script(body)) { server in
                let operation = await Self.operation(server) { _, proposed, _ in proposed }.run()
                #expect(operation.error == nil)
                #expect(operation.responseString == "there")
            }
        }

        /// The block takes longer than the idle limit, or than the server keeps the connection. That ends the
        /// transfer, not the operation.
        @Test(arguments: [nil, Reply.Step.close, .reset])
        func redirectIsFollowedAfterTheConnectionEndsDuringTheBlock(end: Reply.Step?) async throws {
            let gate = Gate()
            let head = "HTTP/1.1 302 Found\r\nLocation: /end\r\nTransfer-Encoding: chunked\r\n\r\n"
            let redirect = Reply([.bytes(Data(head.utf8)), .wait(until: gate), end ?? .stall])
            let script: TestServer.Script = { $0.path == "/start" ? redirect : .response(body: "there") }
            try await TestServer.serving(script: script) { server in
                let options = TransferOptions { $0.timeouts.idle = end == nil ? .milliseconds(500) : .zero }
                let operation = Self.operation(server, options) { _, proposed, _ in
                    gate.open()
                    await server.waitForConnectionsToClose()
                    return proposed
                }
                #expect(await operation.run().error == nil)
                #expect(operation.responseString == "there")
                #expect(server.requests.map(\.connection) == [1, 2])
            }
        }

        /// The body is then the result, and it is missing.
        @Test func deliveredRedirectFailsAfterTheConnectionEndsDuringTheBlock() async throws {
            let gate = Gate()
            let head = "HTTP/1.1 302 Found\r\nLocation: /end\r\nTransfer-Encoding: chunked\r\n\r\n"
            let redirect = Reply([.bytes(Data(head.utf8)), .wait(until: gate), .close])
            try await TestServer.answering(redirect) { server in
                let operation = Self.operation(server) { _, _, _ in
                    gate.open()
                    await server.waitForConnectionsToClose()
                    return nil
                }
                #expect(await operation.run().code == .badServerResponse)
                #expect(operation.statusCode == 302)
            }
        }

        @Test(arguments: EndlessBody.all, ["GET", "POST"])
        func redirectIsFollowedAfterAPause(body: EndlessBody, method: String) async throws {
            try await TestServer.serving(script: Self.script(body)) { server in
                let paused = Gate()
                let operation = Self.operation(server, method: method) { operation, proposed, _ in
                    if !paused.isOpen { operation.pause() }
                    paused.open()
                    return proposed
                }
                operation.start()
                await paused.wait()
                for _ in 0..<3 { await networkThreadAnswers() }
                #expect(operation.isPaused)
                #expect(server.requests.count == 1)
                operation.resume()
                try await operation.waitUntilEnded()
                #expect(operation.error == nil)
                #expect(operation.responseString == "there")
                #expect(server.requests.filter { $0.path == "/start" }.count == (method == "GET" ? 2 : 1))
            }
        }

        @Test(arguments: EndlessBody.all) func cancelEndsTheOperation(body: EndlessBody) async throws {
            try await TestServer.serving(script: Self.script(body)) { server in
                let operation = Self.operation(server) { operation, proposed, _ in
                    operation.cancel()
                    return proposed
                }
                #expect(await operation.run().code == .cancelled)
                #expect(server.requests.count == 1)
                await server.waitForConnectionsToClose()
            }
        }

        /// No time is left for another request.
        @Test func redirectIsNotFollowedAfterTheTimeLimit() async throws {
            let body = EndlessBody(framing: .chunks, pace: .silent)
            try await TestServer.serving(script: Self.script(body)) { server in
                let options = TransferOptions { $0.timeouts.total = .milliseconds(60) }
                let operation = await get(server.url("/start"), options)
                #expect(operation.code == .timedOut)
                #expect(server.requests.count <= 1)
            }
        }
    }
}
