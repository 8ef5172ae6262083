// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import CLinux

/// An IPv4 or IPv6 address, with the interface of a link-local address. It contains no name and no port.
public struct IPAddress: Hashable, Sendable, LosslessStringConvertible {
    /// The 4 bytes of an IPv4 address or 16 bytes of an IPv6 address, in network order.
    public let bytes: [UInt8]
    /// The interface of a link-local address, by name or number: the text after `%`; nil without a zone.
    public let zone: String?

    /// Parses `192.0.2.1`, `2001:db8::1` or `fe80::1%eth0` (RFC 4007, section 11). Nil if the text is not an address.
    public init?(_ description: String) {
        let parts = description.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let text = parts.first, !text.utf8.contains(0) else { return nil }
        self.init(bluebonnet_address_parse(String(text)), zone: parts.count > 1 ? String(parts[1]) : nil)
        guard zone == nil || isIPv6 && zone?.isEmpty == false else { return nil }
    }

    package init?(_ address: bluebonnet_address, zone: String? = nil) {
        let count = Int(address.byte_count)
        guard count > 0 else { return nil }
        bytes = withUnsafeBytes(of: address.bytes) { Array($0.prefix(count)) }
        self.zone = zone ?? (address.interface > 0 ? String(address.interface) : nil)
    }

    /// Makes an address from bytes of a message. Nil unless there are 4 or 16 bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = Array(bytes)
        zone = nil
    }

    /// Whether the address is an IPv6 address.
    public var isIPv6: Bool { bytes.count == 16 }

    /// Whether all bytes are zero, which means any address.
    public var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

    /// The address in its usual text form, with its zone.
    public var description: String {
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            bluebonnet_address_format(bytes, UInt32(bytes.count), text.baseAddress)
            return text.baseAddress.map { String(cString: $0) } ?? ""
        }
        return zone.map { "\(text)%\($0)" } ?? text
    }

    /// The address without its zone, for comparison with an interface's addresses.
    var withoutZone: IPAddress { IPAddress(bytes: bytes) ?? self }
}
