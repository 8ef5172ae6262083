// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import CLinux
import Foundation
import Glibc
import RealServers
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

extension NetworkTests {
    /// The status follows the kernel's routes. Each test runs in its own process, with its own networks.
    @Suite(.enabled(if: NetworkNamespace.isAvailable)) struct ReachabilityTests {
        /// One command, and the statuses reported by then for the whole network and for a host on the cable.
        private struct Step {
            let command: String
            let overall: [NetworkReachabilityStatus]
            let neighbour: [NetworkReachabilityStatus]

            init(_ command: String, _ overall: [NetworkReachabilityStatus], _ neighbour: [NetworkReachabilityStatus]) {
                (self.command, self.overall, self.neighbour) = (command, overall, neighbour)
            }
        }

        private static let (no, yes) = (
            NetworkReachabilityStatus.notReachable, NetworkReachabilityStatus.reachableViaWiFi
        )

        private static let ipv4Steps = [
            Step("link set lo up", [no], [no]),
            Step("link set v0 up", [no], [no]),
            Step("addr add 10.77.0.2/24 dev v0", [no], [no, yes]),
            Step("route add default via 10.77.0.1", [no, yes], [no, yes]),
            Step("route del default", [no, yes, no], [no, yes]),
            Step("route add default via 10.77.0.1", [no, yes, no, yes], [no, yes]),
            // If an interface has no address, the kernel removes the interface's IPv4 routes.
            Step("addr del 10.77.0.2/24 dev v0", [no, yes, no, yes, no], [no, yes, no]),
            Step("addr add 10.77.0.2/24 dev v0", [no, yes, no, yes, no], [no, yes, no, yes]),
            Step("route add default via 10.77.0.1", [no, yes, no, yes, no, yes], [no, yes, no, yes]),
            Step("link set v0 down", [no, yes, no, yes, no, yes, no], [no, yes, no, yes, no]),
            Step("link del v0", [no, yes, no, yes, no, yes, no], [no, yes, no, yes, no]),
        ]

        private static let ipv6Steps = [
            Step("link set lo up", [no], [no]),
            Step("link set v0 up", [no], [no]),
            Step("addr add fd77::2/64 dev v0 nodad", [no], [no, yes]),
            Step("-6 route add default via fd77::1", [no, yes], [no, yes]),
            Step("-6 route del default", [no, yes, no], [no, yes]),
            Step("addr del fd77::2/64 dev v0", [no, yes, no], [no, yes, no]),
            Step("link set v0 down", [no, yes, no], [no, yes, no]),
        ]

        @Test(arguments: [false, true])
        func statusMatchesIPRouteGetAtEveryStep(isIPv6: Bool) async throws {
            try await CabledNamespaces.with { names in
                await #expect(processExitsWith: .success) { [names = names as [String], isIPv6 = isIPv6 as Bool] in
                    try await Self.climb(CabledNamespaces.enter(names), isIPv6: isIPv6)
                }
            }
        }

        private static func climb(_ pair: CabledNamespaces, isIPv6: Bool) async throws {
            let neighbour = isIPv6 ? "fd77::1" : "10.77.0.1"
            let logs = [ReachabilityLog(.shared), try ReachabilityLog(address: neighbour)]
            for log in logs { await log.becomes(no) }
            for step in isIPv6 ? ipv6Steps : ipv4Steps {
                try pair.client.ip(step.command)
                for (log, expected) in zip(logs, [step.overall, step.neighbour]) {
                    await log.statuses.becomes { $0.count >= expected.count }
                    #expect(log.statuses.value == expected, "after \(step.command)")
                }
                let far = ReachabilityTarget.farAddresses.contains { pair.client.hasRoute(to: $0.description) }
                #expect(logs[0].manager.isReachable == far, "after \(step.command)")
                #expect(logs[1].manager.isReachable == pair.client.hasRoute(to: neighbour), "after \(step.command)")
                if let route = logs[0].manager.reachability.route {
                    #expect(route.interface.name == "v0" && route.interface.kind == .wired)
                    #expect(route.gateway?.description == neighbour)
                }
            }
        }

        @Test func changeIsReportedWithin250Milliseconds() async throws {
            try await CabledNamespaces.with { names in
                await #expect(processExitsWith: .success) { [names = names as [String]] in
                    try await Self.checkAChangeIsToldWithin250Milliseconds(CabledNamespaces.enter(names))
                }
            }
        }

        private static func checkAChangeIsToldWithin250Milliseconds(_ pair: CabledNamespaces) async throws {
            try pair.setClientUp()
            let log = ReachabilityLog(.shared)
            await log.becomes(no)
            var delays: [UInt64] = []
            for number in 0..<20 {
                let isUp = number % 2 == 0
                try pair.client.ip("route \(isUp ? "add" : "del") default via 10.77.0.1")
                let began = MonotonicClock.now()
                await log.becomes(isUp ? yes : no)
                delays.append(MonotonicClock.now() - began)
            }
            // The median of 20: a machine that is busy for a moment does not fail the test.
            #expect(delays.sorted()[10] <= 250_000_000, "\(delays.sorted())")
        }

        @Test(arguments: ["route", "link"])
        func rapidFlapsCauseFewEventsAndACorrectEnd(kind: String) async throws {
            try await CabledNamespaces.with { names in
                await #expect(processExitsWith: .success) { [names = names as [String], kind = kind as String] in
                    try await Self.checkTwoHundredFlapsASecondAreFewEventsAndEndInTheTruth(
                        CabledNamespaces.enter(names), kind: kind)
                }
            }
        }

        private static func checkTwoHundredFlapsASecondAreFewEventsAndEndInTheTruth(
            _ pair: CabledNamespaces, kind: String
        ) async throws {
            try pair.setClientUp()
            let log = ReachabilityLog(.shared)
            await log.becomes(no)
            let flap =
                kind == "route"
                ? ["route add default via 10.77.0.1", "route del default"]
                : ["link set v0 down", "link set v0 up", "route add default via 10.77.0.1"]
            let flaps = (0..<400).flatMap { _ in flap }
            let result = Observed<String?>(nil)
            await onThreadOfItsOwn {
                // Flaps of 5 ms: 200 per second.
                let problem = Result { try pair.client.batch(flaps, interval: 5_000 / UInt32(flap.count)) }
                if case .failure(let error) = problem { result.update { $0 = "\(error)" } }
            }
            #expect(result.value == nil)
            try pair.client.ip("route replace unreachable 203.0.113.0/24")  // a last change after all others
            await log.becomes(kind == "route" ? no : yes)
            #expect(log.manager.isReachable == pair.client.hasRoute(to: "198.41.0.4"))
            let told = log.statuses.value
            #expect(told.count < 200, "\(told.count) events for \(flaps.count) changes")
            #expect(!zip(told, told.dropFirst()).contains { $0 == $1 }, "an event without a change")
        }

        @Test func overflowedReceiveBufferEndsInACorrectStatus() async throws {
            try await CabledNamespaces.with { names in
                await #expect(processExitsWith: .success) { [names = names as [String]] in
                    try await Self.checkFiveThousandRouteChangesOverflowASmallBufferAndEndInTheTruth(
                        CabledNamespaces.enter(names))
                }
            }
        }

        private static func checkFiveThousandRouteChangesOverflowASmallBufferAndEndInTheTruth(_ pair: CabledNamespaces)
            async throws
        {
            try pair.setClientUp()
            try pair.client.ip("route add default via 10.77.0.1")
            let monitor = await makeMonitor(NetworkMonitor.Settings(receiveBufferByteCount: 2048))
            let log = ReachabilityLog(NetworkReachabilityManager(target: .any, monitor: { monitor.value }))
            await log.becomes(yes)
            let lists = await onNetworkThread(monitor) { $0.listCount }
            // The network thread cannot read until all changes have happened.
            let gate = Gate()
            NetworkThread.shared.submit { gate.waitBlocking() }
            let routes = (0..<5_000).map { "route add 10.\($0 / 250 + 100).\($0 % 250).0/24 via 10.77.0.1" }
            try pair.client.batch(routes + ["route del default"])
            gate.open()
            await log.becomes(no)
            #expect(
                await onNetworkThread(monitor) { $0.listCount } > lists,
                "messages were lost, so everything is listed again")
            #expect(!pair.client.hasRoute(to: "198.41.0.4"))
            try pair.client.batch(routes.map { $0.replacing("add", with: "del") } + ["route add default via 10.77.0.1"])
            await log.becomes(yes)
            #expect(log.statuses.value == [yes, no, yes])
        }

        @Test func forgedMessageIsIgnored() async throws {
            try await CabledNamespaces.with { names in
                await #expect(processExitsWith: .success) { [names = names as [String]] in
                    try await Self.checkAMessageThatIsNotTheKernelsCountsForNothing(CabledNamespaces.enter(names))
                }
            }
        }

        private static func checkAMessageThatIsNotTheKernelsCountsForNothing(_ pair: CabledNamespaces) async throws {
            try pair.setClientUp()
            try pair.client.ip("route add default via 10.77.0.1")
            let monitor = await makeMonitor()
            let lost = Observed<[Set<IPAddress>]>([])
            await onNetworkThread(monitor) { monitor in monitor.onAddressesLost = { gone in lost.append(gone) } }
            let log = ReachabilityLog(NetworkReachabilityManager(target: .any, monitor: { monitor.value }))
            await log.becomes(yes)
            let port = await onNetworkThread(monitor) { $0.port ?? 0 }
            try pair.client.inside { try Self.sendForgedRemoval(of: [10, 77, 0, 2], interface: "v0", to: port) }
            try pair.client.ip("route del default")  // comes after the forged message
            await log.becomes(no)
            #expect(await onNetworkThread(monitor) { $0.foreignDatagramCount } == 1)
            #expect(lost.value.isEmpty)
            try pair.client.ip("addr del 10.77.0.2/24 dev v0")  // the same message from the kernel counts
            await lost.becomes { !$0.isEmpty }
            #expect(lost.value == [[try #require(IPAddress("10.77.0.2"))]])
        }

        /// A message like the kernel's when an address is removed (RTM_DELADDR, 21), sent from a socket of this
        /// process.
        private static func sendForgedRemoval(of address: [UInt8], interface: String, to port: UInt32) throws {
            let socket = bluebonnet_netlink_open(0, 0)
            defer { close(socket) }
            let index = UInt8(if_nametoindex(interface))
            var message: [UInt8] = [32, 0, 0, 0, 21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            message += [2, 24, 0, 0, index, 0, 0, 0] + [8, 0, 2, 0] + address
            #expect(index > 0 && port > 0)
            #expect(bluebonnet_netlink_send(socket, message, message.count, port) == message.count)
        }
    }
}
