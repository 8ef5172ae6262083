// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Whether the network can be reached, with AFNetworking's four cases and numbers.
public enum NetworkReachabilityStatus: Int, Sendable, Hashable, Codable {
    /// Unknown: there was no event yet, or the kernel does not report the network.
    case unknown = -1
    /// The kernel has no route.
    case notReachable = 0
    /// The route uses a modem.
    case reachableViaWWAN = 1
    /// The route uses any other interface, cables included.
    case reachableViaWiFi = 2

    /// Whether the status is one of the two reachable cases.
    public var isReachable: Bool { self == .reachableViaWWAN || self == .reachableViaWiFi }

    /// The status as text for users, in AFNetworking's English wording.
    public var localizedDescription: String {
        switch self {
        case .unknown: "Unknown"
        case .notReachable: "Not Reachable"
        case .reachableViaWWAN: "Reachable via WWAN"
        case .reachableViaWiFi: "Reachable via WiFi"
        }
    }
}

/// The reachability of a target at one moment.
public struct NetworkReachability: Sendable, Hashable {
    /// Whether the target can be reached.
    public let status: NetworkReachabilityStatus
    /// The route to the target, if it can be reached.
    public let route: NetworkRoute?

    init(_ status: NetworkReachabilityStatus, route: NetworkRoute? = nil) {
        self.status = status
        self.route = route
    }
}
