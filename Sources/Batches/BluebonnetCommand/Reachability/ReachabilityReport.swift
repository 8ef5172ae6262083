// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet

/// The text of a target's reachability: a line for people, or a line for programs.
struct ReachabilityReport {
    /// The requested host; nil for the network as a whole.
    let target: String?
    let isForPrograms: Bool

    /// Writes a line to standard output. Returns false if that failed.
    func write(_ reachability: NetworkReachability) -> Bool {
        var bytes = Array((text(of: reachability) + "\n").utf8)[...]
        return (try? FileDescriptor.standardOutput.write(&bytes)) != nil
    }

    func text(of reachability: NetworkReachability) -> String {
        isForPrograms ? line(reachability) : sentence(reachability)
    }

    private func sentence(_ reachability: NetworkReachability) -> String {
        let start = "\(target ?? "Internet"): \(reachability.status.localizedDescription)"
        guard let route = reachability.route else { return start }
        let gateway = route.gateway.map { " via \($0)" } ?? ""
        let source = route.source.map { " from \($0)" } ?? ""
        return "\(start), interface \(route.interface.name) (\(route.interface.kind.rawValue)), "
            + "route to \(route.destination)\(gateway)\(source)"
    }

    private func line(_ reachability: NetworkReachability) -> String {
        let route = reachability.route
        let fields: [(String, String?)] = [
            ("status", reachability.status.word), ("target", target), ("interface", route?.interface.name),
            ("kind", route?.interface.kind.rawValue), ("destination", route?.destination.description),
            ("gateway", route?.gateway?.description), ("source", route?.source?.description),
        ]
        return fields.map { "\($0)=\($1 ?? "-")" }.joined(separator: " ")
    }
}

extension NetworkReachabilityStatus {
    /// The name of the case, for programs.
    fileprivate var word: String {
        switch self {
        case .unknown: "unknown"
        case .notReachable: "notReachable"
        case .reachableViaWWAN: "reachableViaWWAN"
        case .reachableViaWiFi: "reachableViaWiFi"
        }
    }
}
