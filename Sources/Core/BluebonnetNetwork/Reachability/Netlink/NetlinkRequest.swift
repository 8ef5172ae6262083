// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux

/// A query to the kernel's routing socket.
enum NetlinkRequest: Hashable, Sendable {
    case allLinks
    case allAddresses
    /// The route to one address, through a given interface if the address is link-local.
    case route(to: IPAddress, interface: Int?)

    /// Returns the bytes of the request.
    func message(sequence: UInt32) -> [UInt8] {
        switch self {
        case .allLinks:
            Self.message(RTM_GETLINK, NLM_F_DUMP, sequence, ifinfomsg(), [])
        case .allAddresses:
            Self.message(RTM_GETADDR, NLM_F_DUMP, sequence, ifaddrmsg(), [])
        case .route(let address, let interface):
            Self.message(
                RTM_GETROUTE, 0, sequence, Self.header(for: address),
                Self.attribute(RTA_DST, address.bytes)
                    + (interface.map { Self.attribute(RTA_OIF, Self.bytes(of: Int32($0))) } ?? []))
        }
    }

    private static func header(for address: IPAddress) -> rtmsg {
        var header = rtmsg()
        header.rtm_family = UInt8(address.isIPv6 ? AF_INET6 : AF_INET)
        header.rtm_dst_len = UInt8(address.bytes.count * 8)
        return header
    }

    /// Returns the bytes of a message. The kernel requires every part to begin at a multiple of four; all parts used
    /// here have such lengths.
    private static func message(
        _ type: some BinaryInteger, _ flags: Int32, _ sequence: UInt32, _ header: some BitwiseCopyable,
        _ attributes: [UInt8]
    ) -> [UInt8] {
        let body = bytes(of: header) + attributes
        var start = nlmsghdr()
        start.nlmsg_len = UInt32(MemoryLayout<nlmsghdr>.size + body.count)
        start.nlmsg_type = UInt16(type)
        start.nlmsg_flags = UInt16(NLM_F_REQUEST | flags)
        start.nlmsg_seq = sequence
        return bytes(of: start) + body
    }

    private static func attribute(_ type: rtattr_type_t, _ value: [UInt8]) -> [UInt8] {
        var header = rtattr()
        header.rta_len = UInt16(MemoryLayout<rtattr>.size + value.count)
        header.rta_type = UInt16(type.rawValue)
        return bytes(of: header) + value
    }

    private static func bytes(of value: some BitwiseCopyable) -> [UInt8] {
        withUnsafeBytes(of: value) { Array($0) }
    }
}
