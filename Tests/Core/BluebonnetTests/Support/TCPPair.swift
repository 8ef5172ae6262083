// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import CLinux
import Glibc
import Testing

/// A socket and its peer on loopback. Both are closed with the last reference.
final class TCPPair: Sendable {
    let near: CInt
    private let far: CInt

    /// - Parameters:
    ///   - localPort: the port of the near end; 0 means any port. Another pair can use the same port with another
    ///     peer.
    ///   - peerAddress: the address of the far end, in the loopback network.
    init(localPort: Int = 0, peerAddress: UInt32 = 0x7F00_0001) throws {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        near = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var one: CInt = 1
        setsockopt(near, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<CInt>.size))
        let near = near
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected =
            Self.withAddress(0x7F00_0001, port: localPort) { bind(near, $0, length) == 0 }
            && Self.withAddress(peerAddress, port: 0) { address in
                var length = length
                return bind(listener, address, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, address, &length) == 0 && connect(near, address, length) == 0
            }
        try #require(isConnected, "no connection on loopback")
        far = accept(listener, nil, nil)
        try #require(far >= 0)
        // libcurl sets this option too.
        setsockopt(near, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
    }

    private static func withAddress<Result>(
        _ address: UInt32, port: Int, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = address.bigEndian
        name.sin_port = in_port_t(port).bigEndian
        return withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }

    deinit {
        close(near)
        close(far)
    }

    /// Writes bytes at the near end.
    func write(_ bytes: [UInt8]) { #expect(Glibc.write(near, bytes, bytes.count) == bytes.count) }

    /// Reads this many bytes at the far end, once they have arrived.
    func read(count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        return recv(far, &bytes, count, CInt(MSG_WAITALL)) == count ? bytes : []
    }
}

/// The kernel's information about a TCP socket.
struct TCPInformation {
    /// Whether the kernel holds back written data (TCP_CORK).
    let isCorked: Bool
    /// tcpi_data_segs_out, which glibc's structure lacks.
    let sentSegmentCount: Int

    init(of socket: CInt) throws {
        var cork: CInt = -1
        var length = socklen_t(MemoryLayout<CInt>.size)
        try #require(getsockopt(socket, CInt(IPPROTO_TCP), TCP_CORK, &cork, &length) == 0)
        isCorked = cork == 1
        let offset = 156  // in tcp_info of linux/tcp.h
        var bytes = [UInt8](repeating: 0, count: 256)
        length = socklen_t(bytes.count)
        try #require(getsockopt(socket, CInt(IPPROTO_TCP), TCP_INFO, &bytes, &length) == 0)
        try #require(length >= offset + 4)
        sentSegmentCount = Int(bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) })
    }
}
