// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

extension NetworkTests {
    /// Everything besides a default route that leads somewhere or nowhere, as the kernel reports it.
    @Suite(.enabled(if: NetworkNamespace.isAvailable)) struct ReachabilityRouteTests {
        private static let (no, yes) = (
            NetworkReachabilityStatus.notReachable, NetworkReachabilityStatus.reachableViaWiFi
        )

        @Test func domainIsLookedUpAgainWhenTheNetworkChanges() async throws {
            try await CabledNamespaces.with { names in
                await #expect(processExitsWith: .success) { [names = names as [String]] in
                    try await Self.checkADomainIsLookedUpAgainWhenTheNetworkChanges(CabledNamespaces.enter(names))
                }
            }
        }

        private static func checkADomainIsLookedUpAgainWhenTheNetworkChanges(_ pair: CabledNamespaces) async throws {
            try pair.setClientUp()
            let lookUps = Observed([Bool]())
            let answer = Observed<[IPAddress]>([])
            var settings = NetworkMonitor.Settings()
            settings.resolve = { _, completion in
                lookUps.append(NetworkThread.isCurrent)
                completion(answer.value)
            }
            let monitor = await makeMonitor(settings)
            let log = ReachabilityLog(
                NetworkReachabilityManager(target: .domain("host.test"), monitor: { monitor.value }))
            await log.becomes(no)
            #expect(lookUps.value.count == 1)
            answer.update { $0 = [IPAddress(bytes: [10, 77, 0, 9])].compactMap { $0 } }
            try pair.client.ip("route add 203.0.113.0/24 via 10.77.0.1")
            await log.becomes(yes)
            #expect(lookUps.value.count == 2)
            #expect(log.manager.reachability.route?.destination.description == "10.77.0.9")
            answer.update { $0 = [] }
            try pair.client.ip("route del 203.0.113.0/24")
            await log.becomes(no)
        }

        @Test func refusingRouteMeansNotReachable() async throws {
            try await CabledNamespaces.with { names in
                await #expect(processExitsWith: .success) { [names = names as [String]] in
                    try await Self.checkARouteThatRefusesIsNoWay(CabledNamespaces.enter(names))
                }
            }
        }

        private static func checkARouteThatRefusesIsNoWay(_ pair: CabledNamespaces) async throws {
            try pair.setClientUp()
            try pair.client.ip("route add default via 10.77.0.1")
            for kind in ["prohibit", "blackhole", "unreachable"] {
                try pair.client.ip("route add \(kind) 203.0.113.9")
                let log = try ReachabilityLog(address: "203.0.113.9")
                await log.statuses.becomes { !$0.isEmpty }
                #expect(log.statuses.value == [no], "\(kind)")
                try pair.client.ip("route del \(kind) 203.0.113.9")
                await log.becomes(yes)
            }
        }

        @Test func routingRuleChangesTheStatus() async throws {
            try await CabledNamespaces.with { names in
                await #expect(processExitsWith: .success) { [names = names as [String]] in
                    try await Self.checkARuleLeadsAnotherWay(CabledNamespaces.enter(names))
                }
            }
        }

        private static func checkARuleLeadsAnotherWay(_ pair: CabledNamespaces) async throws {
            try pair.setClientUp()
            try pair.client.ip("route add default via 10.77.0.1 table 77")
            let log = ReachabilityLog(.shared)
            await log.becomes(no)
            try pair.client.ip("rule add from all lookup 77")
            await log.becomes(yes)
            try pair.client.ip("rule del from all lookup 77")
            await log.becomes(no)
        }

        @Test func tunnelIsRecognized() async throws {
            try await CabledNamespaces.with { names in
                await #expect(processExitsWith: .success) { [names = names as [String]] in
                    try await Self.checkATunnelIsToldApart(CabledNamespaces.enter(names))
                }
            }
        }

        private static func checkATunnelIsToldApart(_ pair: CabledNamespaces) async throws {
            try pair.setClientUp()
            try pair.client.ip("tuntap add dev tun0 mode tun")
            try pair.client.ip("link set tun0 up")
            try pair.client.ip("route add default dev tun0")
            let log = ReachabilityLog(.shared)
            await log.becomes(yes)
            #expect(log.manager.reachability.route?.interface.name == "tun0")
            #expect(log.manager.reachability.route?.interface.kind == .tunnel)
        }
    }
}
