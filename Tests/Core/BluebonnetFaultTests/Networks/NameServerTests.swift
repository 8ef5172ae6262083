// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import FaultKit
import Foundation
import RealServers
import Testing

extension FaultTests {
    /// A name server that gives wrong, late or no answers. Each test runs in its own process.
    ///
    /// The C library waits without limit for a DNS answer over TCP ("stuck"). The operation ends on time, but the
    /// thread and the socket of the lookup remain until the server closes the connection.
    @Suite(.enabled(if: NetworkNamespace.isAvailable)) struct NameServerTests {
        /// A name, and the error codes that its lookup may cause. Without codes, the request succeeds.
        struct Name: Codable, Sendable, CustomTestStringConvertible {
            let name: String
            var codes: [String] = []

            var testDescription: String { name }
        }

        private static let names = [
            Name(name: "good"), Name(name: "slow-400"), Name(name: "forged"), Name(name: "truncated"),
            Name(name: "half-dead"),
            Name(name: "missing", codes: ["cannotFindHost"]), Name(name: "empty", codes: ["cannotFindHost"]),
            Name(name: "failing", codes: ["cannotFindHost"]),
            Name(name: "garbage", codes: ["cannotFindHost", "timedOut"]),
            Name(name: "closed", codes: ["cannotConnect"]), Name(name: "wrong", codes: ["timedOut"]),
            Name(name: "silent", codes: ["timedOut", "cannotFindHost"]),
            Name(name: "stuck", codes: ["timedOut", "cannotFindHost"]),
        ]

        @Test(arguments: names) func lookupReachesServerOrFailsWithExpectedCode(name: Name) async throws {
            try await NetworkPair.with { pair in
                await #expect(processExitsWith: .success) {
                    [name = name as Name, namespace = pair.client.name as String] in
                    try NetworkPair.enter(namespace)
                    let manager = NetworkPair.manager { $0.timeouts.connect = .milliseconds(1500) }
                    let operation = await NetworkPair.get("http://\(name.name).test/", by: manager)
                    if name.codes.isEmpty {
                        #expect(operation.responseString == "answer", "\(operation.error?.description ?? "")")
                    } else {
                        #expect(name.codes.contains(operation.error?.code.rawValue ?? "none"))
                    }
                }
            }
        }

        @Test func unansweredLookupsDoNotDelayOtherRequests() async throws {
            try await NetworkPair.with { pair in
                await #expect(processExitsWith: .success) { [namespace = pair.client.name as String] in
                    try NetworkPair.enter(namespace)
                    let canary = try #require(URL(string: "http://10.77.0.1/"))
                    let manager = NetworkPair.manager { $0.timeouts.connect = .seconds(2) }
                    let faults = try await Invariants.faults(canary: canary) {
                        _ = await NetworkPair.get("http://good.test/", by: manager)
                        _ = await NetworkPair.get("http://silent.test/", by: manager)
                    } of: { ledger in
                        let operations = (0..<20).map { number in
                            let name = ["silent", "garbage", "slow-700", "missing"][number % 4]
                            return ledger.track(manager.operation("GET", "http://\(name).test/\(number)"), name)
                        }
                        for operation in operations { manager.enqueue(operation) }
                        for operation in operations { try await operation.waitUntilEnded() }
                        #expect(operations.filter { $0.error == nil }.count == 5)
                    }
                    #expect(faults == [])
                }
            }
        }

        @Test func cancellationDoesNotWaitForPendingLookup() async throws {
            try await NetworkPair.with { pair in
                await #expect(processExitsWith: .success) { [namespace = pair.client.name as String] in
                    try NetworkPair.enter(namespace)
                    let manager = NetworkPair.manager { $0.timeouts.connect = .seconds(30) }
                    _ = await NetworkPair.get("http://good.test/", by: manager)
                    let slow = manager.enqueue(manager.operation("GET", "http://slow-9000.test/"))
                    let order = Observed([String]())
                    slow.addCompletion { operation, _ in order.append(operation.error?.code.rawValue ?? "success") }
                    _ = await NetworkPair.get("http://10.77.0.1/", by: manager)
                    slow.cancel()
                    let next = manager.operation("GET", "http://10.77.0.1/next")
                    next.addCompletion { _, _ in order.append("next") }
                    manager.enqueue(next)
                    // Both end before the name server answers after nine seconds.
                    await order.becomes(within: .seconds(8)) { $0.count == 2 }
                    #expect(order.value == ["cancelled", "next"])
                }
            }
        }
    }
}
