// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import FaultKit
import Foundation
import RealServers
import Testing

extension FaultTests {
    /// Networks that lose some or all packets. Each test runs in its own process.
    @Suite(.enabled(if: NetworkNamespace.isAvailable)) struct LossyNetworkTests {
        private static func lose(_ percentage: Int, in namespace: NetworkNamespace) throws {
            try namespace.nft("add table inet faults")
            try namespace.nft("add chain inet faults loss { type filter hook input priority 0 ; }")
            let match = percentage < 100 ? "numgen random mod 100 < \(percentage) " : ""
            try namespace.nft("add rule inet faults loss meta l4proto tcp \(match)drop")
        }

        @Test func packetLossInBothDirectionsChangesNoByte() async throws {
            try await NetworkPair.with { pair in
                for namespace in [pair.client, pair.server] { try Self.lose(3, in: namespace) }
                await #expect(processExitsWith: .success) { [namespace = pair.client.name as String] in
                    try NetworkPair.enter(namespace)
                    let expected = Data((0..<300_000).map { UInt8(ascii: "a") + UInt8($0 % 26) })
                    let manager = NetworkPair.manager { $0.timeouts.connect = .seconds(30) }
                    let operations = (0..<12).map { _ in manager.operation("GET", "http://10.77.0.1/bytes/300000") }
                    for operation in operations { manager.enqueue(operation) }
                    for operation in operations { try await operation.waitUntilEnded() }
                    #expect(operations.map { $0.error?.description } == Array(repeating: nil, count: 12))
                    #expect(operations.allSatisfy { $0.responseData == expected })
                }
            }
        }

        @Test func blackHoleAddressTimesOutWhileConnecting() async throws {
            try await NetworkPair.with { pair in
                await #expect(processExitsWith: .success) { [namespace = pair.client.name as String] in
                    try NetworkPair.enter(namespace)
                    let manager = NetworkPair.manager { $0.timeouts.connect = .seconds(1) }
                    let canary = try #require(URL(string: "http://10.77.0.1/"))
                    let faults = try await Invariants.faults(canary: canary) {
                        _ = await NetworkPair.get("http://10.77.0.9/", by: manager)
                    } of: { ledger in
                        let operation = ledger.track(manager.operation("GET", "http://10.77.0.9/"), "black hole")
                        manager.enqueue(operation)
                        try await operation.waitUntilEnded()
                        #expect(operation.error?.code == .timedOut)
                        #expect(operation.error?.timeLimit == .connect)
                    }
                    #expect(faults == [])
                }
            }
        }

        @Test func packetLossDuringBodyTimesOutAsIdle() async throws {
            try await NetworkPair.with { pair in
                await #expect(processExitsWith: .success) { [namespace = pair.client.name as String] in
                    try NetworkPair.enter(namespace)
                    let client = NetworkNamespace(named: namespace)
                    let manager = NetworkPair.manager { $0.timeouts.idle = .seconds(1) }
                    let operation = manager.operation("GET", "http://10.77.0.1/bytes/2000000000")
                    operation.outputStream = OutputStream(toFileAtPath: "/dev/null", append: false)
                    let hasBegun = Observed(false)
                    operation.onDownloadProgress = { _, _, _ in hasBegun.update { $0 = true } }
                    manager.enqueue(operation)
                    await hasBegun.becomes(true)
                    try Self.lose(100, in: client)
                    try await operation.waitUntilEnded()
                    #expect(operation.error?.code == .timedOut)
                    #expect(operation.error?.timeLimit == .idle)
                }
            }
        }
    }
}
