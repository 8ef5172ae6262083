// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The interfaces and their addresses, updated from the kernel's messages. A value that sends no requests.
struct NetworkTable: Equatable {
    /// A network interface.
    struct Link: Equatable {
        var index: Int
        /// The kind of hardware (ARPHRD_…).
        var type = 0
        var name = ""
        /// The kind of a virtual interface (IFLA_INFO_KIND), such as `veth` or `wireguard`.
        var driver = ""
    }

    /// An address of an interface.
    struct Address: Hashable {
        var address: IPAddress
        var interface: Int
    }

    private(set) var links: [Int: Link] = [:]
    private(set) var addresses: Set<Address> = []

    /// Applies the links and addresses of a message.
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

    /// The addresses of this machine, on any interface.
    var localAddresses: Set<IPAddress> { Set(addresses.map(\.address)) }

    /// Returns the number of an interface from its name, or from its number as text.
    func index(ofZone zone: String) -> Int? {
        links.values.first { $0.name == zone }?.index ?? Int(zone).flatMap { links[$0]?.index }
    }
}
