// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct TimeLimitTests {
        /// A long body in pieces of one byte.
        private func drip(every interval: Duration, count: Int = 10_000) -> Reply {
            let head = Data("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n".utf8)
            return Reply([.bytes(head), .drip(Data(count: count), chunk: 1, every: interval)])
        }

        @Test func unacceptedConnectionHitsTheConnectTimeout() async throws {
            let listener = try UnresponsiveListener()
            defer { listener.stop() }
            let url = try #require(URL(string: "http://127.0.0.1:\(listener.port)/"))
            let operation = await get(url, TransferOptions { $0.timeouts.connect = .milliseconds(200) })
            #expect(operation.code == .timedOut && operation.error?.timeLimit == .connect)
            #expect(operation.summary.timings.total >= .milliseconds(200))
        }

        @Test func portWithoutAListenerIsRefusedAtOnce() async throws {
            let url = try #require(URL(string: "http://127.0.0.1:\(try LoopbackPort.unused())/"))
            #expect(await get(url).code == .cannotConnect)
        }

        @Test func stalledHandshakeHitsTheConnectTimeout() async throws {
            try await TestServer.answering(.stall) { server in
                let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
                let options = TransferOptions {
                    $0.timeouts.connect = .milliseconds(200)
                    $0.timeouts.idle = .zero
                }
                let operation = await get(url, options)
                #expect(operation.code == .timedOut && operation.error?.timeLimit == .connect)
                #expect(server.connectionCount == 1)
            }
        }

        @Test(arguments: [0, 10, 40])
        func silentServerHitsTheIdleTimeout(byteCount: Int) async throws {
            let reply = Reply.response(body: "hello").cut(afterByteCount: byteCount, then: .stall)
            try await TestServer.answering(reply) { server in
                let options = TransferOptions {
                    $0.timeouts.connect = .zero
                    $0.timeouts.idle = .milliseconds(200)
                }
                let operation = await get(server.url(), options)
                #expect(operation.code == .timedOut && operation.error?.timeLimit == .idle)
                #expect(operation.summary.timings.total >= .milliseconds(150))  // the clock may be a few ms old
                await server.waitForConnectionsToClose()
            }
        }

        @Test func requestIdleTimeoutAppliesWithoutOneInTheOptions() async throws {
            try await TestServer.answering(.stall) { server in
                var request = URLRequest(url: server.url())
                request.timeoutInterval = 0.2
                let operation = await perform(request)
                #expect(operation.code == .timedOut && operation.error?.timeLimit == .idle)
            }
        }

        @Test func serverThatReadsNothingHitsTheIdleTimeout() async throws {
            var options = TestServer.Options()
            options.readsBodies = false
            try await TestServer.answering(.stall, options) { server in
                var request = URLRequest("POST", server.url())
                request.httpBody = Data(count: 32 * 1024 * 1024)
                let operation = await perform(request, TransferOptions { $0.timeouts.idle = .milliseconds(400) })
                #expect(operation.code == .timedOut && operation.error?.timeLimit == .idle)
            }
        }

        @Test func drippingServerDoesNotHitTheIdleTimeout() async throws {
            try await TestServer.answering(drip(every: .milliseconds(150), count: 8)) { server in
                let operation = await get(server.url(), TransferOptions { $0.timeouts.idle = .milliseconds(750) })
                #expect(operation.error == nil)
                #expect(operation.receivedByteCount == 8)
                #expect(operation.summary.timings.total > .milliseconds(750))
            }
        }

        @Test func drippingServerHitsTheTotalTimeout() async throws {
            try await TestServer.answering(drip(every: .milliseconds(10))) { server in
                let operation = await get(server.url(), TransferOptions { $0.timeouts.total = .milliseconds(300) })
                #expect(operation.code == .timedOut && operation.error?.timeLimit == .total)
                #expect(operation.statusCode == 200)
                #expect(operation.receivedByteCount > 0)
                #expect(operation.summary.timings.total >= .milliseconds(300))
            }
        }

        @Test func redirectsTogetherHitTheTotalTimeout() async throws {
            let script: TestServer.Script = { request in
                let next = (Int(request.path.dropFirst()) ?? 0) + 1
                return Reply([.delay(.milliseconds(60))] + Reply.redirect(to: "/\(next)").steps)
            }
            try await TestServer.serving(script: script) { server in
                let operation = await get(server.url("/0"), TransferOptions { $0.timeouts.total = .milliseconds(300) })
                #expect(operation.code == .timedOut && operation.error?.timeLimit == .total)
                #expect(operation.summary.redirectCount < 20)
            }
        }

        @Test func waitingForAdmissionCountsAgainstNoLimit() async throws {
            var configuration = RequestOperationManager.Configuration()
            configuration.maximumConcurrentTransferCount = 1
            configuration.transferOptions.timeouts.connect = .milliseconds(500)
            configuration.transferOptions.timeouts.idle = .milliseconds(500)
            configuration.transferOptions.timeouts.total = .milliseconds(1400)
            let manager = RequestOperationManager(configuration: configuration)
            manager.responseSerializer = HTTPResponseSerializer()
            try await TestServer.answering(drip(every: .milliseconds(100), count: 8)) { server in
                let operations = (0..<3).map { manager.started("GET", server.url("/\($0)").absoluteString) }
                for operation in operations {
                    try await operation.waitUntilEnded()
                    #expect(operation.error == nil)
                }
                #expect(operations.last?.summary.timings.queued ?? .zero > .milliseconds(1400))
            }
        }
    }
}
