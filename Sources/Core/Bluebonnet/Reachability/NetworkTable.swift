// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The interfaces and their addresses, kept by the kernel's messages; a value that asks nobody.
struct NetworkTable: Equatable {
    struct Link: Equatable {
        var index: Int
        /// The kind of hardware (ARPHRD_…).
        var type = 0
        var name = ""
        /// The kind of a virtual interface (IFLA_INFO_KIND), such as `veth` or `wireguard`.
        var driver = ""
    }

    struct Address: Hashable {
        var address: IPAddress
        var interface: Int
    }

    private(set) var links: [Int: Link] = [:]
    private(set) var addresses: Set<Address> = []

    /// Applies what a message says of links and addresses.
    mutating func apply(_ body: NetlinkMessage.Body) {
        switch body {
        case .link(let link): links[link.index] = link
        case .linkRemoved(let index):
            links[index] = nil
            addresses = addresses.filter { $0.interface != index }
        case .address(let address): addresses.insert(address)
        case .addressRemoved(let address): addresses.remove(address)
        case .route, .routingChanged, .done, .error, .overrun, .other: break
        }
    }

    /// The addresses that this machine has, on whatever interface.
    var localAddresses: Set<IPAddress> { Set(addresses.map(\.address)) }

    /// The number of an interface by its name, or by its number as text.
    func index(ofZone zone: String) -> Int? {
        links.values.first { $0.name == zone }?.index ?? Int(zone).flatMap { links[$0]?.index }
    }
}
