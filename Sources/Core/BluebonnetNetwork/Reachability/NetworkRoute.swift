// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The route by which the kernel would send a packet, as `ip route get` shows it.
public struct NetworkRoute: Sendable, Hashable {
    /// The destination address. For the whole network, a distant address to which nothing is sent.
    public let destination: IPAddress
    /// The interface that would send the packet.
    public let interface: NetworkInterface
    /// The next router; nil if the destination is on the interface's own network.
    public let gateway: IPAddress?
    /// The source address of the packet; nil if the kernel does not report it.
    public let source: IPAddress?
}

/// A network interface: its name, number and kind.
public struct NetworkInterface: Sendable, Hashable {
    /// The kind of an interface, as far as the kernel reports it.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// A wired interface, real or virtual, and any interface of no other kind.
        case wired
        /// A radio of the 802.11 family.
        case wireless
        /// A modem of a mobile network (`DEVTYPE=wwan`).
        case cellular
        /// The machine itself.
        case loopback
        /// A network inside another one: tun, WireGuard, IP in IP, GRE, PPP.
        case tunnel
    }

    /// The interface's name, such as `eth0`.
    public let name: String
    /// The kernel's number of the interface.
    public let index: Int
    /// The kind of the interface.
    public let kind: Kind
}
