// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc

/// A socket to the kernel's routing tables: datagrams out and in. Network thread only; it knows no message.
final class NetlinkSocket {
    /// The news that a socket hears of: bits of RTNLGRP_… numbers, less one.
    struct Groups: OptionSet {
        let rawValue: UInt32
        static let links = Groups(rawValue: 1 << 0)
        /// RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR.
        static let addresses = Groups(rawValue: 1 << 4 | 1 << 8)
        /// RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE, RTNLGRP_NEXTHOP.
        static let routes = Groups(rawValue: 1 << 6 | 1 << 10 | 1 << 31)
        /// RTNLGRP_IPV4_RULE, RTNLGRP_IPV6_RULE.
        static let rules = Groups(rawValue: 1 << 7 | 1 << 18)
    }

    /// What receiving gave.
    enum Received {
        case datagram(UnsafeRawBufferPointer)
        /// Nothing of the kernel's: somebody else's datagram, or a signal. There may be more.
        case foreign
        case nothing
        /// Messages were lost: the receive buffer was full, or a datagram was larger than any should be.
        case lost
        case failed(Int32)
    }

    /// Dumps come in datagrams of up to 32 KiB.
    private static let capacity = 64 * 1024

    let descriptor: CInt
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 8)

    /// - Throws: the kernel's refusal.
    init(groups: Groups, receiveBufferByteCount: Int) throws(NetlinkRefusal) {
        descriptor = bluebonnet_netlink_open(groups.rawValue, CInt(receiveBufferByteCount))
        guard descriptor >= 0 else { throw NetlinkRefusal(code: errno) }  // `deinit` runs then, too
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        buffer.deallocate()
    }

    /// The number by which answers to this socket are known.
    var port: UInt32 { bluebonnet_netlink_port(descriptor) }

    /// Sends a request to the kernel.
    func send(_ message: [UInt8]) throws(NetlinkRefusal) {
        guard bluebonnet_netlink_send(descriptor, message, message.count, 0) < 0 else { return }
        throw NetlinkRefusal(code: errno)
    }

    /// Takes the next datagram, whose bytes are there until the next call and as long as the socket. Only the kernel
    /// has port 0.
    func receive() -> Received {
        var sender: UInt32 = 0
        let count = bluebonnet_netlink_receive(descriptor, buffer.baseAddress, buffer.count, &sender)
        guard count >= 0 else {
            switch errno {
            case EAGAIN: return .nothing
            case EINTR: return .foreign
            case ENOBUFS: return .lost
            default: return .failed(errno)
            }
        }
        if sender != 0 { return .foreign }
        return count > buffer.count ? .lost : .datagram(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
}

@available(*, unavailable)
extension NetlinkSocket: Sendable {}

/// Why the kernel does not let us ask.
struct NetlinkRefusal: Error, Equatable {
    let code: Int32

    /// Whether it is for want of something that may be there again later: descriptors, memory, room.
    var mayPass: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM, EAGAIN, EINTR].contains(code) }
}
