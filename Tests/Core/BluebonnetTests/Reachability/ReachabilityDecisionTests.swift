// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct ReachabilityDecisionTests {
    private static let links = [
        1: NetworkTable.Link(index: 1, name: "lo"), 2: NetworkTable.Link(index: 2, name: "eth0"),
        3: NetworkTable.Link(index: 3, name: "wwan0"),
    ]
    private static let kinds: [String: NetworkInterface.Kind] = ["lo": .loopback, "eth0": .wired, "wwan0": .cellular]

    private func decide(_ answers: (String, RouteAnswer)...) throws -> NetworkReachability {
        let decision = ReachabilityDecision(links: Self.links) { Self.kinds[$0.name] ?? .tunnel }
        return decision.reachability(try answers.map { (try #require(IPAddress($0)), $1) })
    }

    private func route(_ interface: Int, gateway: String? = nil, source: String? = nil, isRefusal: Bool = false)
        -> RouteAnswer
    {
        .route(
            RouteAnswer.Route(
                interface: interface, gateway: gateway.flatMap { IPAddress($0) },
                source: source.flatMap { IPAddress($0) },
                isRefusal: isRefusal))
    }

    @Test func targetWithARouteIsReachable() throws {
        let reachability = try decide(("192.0.2.9", route(2, gateway: "10.0.0.1", source: "10.0.0.2")))
        #expect(reachability.status == .reachableViaWiFi)
        let route = try #require(reachability.route)
        #expect(route.destination.description == "192.0.2.9")
        #expect(route.gateway?.description == "10.0.0.1")
        #expect(route.source?.description == "10.0.0.2")
        #expect(route.interface == NetworkInterface(name: "eth0", index: 2, kind: .wired))
    }

    @Test func targetOverAModemIsReachableViaWWAN() throws {
        #expect(try decide(("192.0.2.9", route(3))).status == .reachableViaWWAN)
    }

    @Test(arguments: [NetworkInterface.Kind.wired, .wireless, .loopback, .tunnel])
    func targetOverAnotherInterfaceIsReachableViaWiFi(_ kind: NetworkInterface.Kind) throws {
        let decision = ReachabilityDecision(links: Self.links) { _ in kind }
        let answer = (address: try #require(IPAddress("192.0.2.9")), answer: route(2))
        #expect(decision.reachability([answer]).status == .reachableViaWiFi)
    }

    @Test func targetWithoutARouteIsNotReachable() throws {
        #expect(try decide(("192.0.2.9", .unreachable)) == NetworkReachability(.notReachable))
        #expect(try decide(("192.0.2.9", route(1, isRefusal: true))) == NetworkReachability(.notReachable))
    }

    @Test func targetWithARouteToOneAddressIsReachable() throws {
        let reachability = try decide(("192.0.2.9", .unreachable), ("2001:db8::9", route(2)))
        #expect(reachability.route?.destination.description == "2001:db8::9")
        #expect(try decide(("192.0.2.9", .refused), ("2001:db8::9", route(2))).status == .reachableViaWiFi)
    }

    @Test func firstAddressWithARouteCounts() throws {
        #expect(try decide(("192.0.2.9", route(3)), ("2001:db8::9", route(2))).status == .reachableViaWWAN)
    }

    @Test func statusIsUnknownIfTheKernelRefuses() throws {
        #expect(try decide(("192.0.2.9", .refused)).status == .unknown)
        #expect(try decide(("192.0.2.9", .unreachable), ("2001:db8::9", .refused)).status == .unknown)
    }

    @Test func nameWithoutAddressesIsNotReachable() throws {
        #expect(try decide() == NetworkReachability(.notReachable))
    }

    @Test func unlistedInterfaceIsNamedByItsNumber() throws {
        #expect(try decide(("192.0.2.9", route(7))).route?.interface.name == "#7")
    }
}
