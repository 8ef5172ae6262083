// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import BluebonnetTestServer
import Glibc

/// A TCP socket on 127.0.0.1.
final class LoopbackSocket: Sendable {
    private let descriptor: Mutex<Int32>

    init(isBlocking: Bool = true) throws {
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | (isBlocking ? 0 : SOCK_NONBLOCK.rawValue)
        let new = socket(AF_INET, Int32(type), 0)
        guard new >= 0 else { throw TestServerError("no socket: \(String(cString: strerror(errno)))") }
        descriptor = Mutex(new)
    }

    /// Binds to a port, and returns whether the port was free.
    func bind(to port: Int) -> Bool {
        descriptor.withLock { descriptor in
            Self.withAddress(port: port) { Glibc.bind(descriptor, $0, $1) } == 0
        }
    }

    /// Binds to a free port, and returns the port.
    func bindToFreePort() throws -> Int {
        let port = descriptor.withLock { descriptor -> Int? in
            guard Self.withAddress(port: 0, { Glibc.bind(descriptor, $0, $1) }) == 0 else { return nil }
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let status = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            }
            return status == 0 ? Int(UInt16(bigEndian: address.sin_port)) : nil
        }
        guard let port else { throw TestServerError("no free port on 127.0.0.1") }
        return port
    }

    /// Starts listening.
    func listen(backlog: Int32) {
        descriptor.withLock { _ = Glibc.listen($0, backlog) }
    }

    /// Connects, and returns whether that succeeded. A non-blocking socket only starts to connect.
    func connect(to port: Int) -> Bool {
        descriptor.withLock { descriptor in
            Self.withAddress(port: port) { Glibc.connect(descriptor, $0, $1) } == 0
        }
    }

    /// Closes the socket. A second call does nothing.
    func shut() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }

    private static func withAddress(port: Int, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
