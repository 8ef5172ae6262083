// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux

/// Parses the messages of one datagram from the kernel's routing socket. Any bytes are accepted.
///
/// A message that is truncated or contradicts itself is skipped, together with all messages after it.
enum NetlinkParser {
    static func messages(in datagram: UnsafeRawBufferPointer) -> [NetlinkMessage] {
        var rest = Bytes(datagram)
        var messages: [NetlinkMessage] = []
        while let header = rest.load(nlmsghdr.self) {
            let length = Int(header.nlmsg_len)
            guard length >= MemoryLayout<nlmsghdr>.size, length <= rest.count else { break }
            let payload = rest.slice(MemoryLayout<nlmsghdr>.size..<length)
            messages.append(
                NetlinkMessage(
                    port: header.nlmsg_pid, sequence: header.nlmsg_seq,
                    isInterrupted: Int32(header.nlmsg_flags) & NLM_F_DUMP_INTR != 0,
                    body: body(type: Int32(header.nlmsg_type), payload)))
            rest = rest.slice(min(aligned(length), rest.count)..<rest.count)
        }
        return messages
    }

    private static func body(type: Int32, _ payload: Bytes) -> NetlinkMessage.Body {
        switch type {
        case NLMSG_DONE: .done
        case NLMSG_ERROR: .error(payload.load(Int32.self).map { $0 == .min ? .max : -$0 } ?? 0)
        case NLMSG_OVERRUN: .overrun
        case Int32(RTM_NEWLINK): link(payload).map { .link($0) } ?? .other
        case Int32(RTM_DELLINK): removedLink(payload).map { .linkRemoved(index: $0) } ?? .other
        case Int32(RTM_NEWADDR): address(payload).map { .address($0) } ?? .other
        case Int32(RTM_DELADDR): address(payload).map { .addressRemoved($0) } ?? .other
        case Int32(RTM_NEWROUTE): route(payload).map { .route($0) } ?? .other
        case Int32(RTM_DELROUTE), Int32(RTM_NEWRULE), Int32(RTM_DELRULE), newNexthop, deletedNexthop: .routingChanged
        default: .other
        }
    }

    /// RTM_NEWNEXTHOP and RTM_DELNEXTHOP, which older headers do not define.
    private static let newNexthop: Int32 = 104
    private static let deletedNexthop: Int32 = 105

    fileprivate static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}

// MARK: - Message types

extension NetlinkParser {
    private static func link(_ payload: Bytes) -> NetworkTable.Link? {
        guard let header = payload.load(ifinfomsg.self), header.ifi_index > 0,
            // A bridge reports its ports in messages of the family AF_BRIDGE, which say nothing about the link itself.
            header.ifi_family == AF_UNSPEC
        else { return nil }
        var link = NetworkTable.Link(index: Int(header.ifi_index), type: Int(header.ifi_type))
        forEachAttribute(payload, after: MemoryLayout<ifinfomsg>.size) { type, value in
            if type == IFLA_IFNAME { link.name = value.text }
            if type == IFLA_LINKINFO {
                forEachAttribute(value, after: 0) { type, value in
                    if type == IFLA_INFO_KIND { link.driver = value.text }
                }
            }
        }
        return link
    }

    private static func removedLink(_ payload: Bytes) -> Int? {
        guard let header = payload.load(ifinfomsg.self), header.ifi_family == AF_UNSPEC else { return nil }
        return Int(header.ifi_index)
    }

    private static func address(_ payload: Bytes) -> NetworkTable.Address? {
        guard let header = payload.load(ifaddrmsg.self) else { return nil }
        var (local, other): (IPAddress?, IPAddress?)
        forEachAttribute(payload, after: MemoryLayout<ifaddrmsg>.size) { type, value in
            // On a point-to-point link, IFA_ADDRESS is the address of the other end.
            if type == IFA_LOCAL { local = IPAddress(bytes: value.all) }
            if type == IFA_ADDRESS { other = IPAddress(bytes: value.all) }
        }
        return (local ?? other).map { NetworkTable.Address(address: $0, interface: Int(header.ifa_index)) }
    }

    private static func route(_ payload: Bytes) -> RouteAnswer.Route? {
        guard let header = payload.load(rtmsg.self) else { return nil }
        var route = RouteAnswer.Route()
        let refusals = [RTN_UNREACHABLE, RTN_PROHIBIT, RTN_BLACKHOLE, RTN_THROW].map { UInt32(truncatingIfNeeded: $0) }
        route.isRefusal = refusals.contains(UInt32(header.rtm_type))
        forEachAttribute(payload, after: MemoryLayout<rtmsg>.size) { type, value in
            switch UInt32(type) {
            case RTA_OIF.rawValue: route.interface = value.load(Int32.self).map(Int.init) ?? 0
            case RTA_GATEWAY.rawValue: route.gateway = IPAddress(bytes: value.all)
            // An IPv4 route over an IPv6 router: two bytes of family, then the address.
            case RTA_VIA.rawValue: route.gateway = IPAddress(bytes: value.all.dropFirst(2))
            case RTA_PREFSRC.rawValue: route.source = IPAddress(bytes: value.all)
            default: break
            }
        }
        return route
    }

    /// Calls `body` with the type and value of each attribute. Stops at a truncated attribute.
    private static func forEachAttribute(_ payload: Bytes, after offset: Int, _ body: (Int, Bytes) -> Void) {
        var rest = payload.slice(min(aligned(offset), payload.count)..<payload.count)
        while let header = rest.load(rtattr.self) {
            let length = Int(header.rta_len)
            guard length >= MemoryLayout<rtattr>.size, length <= rest.count else { return }
            // The two highest bits of the type are flags.
            body(Int(header.rta_type & 0x3FFF), rest.slice(MemoryLayout<rtattr>.size..<length))
            rest = rest.slice(min(aligned(length), rest.count)..<rest.count)
        }
    }
}

/// A part of a datagram that is never read past its end.
private struct Bytes {
    private let buffer: UnsafeRawBufferPointer

    init(_ buffer: UnsafeRawBufferPointer) { self.buffer = buffer }

    var count: Int { buffer.count }

    var all: UnsafeRawBufferPointer { buffer }

    /// The text before the first zero byte.
    var text: String { String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self) }

    func slice(_ range: Range<Int>) -> Bytes { Bytes(UnsafeRawBufferPointer(rebasing: buffer[range])) }

    /// Returns the structure at the start; nil if there are not enough bytes.
    func load<Value: BitwiseCopyable>(_ type: Value.Type) -> Value? {
        count >= MemoryLayout<Value>.size ? buffer.loadUnaligned(as: type) : nil
    }
}
