// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The target of a reachability query.
package enum ReachabilityTarget: Hashable, Sendable {
    /// The network as a whole.
    case any
    case address(IPAddress)
    /// A host's name, whose addresses are looked up.
    case domain(String)

    /// Addresses that represent the network as a whole: the addresses of a root name server, which no private network
    /// contains. No packet is sent. The kernel only reports where a packet would go, so policy rules and split default
    /// routes count too.
    static let farAddresses = ["198.41.0.4", "2001:503:ba3e::2:30"].compactMap(IPAddress.init)

    /// Makes a target from its text form: an address or a host's name.
    package init(host: String) {
        // The host of a URL may contain an IPv6 address in brackets.
        let text = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        guard let address = IPAddress(text) else {
            self = .domain(host)
            return
        }
        self.init(address: address)
    }

    /// Makes a target from an address. As in AFNetworking, 0.0.0.0 means the network as a whole.
    package init(address: IPAddress) {
        self = address.isUnspecified ? .any : .address(address)
    }

    /// The addresses to query the kernel for; nil for a name, whose addresses have to be looked up.
    var knownAddresses: [IPAddress]? {
        switch self {
        case .any: Self.farAddresses
        case .address(let address): [address]
        case .domain: nil
        }
    }
}
