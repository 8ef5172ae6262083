// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct ConnectionReuseTests {
        /// Answers all requests except the second request of the first connection, which gets `end`.
        private func failingSecond(_ end: Reply) -> TestServer.Script {
            { $0.connection == 1 && $0.numberOnConnection == 2 ? end : .response(body: "answer") }
        }

        @Test func connectionIsReused() async throws {
            try await TestServer.answering(.response(body: "answer")) { server in
                let first = await get(server.url("/1"))
                let second = await perform(URLRequest("POST", server.url("/2"), body: "payload"))
                let third = await get(server.url("/3"))
                #expect([first, second, third].map(\.summary.isReused) == [false, true, true])
                #expect(server.requests.map(\.target) == ["/1", "/2", "/3"])
                #expect(server.connectionCount == 1)
            }
        }

        /// libcurl 7.88 cannot reuse such a connection.
        @Test(.enabled(if: HTTP2FrameServer.isAvailable))
        func priorKnowledgeRequestsRunInSequenceAndInParallel() async throws {
            let options = TransferOptions {
                $0.httpVersion = .http2PriorKnowledge
                $0.timeouts.idle = .seconds(5)
            }
            try await HTTP2FrameServer.serving { server in
                let url = server.url("head/end-5", isSecure: false)
                for _ in 0..<3 { #expect(await get(url, options).responseString == "bbbbb") }
                async let one = get(url, options)
                async let other = get(url, options)
                for operation in await [one, other] { #expect(operation.responseString == "bbbbb") }
            }
        }

        @Test func idleConnectionsCloseOnDemand() async throws {
            // The override gives this test its own pool. A pool with another suite's transfer is not closed.
            let options = TransferOptions { $0.addressOverrides = ["idle.test": "127.0.0.1"] }
            try await TestServer.answering(.response()) { server in
                await get(server.url(), options)
                #expect(server.openConnectionCount == 1)
                await closeIdleConnections()
                await server.waitForConnectionsToClose()
                #expect(await get(server.url(), options).summary.isReused == false)
            }
        }

        @Test(arguments: ["POST", "PATCH", "MERGE"], [nil, "payload"])
        func unsafeRequestOnDeadConnectionIsSentOnce(method: String, body: String?) async throws {
            for end in [Reply.close, .reset] {
                try await TestServer.serving(script: failingSecond(end)) { server in
                    await get(server.url("/warm-up"))
                    let operation = await perform(URLRequest(method, server.url("/unsafe"), body: body))
                    #expect(operation.code == .connectionLost)
                    #expect(operation.statusCode == nil)
                    #expect(await get(server.url("/after")).error == nil)
                    #expect(server.requests.map(\.target) == ["/warm-up", "/unsafe", "/after"])
                }
            }
        }

        @Test(arguments: [("GET", nil), ("HEAD", nil), ("DELETE", nil), ("PUT", "payload")] as [(String, String?)])
        func idempotentRequestOnDeadConnectionIsResentWhole(method: String, body: String?) async throws {
            for end in [Reply.close, .reset] {
                try await TestServer.serving(script: failingSecond(end)) { server in
                    await get(server.url("/warm-up"))
                    let operation = await perform(URLRequest(method, server.url("/again"), body: body))
                    #expect(operation.error == nil)
                    #expect(operation.statusCode == 200)
                    #expect(server.requests.map(\.target) == ["/warm-up", "/again", "/again"])
                    #expect(server.requests.dropFirst().map(\.bodyText) == [body ?? "", body ?? ""])
                }
            }
        }

        @Test func idempotentRequestIsNotSentAThirdTime() async throws {
            let script: TestServer.Script = { $0.path == "/warm-up" ? .response() : .close }
            try await TestServer.serving(script: script) { server in
                await get(server.url("/warm-up"))
                #expect(await get(server.url("/again")).code == .connectionLost)
                #expect(server.requests.map(\.target) == ["/warm-up", "/again", "/again"])
            }
        }

        @Test(arguments: ["GET", "POST"])
        func requestOnAFreshConnectionIsNotSentAgain(method: String) async throws {
            try await TestServer.answering(.close) { server in
                let operation = await perform(URLRequest(method, server.url()))
                #expect(operation.code == .connectionLost)
                #expect(server.requests.count == 1)
            }
        }

        @Test(arguments: ["GET", "POST"])
        func requestIsNotResentAfterTheResponseBegan(method: String) async throws {
            let broken = Reply.response(body: "answer").cut(afterByteCount: 20)
            try await TestServer.serving(script: failingSecond(broken)) { server in
                await get(server.url("/warm-up"))
                let operation = await perform(URLRequest(method, server.url("/broken")))
                #expect(operation.error != nil)
                #expect(server.requests.map(\.target) == ["/warm-up", "/broken"])
            }
        }

        @Test func unsafeRequestAvoidsConnectionClosedWhileIdle() async throws {
            var options = TestServer.Options()
            options.requestsPerConnection = 1
            try await TestServer.answering(.response(), options) { server in
                await get(server.url("/first"))
                await server.waitForConnectionsToClose()
                let operation = await perform(URLRequest("POST", server.url("/second"), body: "payload"))
                #expect(operation.error == nil)
                #expect(server.requests.map(\.target) == ["/first", "/second"])
                #expect(server.connectionCount == 2)
            }
        }

        @Test func connectionWithAnnouncedCloseIsNotReused() async throws {
            let script: TestServer.Script = { _ in .response(headers: ["Connection": "close"]).then(.stall) }
            try await TestServer.serving(script: script) { server in
                #expect(await get(server.url()).error == nil)
                #expect(await get(server.url()).error == nil)
                #expect(server.connectionCount == 2)
            }
        }
    }
}
