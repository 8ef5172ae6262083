// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc

/// Determines the kinds of interfaces from their type and, for radios, from the kernel's information in `/sys`. Each
/// interface is examined once.
struct InterfaceKinds {
    private let folder: String
    private var known: [Int: (link: NetworkTable.Link, kind: NetworkInterface.Kind)] = [:]

    init(folder: String = "/sys/class/net") { self.folder = folder }

    mutating func kind(of link: NetworkTable.Link) -> NetworkInterface.Kind {
        if let entry = known[link.index], entry.link == link { return entry.kind }
        let kind = Self.kind(of: link, folder: folder)
        known[link.index] = (link, kind)
        return kind
    }

    static func kind(of link: NetworkTable.Link, folder: String) -> NetworkInterface.Kind {
        switch Int32(link.type) {
        case ARPHRD_LOOPBACK: return .loopback
        case ARPHRD_IEEE80211, ARPHRD_IEEE80211_PRISM, ARPHRD_IEEE80211_RADIOTAP: return .wireless
        case ARPHRD_TUNNEL, ARPHRD_TUNNEL6, ARPHRD_SIT, ARPHRD_IPGRE, ARPHRD_IP6GRE: return .tunnel
        default: break
        }
        if link.driver == "wwan" { return .cellular }
        switch deviceType(of: link, folder: folder) {
        case "wwan": return .cellular
        case "wlan": return .wireless
        default: break
        }
        if tunnelDrivers.contains(link.driver) { return .tunnel }
        // PPP and interfaces without hardware (tun, WireGuard) carry one network in another.
        return [ARPHRD_PPP, ARPHRD_NONE].contains(Int32(link.type)) ? .tunnel : .wired
    }

    private static let tunnelDrivers: Set = [
        "tun", "wireguard", "ipip", "sit", "gre", "gretap", "ip6gre", "ip6gretap", "ip6tnl", "vti", "vti6", "xfrm",
        "ppp", "l2tp", "geneve", "vxlan",
    ]

    /// Returns `DEVTYPE` from the interface's `uevent` file. A folder of the same name may belong to another network
    /// namespace, so the interface's number is compared.
    private static func deviceType(of link: NetworkTable.Link, folder: String) -> String? {
        let path = "\(folder)/\(link.name)"
        guard !link.name.isEmpty, !link.name.contains("/"), let event = text(of: path + "/uevent") else { return nil }
        let lines = event.split(separator: "\n")
        guard lines.contains("IFINDEX=\(link.index)") else { return nil }
        if let line = lines.first(where: { $0.hasPrefix("DEVTYPE=") }) { return String(line.dropFirst(8)) }
        return access(path + "/wireless", F_OK) == 0 ? "wlan" : nil
    }

    /// Returns the contents of a short kernel file.
    private static func text(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = read(descriptor, &bytes, bytes.count)
        return count >= 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
