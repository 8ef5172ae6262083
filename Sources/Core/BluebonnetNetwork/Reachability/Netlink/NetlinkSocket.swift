// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc

/// A socket to the kernel's routing tables, which sends and receives datagrams. Network thread only. The socket does
/// not interpret messages.
final class NetlinkSocket {
    /// The notifications that a socket receives, as bits of the RTNLGRP_… numbers minus one.
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

    /// The result of receiving.
    enum Received {
        case datagram(UnsafeRawBufferPointer)
        /// Not a message of the kernel: a datagram of another sender, or a signal. There may be more datagrams.
        case foreign
        case nothing
        /// Messages were lost: the receive buffer was full, or a datagram exceeded the largest expected size.
        case lost
        case failed(Int32)
    }

    /// Dumps arrive in datagrams of up to 32 KiB.
    private static let capacity = 64 * 1024

    let descriptor: CInt
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 8)

    /// - Throws: the kernel's refusal.
    init(groups: Groups, receiveBufferByteCount: Int) throws(NetlinkRefusal) {
        descriptor = bluebonnet_netlink_open(groups.rawValue, CInt(receiveBufferByteCount))
        guard descriptor >= 0 else { throw NetlinkRefusal(code: errno) }  // `deinit` runs in this case too
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        buffer.deallocate()
    }

    /// The port that identifies answers to this socket.
    var port: UInt32 { bluebonnet_netlink_port(descriptor) }

    /// Sends a request to the kernel.
    func send(_ message: [UInt8]) throws(NetlinkRefusal) {
        guard bluebonnet_netlink_send(descriptor, message, message.count, 0) < 0 else { return }
        throw NetlinkRefusal(code: errno)
    }

    /// Receives the next datagram. Its bytes are valid until the next call and while the socket exists. Only the
    /// kernel has port 0.
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

/// The reason why the kernel refuses queries.
struct NetlinkRefusal: Error, Equatable {
    let code: Int32

    /// Whether the error is temporary (descriptors, memory, buffer space).
    var isTemporary: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM, EAGAIN, EINTR].contains(code) }
}
