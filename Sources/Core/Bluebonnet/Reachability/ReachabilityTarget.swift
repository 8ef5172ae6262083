// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What a reachability manager asks about.
enum ReachabilityTarget: Hashable, Sendable {
    /// The network as a whole.
    case any
    case address(IPAddress)
    /// A host's name, whose addresses are looked up.
    case domain(String)

    /// Stand for the network as a whole: a root name server, which no private network contains. No packet is sent; the
    /// kernel is only asked where one would go, so that policy rules and halves of a default route count too.
    static let farAddresses = ["198.41.0.4", "2001:503:ba3e::2:30"].compactMap(IPAddress.init)

    /// What names the target for people: an address, a host's name, or nothing at all.
    init(host: String) {
        // A URL's host may have an IPv6 address in brackets.
        let text = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        guard let address = IPAddress(text) else {
            self = .domain(host)
            return
        }
        self.init(address: address)
    }

    /// AFNetworking's 0.0.0.0 stands for the network as a whole.
    init(address: IPAddress) {
        self = address.isUnspecified ? .any : .address(address)
    }

    /// What the kernel is asked for; nil while a name's addresses are not known.
    var knownAddresses: [IPAddress]? {
        switch self {
        case .any: Self.farAddresses
        case .address(let address): [address]
        case .domain: nil
        }
    }
}
