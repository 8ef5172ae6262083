// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import FaultKit
import Foundation
import FoundationNetworking
import RealServers
import Testing

extension FaultTests {
    /// Each fault alone, in front of a server that answers at once.
    @Suite struct FaultProxyTests {
        private static let body = HypercornServer.bytes("proxy", count: 50_000)

        /// Calls `body` with a proxy in front of a server. The server answers with `Self.body` and records the
        /// requests.
        private func withProxy(
            _ plan: FaultPlan, _ body: (FaultProxy, TestServer, RequestOperationManager) async throws -> Void
        ) async throws {
            var configuration = RequestOperationManager.Configuration()
            configuration.responseSerializer = HTTPResponseSerializer()
            configuration.timeouts = Timeouts(connect: .seconds(2), idle: .seconds(2), total: .seconds(20))
            let manager = RequestOperationManager(configuration: configuration)
            let script: TestServer.Script = { _ in .response(body: Self.body) }
            try await TestServer.serving(script: script) { server in
                try await FaultProxy.serving(toPort: server.port, schedule: FaultSchedule([plan])) { proxy in
                    try await body(proxy, server, manager)
                }
            }
        }

        private func get(_ plan: FaultPlan) async throws -> HTTPRequestOperation {
            var found: HTTPRequestOperation?
            try await withProxy(plan) { proxy, _, manager in
                let operation = manager.operation("GET", "http://127.0.0.1:\(proxy.port)/")
                manager.enqueue(operation)
                try await operation.waitUntilEnded()
                found = operation
            }
            return try #require(found)
        }

        @Test func slicesLatencyAndRateChangeNoByte() async throws {
            var plan = FaultPlan()
            plan.toClient.sliceByteCount = 997
            plan.toServer.sliceByteCount = 1
            plan.toClient.latency = .milliseconds(30)
            plan.toClient.bytesPerSecond = 1_000_000
            let begin = ContinuousClock.now
            let operation = try await get(plan)
            #expect(operation.responseData == Self.body)
            #expect(ContinuousClock.now - begin >= .milliseconds(30 + 45), "as the latency and the rate say")
        }

        /// An orderly close truncates the response instead of losing the connection.
        @Test(arguments: [FaultPlan.FaultKind.drop, .reset, .halfClose])
        func connectionEndInsideBodyFails(kind: FaultPlan.FaultKind) async throws {
            let operation = try await get(.toClient(kind, afterByteCount: 20_000))
            #expect(operation.error?.code == (kind == .reset ? .connectionLost : .badServerResponse))
            #expect(operation.receivedByteCount < 20_000)
        }

        @Test(arguments: [FaultPlan.FaultKind.drop, .reset])
        func connectionEndBeforeResponseIsConnectionLost(kind: FaultPlan.FaultKind) async throws {
            let operation = try await get(.toServer(kind, afterByteCount: 10))
            #expect(operation.error?.code == .connectionLost)
        }

        @Test func permanentStallTimesOut() async throws {
            let operation = try await get(.toClient(.stall(nil), afterByteCount: 20_000))
            #expect(operation.error?.code == .timedOut)
            #expect(operation.error?.timeLimit == .idle)
        }

        @Test func temporaryStallDeliversAllBytes() async throws {
            let operation = try await get(.toClient(.stall(.milliseconds(200)), afterByteCount: 20_000))
            #expect(operation.responseData == Self.body)
        }

        @Test func refusedConnectionIsReset() async throws {
            var plan = FaultPlan()
            plan.isRefused = true
            let operation = try await get(plan)
            #expect([.connectionLost, .cannotConnect].contains(operation.error?.code))
        }

        @Test func cancelledClientClosesStalledConnection() async throws {
            try await withProxy(.toClient(.stall(nil), afterByteCount: 20_000)) { proxy, server, manager in
                let operation = manager.operation("GET", "http://127.0.0.1:\(proxy.port)/")
                manager.enqueue(operation)
                await proxy.openConnectionCount.becomes(1)
                await server.wait { $0.requests.count == 1 }
                operation.cancel()
                await proxy.openConnectionCount.becomes(0)
                await server.waitForConnectionsToClose()
            }
        }

        @Test func halfCloseInsideRequestLineFailsRequest() async throws {
            let request = "POST / HTTP/1.1"
            try await withProxy(.toServer(.halfClose, afterByteCount: request.utf8.count)) { proxy, server, manager in
                let operation = manager.operation("POST", "http://127.0.0.1:\(proxy.port)/", body: .text("x"))
                manager.enqueue(operation)
                try await operation.waitUntilEnded()
                #expect([.connectionLost, .timedOut].contains(operation.error?.code))
                #expect(server.requests.isEmpty)
            }
        }
    }
}
