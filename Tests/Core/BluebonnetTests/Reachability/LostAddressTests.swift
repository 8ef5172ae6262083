// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Connections over an address that this machine loses. Each test runs in its own process.
    @Suite(.enabled(if: NetworkNamespace.isAvailable)) struct LostAddressTests {
        private static let patient = TransferOptions { $0.timeouts.idle = .zero }

        /// Starts a transfer that stalls, and waits until it has stalled.
        private static func stall(_ server: NamespaceServer, host: String = "10.77.0.1") async throws
            -> RequestOperation
        {
            let operation = RequestOperation(
                request: URLRequest(url: try server.url("/stall", host: host)), options: patient)
            let count = server.requests.value.count
            let hasBegun = Observed(0)
            operation.onDownloadProgress = { _, _, _ in hasBegun.increment() }
            operation.start()
            await server.requests.becomes { $0.count > count }
            await hasBegun.becomes { $0 > 0 }
            return operation
        }

        @Test func lostAddressEndsItsTransfersAndConnections() async throws {
            try await CabledNamespaces.with { names in
                await #expect(processExitsWith: .success) { [names = names as [String]] in
                    try await Self.loseTheAddress(CabledNamespaces.enter(names))
                }
            }
        }

        private static func loseTheAddress(_ pair: CabledNamespaces) async throws {
            try pair.setClientUp()
            let server = try NamespaceServer(in: pair.server)
            let stalled = try await stall(server)
            #expect(await get(try server.url("/idle"), patient).error == nil)
            try pair.client.ip("addr del 10.77.0.2/24 dev v0")
            try await stalled.waitUntilEnded()
            #expect(stalled.code == .connectionLost)
            try pair.client.ip("addr add 10.77.0.3/24 dev v0")
            let next = await perform(URLRequest("POST", try server.url("/next")), patient)
            #expect(next.error == nil)
            #expect(next.summary.isReused == false)
            #expect(server.requests.value.map(\.connection) == [1, 2, 3])
        }

        @Test func addressRestoredAtOnceKeepsItsConnections() async throws {
            try await CabledNamespaces.with { names in
                await #expect(processExitsWith: .success) { [names = names as [String]] in
                    try await Self.flapTheAddress(CabledNamespaces.enter(names))
                }
            }
        }

        private static func flapTheAddress(_ pair: CabledNamespaces) async throws {
            try pair.setClientUp()
            try pair.server.ip("addr add 10.78.0.1/24 dev v1")
            try pair.client.ip("addr add 10.78.0.2/24 dev v0")
            let server = try NamespaceServer(in: pair.server)
            let other = try await stall(server, host: "10.78.0.1")
            #expect(await get(try server.url("/first"), patient).error == nil)
            // The network thread sees both changes at once, regardless of the machine's speed.
            let gate = Gate()
            NetworkThread.shared.submit { gate.waitBlocking() }
            try pair.client.batch(["addr del 10.77.0.2/24 dev v0", "addr add 10.77.0.2/24 dev v0"])
            gate.open()
            // When the loss of this address is noticed, the earlier changes have been processed.
            try pair.client.ip("addr del 10.78.0.2/24 dev v0")
            try await other.waitUntilEnded()
            #expect(other.code == .connectionLost)
            let second = await get(try server.url("/second"), patient)
            #expect(second.error == nil)
            #expect(second.summary.isReused)
        }

        @Test func transferSurvivesALinkDownWhileItsAddressStays() async throws {
            try await CabledNamespaces.with { names in
                await #expect(processExitsWith: .success) { [names = names as [String]] in
                    try await Self.setLinkDown(CabledNamespaces.enter(names))
                }
            }
        }

        private static func setLinkDown(_ pair: CabledNamespaces) async throws {
            try pair.setClientUp()
            let server = try NamespaceServer(in: pair.server)
            let operation = try await stall(server)
            let log = try ReachabilityLog(address: "10.77.0.1")
            await log.becomes(.reachableViaWiFi)
            try pair.client.ip("link set v0 down")
            await log.becomes(.notReachable)
            try pair.client.ip("link set v0 up")
            await log.becomes(.reachableViaWiFi)
            server.goOn()
            try await operation.waitUntilEnded()
            #expect(operation.error == nil)
            #expect(operation.responseString == "01234567890123456789")
            #expect(operation.summary.transferCount == 1)
        }
    }
}
