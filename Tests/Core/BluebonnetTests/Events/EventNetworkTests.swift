// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct EventNetworkTests {
        private let log = EventLog()

        private func manager(_ options: TransferOptions = TransferOptions()) -> RequestOperationManager {
            var configuration = RequestOperationManager.Configuration()
            configuration.transferOptions = options
            configuration.responseSerializer = HTTPResponseSerializer()
            configuration.eventMonitors = [log]
            return RequestOperationManager(configuration: configuration)
        }

        private func uses(_ events: [RequestEvent]) -> [RequestEvent.ConnectionUse] {
            events.compactMap { if case .connectionAcquired(let use) = $0.kind { use } else { nil } }
        }

        @Test func secondRequestReusesTheConnection() async throws {
            try await TestServer.answering(.response(body: "fine")) { server in
                // Limits that no other test has: only this test uses the connections.
                let manager = manager(TransferOptions { $0.connectionLimits.maximumUseCount = 4_848 })
                for _ in 0..<2 { try await manager.run(manager.operation("GET", server.url().absoluteString)) }
                let events = await log.all
                let origin = Origin(server.url()).map { "\($0)" }
                let names = events.filter { $0.operation != nil }.map(\.kind.name)
                #expect(
                    names == [
                        "queued", "admitted", "hopBegan", "nameLookedUp", "connected", "connectionAcquired",
                        "requestHeadSent", "firstByte", "responseHead", "responseBodyReceived", "hopEnded", "finished",
                        "queued", "admitted", "hopBegan", "connectionAcquired", "requestHeadSent", "firstByte",
                        "responseHead", "responseBodyReceived", "hopEnded", "finished",
                    ])
                let uses = uses(events)
                #expect(uses.map(\.isReused) == [false, true] && uses[0].connection == uses[1].connection)
                #expect(uses[0].idleTime == nil && uses[1].idleTime ?? .zero > .zero)
                #expect(uses[0].connection.peerAddress == "127.0.0.1")
                #expect(uses[0].connection.peerPort == server.url().port)
                let connections = events.filter { $0.operation == nil && $0.origin == origin }.map(\.kind.name)
                #expect(connections == ["connectionOpened", "connectionIdle", "connectionIdle"])
                NetworkThread.shared.submit { manager.services.transport.closeIdleConnections() }
                await NetworkThread.shared.catchesUp()
                #expect(await log.all.last { $0.origin == origin }?.kind.name == "connectionClosed")
            }
        }

        @Test func serverThatClosesIsTheReason() async throws {
            try await TestServer.answering(.response(headers: ["Connection": "close"], body: "fine")) { server in
                let manager = manager()
                let origin = Origin(server.url()).map { "\($0)" }
                try await manager.run(manager.operation("GET", server.url().absoluteString))
                await log.events.becomes { events in
                    events.contains { $0.origin == origin && $0.kind.name == "connectionClosed" }
                }
            }
        }

        @Test func uploadReportsItsProgressAndEnd() async throws {
            try await TestServer.answering(.response(body: "taken")) { server in
                let manager = manager()
                var request = URLRequest("POST", server.url())
                request.httpBody = Data.patterned(byteCount: 300_000)
                try await manager.run(manager.operation(with: request))
                let events = await log.all
                let sent = events.compactMap { event -> Int64? in
                    if case .requestBodySent(let byteCount) = event.kind { byteCount } else { nil }
                }
                #expect(sent == [300_000])
                let names = events.map(\.kind.name)
                #expect(names.firstIndex(of: "requestBodySent") ?? 0 < names.firstIndex(of: "responseHead") ?? 0)
                #expect(names.contains("bodyProgress"))
            }
        }

        @Test func failedConnectionEndsItsHop() async throws {
            let port = try await TestServer.answering(.response()) { server in server.url().port ?? 0 }
            let manager = manager()
            let operation = manager.enqueue(manager.operation("GET", "http://127.0.0.1:\(port)/"))
            await operation.ends()
            let end = await log.all.compactMap { event -> RequestEvent.HopEnd.Reason? in
                if case .hopEnded(let end) = event.kind { end.reason } else { nil }
            }
            #expect(end == [.failed(.cannotConnect)])
            let names = await log.names
            #expect(!names.contains("connectionAcquired") && names.last == "finished")
        }

        @Test func statisticsCountOperationsConnectionsAndLatencies() async throws {
            try await TestServer.answering(.response(body: "fine")) { server in
                let manager = manager()
                #expect(await manager.statistics.succeededCount == 0)
                for _ in 0..<20 { try await manager.run(manager.operation("GET", server.url().absoluteString)) }
                var request = URLRequest("POST", server.url())
                request.httpBody = Data("12345".utf8)
                try await manager.run(manager.operation(with: request))
                manager.operationQueue.isSuspended = true
                let cancelled = manager.enqueue(manager.operation("GET", server.url().absoluteString))
                #expect(await manager.statistics.queuedCount == 1)
                cancelled.cancel()
                await cancelled.ends()
                let statistics = await manager.statistics
                #expect((statistics.succeededCount, statistics.cancelledCount, statistics.failedCount) == (21, 1, 0))
                #expect((statistics.transferCount, statistics.inFlightCount, statistics.queuedCount) == (21, 0, 0))
                #expect((statistics.receivedByteCount, statistics.sentByteCount) == (84, 5))
                let origin = statistics.origins.first { $0.origin == Origin(server.url()).map { "\($0)" } }
                #expect(origin?.recentTransferCount == 21)
                let open = origin?.openConnectionCount ?? 0  // a POST may make a separate connection
                #expect(open >= 1 && origin?.idleConnectionCount == open)
                let (p50, p99) = (origin?.p50 ?? .zero, origin?.p99 ?? .zero)
                #expect(p50 > .zero && p50 <= p99)
            }
        }
    }
}
