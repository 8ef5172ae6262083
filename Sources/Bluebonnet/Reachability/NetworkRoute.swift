// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The way that the kernel would send a packet: what `ip route get` shows.
public struct NetworkRoute: Sendable, Hashable {
    /// The address that was asked for. For the network as a whole it is a far one, to which nothing is sent.
    public let destination: IPAddress
    /// The interface that the packet would leave by.
    public let interface: NetworkInterface
    /// The next router; nil when the destination is on the interface's own network.
    public let gateway: IPAddress?
    /// The address that the packet would be sent from; nil when the kernel does not say.
    public let source: IPAddress?
}

/// A network interface: its name, number and kind.
public struct NetworkInterface: Sendable, Hashable {
    /// What an interface is made of, as far as the kernel tells.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// A cable, real or virtual, and whatever is none of the others.
        case wired
        /// A radio of the 802.11 family.
        case wireless
        /// A modem of a mobile network (`DEVTYPE=wwan`).
        case cellular
        /// This machine itself.
        case loopback
        /// A network inside another one: tun, WireGuard, IP in IP, GRE, PPP.
        case tunnel
    }

    /// Such as `eth0`.
    public let name: String
    /// The kernel's number.
    public let index: Int
    /// What it is made of.
    public let kind: Kind
}
