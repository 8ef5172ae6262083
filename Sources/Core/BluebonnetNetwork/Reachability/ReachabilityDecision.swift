// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides whether a target can be reached, from the kernel's answers for its addresses and from the links. A pure
/// value.
///
/// The kernel's answer is final: if it has a route, the target is reachable.
struct ReachabilityDecision {
    let links: [Int: NetworkTable.Link]
    let kind: (NetworkTable.Link) -> NetworkInterface.Kind

    /// Returns the reachability of a target. The first address with a route determines the result; without addresses,
    /// the target cannot be reached.
    ///
    /// - Parameter answers: the answer for each address of the target, the preferred address first.
    func reachability(_ answers: [(address: IPAddress, answer: RouteAnswer)]) -> NetworkReachability {
        for (address, answer) in answers {
            guard case .route(let route) = answer, !route.isRefusal else { continue }
            let interface = interface(route.interface)
            return NetworkReachability(
                interface.kind == .cellular ? .reachableViaWWAN : .reachableViaWiFi,
                route: NetworkRoute(
                    destination: address, interface: interface, gateway: route.gateway, source: route.source))
        }
        return NetworkReachability(answers.contains { $0.answer == .refused } ? .unknown : .notReachable)
    }

    /// Returns an interface. An interface that is not in the table is identified by its number only.
    private func interface(_ index: Int) -> NetworkInterface {
        guard let link = links[index] else { return NetworkInterface(name: "#\(index)", index: index, kind: .wired) }
        return NetworkInterface(name: link.name, index: index, kind: kind(link))
    }
}
