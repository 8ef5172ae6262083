// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Whether the network can be reached, in AFNetworking's four cases and with its numbers.
public enum NetworkReachabilityStatus: Int, Sendable, Hashable, Codable {
    /// Not known yet, or the kernel does not tell.
    case unknown = -1
    /// The kernel has no route.
    case notReachable = 0
    /// The route leads over a modem.
    case reachableViaWWAN = 1
    /// The route leads over anything else, cables included.
    case reachableViaWiFi = 2

    /// Whether it is one of the two reachable cases.
    public var isReachable: Bool { self == .reachableViaWWAN || self == .reachableViaWiFi }

    /// The status for people, as AFNetworking says it in English.
    public var localizedDescription: String {
        switch self {
        case .unknown: "Unknown"
        case .notReachable: "Not Reachable"
        case .reachableViaWWAN: "Reachable via WWAN"
        case .reachableViaWiFi: "Reachable via WiFi"
        }
    }
}

/// What is known at one moment of how a target can be reached.
public struct NetworkReachability: Sendable, Hashable {
    /// Whether it can be.
    public let status: NetworkReachabilityStatus
    /// How, when it can be.
    public let route: NetworkRoute?

    init(_ status: NetworkReachabilityStatus, route: NetworkRoute? = nil) {
        self.status = status
        self.route = route
    }
}
