// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides what the kernel's answers mean: pure, from the answers for a target's addresses and from the links.
///
/// The kernel's answer is not second-guessed: where it has a route, the target is reachable.
struct ReachabilityDecision {
    let links: [Int: NetworkTable.Link]
    let kind: (NetworkTable.Link) -> NetworkInterface.Kind

    /// - Parameter answers: for each address of the target, the preferred one first. The first one with a route wins;
    ///   without addresses nothing can be reached.
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

    /// An interface that is not in the table is known by its number only.
    private func interface(_ index: Int) -> NetworkInterface {
        guard let link = links[index] else { return NetworkInterface(name: "#\(index)", index: index, kind: .wired) }
        return NetworkInterface(name: link.name, index: index, kind: kind(link))
    }
}
