// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Operations and queues that wait for connectivity. Each test runs in its own process, at first without any
    /// network.
    @Suite(.enabled(if: NetworkNamespace.isAvailable)) struct ConnectivityTests {
        private static func waiting(
            _ server: NamespaceServer, atMost limit: Duration = .zero
        ) throws -> RequestOperation {
            let options = TransferOptions {
                $0.waitsForConnectivity = true
                $0.timeouts.connectivity = limit
            }
            return RequestOperation(request: URLRequest(url: try server.url("/")), options: options)
        }

        /// Waits until the network thread knows that nothing is reachable, and has acted on it.
        private static func nothingIsReachable() async throws {
            for log in [ReachabilityLog(.shared), try ReachabilityLog(address: "10.77.0.1")] {
                await log.becomes(.notReachable)
                log.manager.stopMonitoring()
            }
            await NetworkThread.shared.catchesUp()
        }

        @Test func operationWaitsForConnectivity() async throws {
            try await CabledNamespaces.with { names in
                await #expect(processExitsWith: .success) { [names = names as [String]] in
                    try await Self.waitForAWay(CabledNamespaces.enter(names))
                }
            }
        }

        private static func waitForAWay(_ pair: CabledNamespaces) async throws {
            let server = try NamespaceServer(in: pair.server)
            let (operation, cancelled, paused) = (try waiting(server), try waiting(server), try waiting(server))
            for operation in [operation, cancelled, paused] { operation.start() }
            try await nothingIsReachable()
            #expect(!operation.isFinished)
            cancelled.cancel()
            try await cancelled.waitUntilEnded()
            #expect(cancelled.code == .cancelled)
            paused.pause()
            try pair.setClientUp()
            try await operation.waitUntilEnded()
            #expect(operation.error == nil)
            #expect(paused.isPaused && server.requests.value.count == 1)
            paused.resume()
            try await paused.waitUntilEnded()
            #expect(paused.error == nil)
        }

        @Test func batchWaitsForConnectivity() async throws {
            try await CabledNamespaces.with { names in
                await #expect(processExitsWith: .success) { [names = names as [String]] in
                    try await Self.holdABatch(CabledNamespaces.enter(names))
                }
            }
        }

        private static func holdABatch(_ pair: CabledNamespaces) async throws {
            let server = try NamespaceServer(in: pair.server)
            let manager = RequestOperationManager()
            manager.responseSerializer = HTTPResponseSerializer()
            let members = try (0..<3).map { manager.operation(with: URLRequest(url: try server.url("/\($0)"))) }
            var options = Batch.Options()
            options.holdsWithoutConnectivity = true
            let batch = manager.enqueue(Batch(of: members, options: options))
            try await nothingIsReachable()
            #expect(members.allSatisfy { !$0.isFinished })
            try pair.setClientUp()
            let outcome = try await batch.outcome()
            #expect(outcome.counts.successCount == 3)
            #expect(server.requests.value.count == 3)
        }

        @Test func operationFailsAtTheConnectivityTimeout() async throws {
            try await CabledNamespaces.with { names in
                await #expect(processExitsWith: .success) { [names = names as [String]] in
                    try await Self.reachTheLimit(CabledNamespaces.enter(names))
                }
            }
        }

        private static func reachTheLimit(_ pair: CabledNamespaces) async throws {
            let server = try NamespaceServer(in: pair.server)
            let operation = try waiting(server, atMost: .milliseconds(50))
            _ = await operation.run()
            #expect(operation.code == .notConnected)
            #expect(operation.error?.message == "there was no network route to 10.77.0.1 for 0.05 seconds")
            #expect(operation.error?.isTransient == true)
            #expect(operation.summary.transferCount == 0)
            // Without the option, the operation fails in its attempt.
            #expect(await get(try server.url("/")).code == .cannotConnect)
            #expect(server.requests.value.isEmpty)
        }

        @Test func operationWithARouteDoesNotWait() async throws {
            try await CabledNamespaces.with { names in
                await #expect(processExitsWith: .success) { [names = names as [String]] in
                    let pair = try CabledNamespaces.enter(names)
                    try pair.setClientUp()
                    let server = try NamespaceServer(in: pair.server)
                    let operations = try (0..<20).map { _ in try Self.waiting(server) }
                    for operation in operations { operation.start() }
                    for operation in operations { try await operation.waitUntilEnded() }
                    #expect(operations.allSatisfy { $0.error == nil })
                }
            }
        }

        @Test func localNameIsReachableWithoutADefaultRoute() async throws {
            try await CabledNamespaces.with { names in
                await #expect(processExitsWith: .success) { [names = names as [String]] in
                    let pair = try CabledNamespaces.enter(names)
                    let server = try NamespaceServer(in: pair.client)
                    let options = TransferOptions { $0.waitsForConnectivity = true }
                    let request = URLRequest(url: try server.url("/", host: "localhost"))
                    let operation = RequestOperation(request: request, options: options)
                    operation.start()
                    try await Self.nothingIsReachable()
                    #expect(!operation.isFinished)
                    try pair.client.ip("link set lo up")
                    try await operation.waitUntilEnded()
                    #expect(operation.error == nil)
                }
            }
        }

        @Test func queueDefersItsOperationsWithoutANetwork() async throws {
            try await CabledNamespaces.with { names in
                await #expect(processExitsWith: .success) { [names = names as [String]] in
                    try await Self.holdAQueue(CabledNamespaces.enter(names))
                }
            }
        }

        private static func holdAQueue(_ pair: CabledNamespaces) async throws {
            let server = try NamespaceServer(in: pair.server)
            let queue = RequestOperationQueue()
            #expect(!queue.holdsWithoutConnectivity)
            queue.holdsWithoutConnectivity = true
            let operations = try (0..<3).map { _ in RequestOperation(request: URLRequest(url: try server.url("/"))) }
            queue.addOperations(operations)
            try await nothingIsReachable()
            #expect(operations.allSatisfy { !$0.isExecuting && !$0.isFinished })
            operations[2].cancel()
            try await operations[2].waitUntilEnded()
            #expect(operations[2].code == .cancelled)
            try pair.setClientUp()
            try pair.client.ip("route add default via 10.77.0.1")
            for operation in operations[..<2] { try await operation.waitUntilEnded() }
            #expect(operations[..<2].allSatisfy { $0.error == nil })
            // Without the setting, the queue starts operations in every state of the network.
            await closeIdleConnections()
            try pair.client.ip("link set v0 down")
            try await nothingIsReachable()
            let last = RequestOperation(request: URLRequest(url: try server.url("/")))
            queue.addOperation(last)
            try await nothingIsReachable()
            #expect(!last.isExecuting)
            queue.holdsWithoutConnectivity = false
            try await last.waitUntilEnded()
            #expect(last.code == .cannotConnect)
        }
    }
}
