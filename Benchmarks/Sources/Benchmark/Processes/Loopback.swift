// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Glibc

/// Finds and checks ports of 127.0.0.1.
enum Loopback {
    /// Returns different ports on which no process listens at the moment.
    static func freePorts(_ count: Int) throws -> [UInt16] {
        guard count > 0 else { return [] }
        // The socket reserves its port while the others are chosen.
        return try withSocket { descriptor in
            guard call(bind, descriptor, port: 0), let port = port(of: descriptor) else {
                throw BenchmarkError("no port of 127.0.0.1 is free")
            }
            return [port] + (try freePorts(count - 1))
        }
    }

    private static func port(of descriptor: CInt) -> UInt16? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return status == 0 ? UInt16(bigEndian: address.sin_port) : nil
    }

    /// Returns whether a process listens on a port.
    static func accepts(_ port: UInt16) -> Bool {
        withSocket { call(connect, $0, port: port) }
    }

    private static func withSocket<Result>(_ body: (CInt) throws -> Result) rethrows -> Result {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        return try body(descriptor)
    }

    /// Calls `bind` or `connect`. Both fail for an invalid socket.
    private static func call(
        _ function: (CInt, UnsafePointer<sockaddr>?, socklen_t) -> CInt, _ descriptor: CInt, port: UInt16
    ) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
