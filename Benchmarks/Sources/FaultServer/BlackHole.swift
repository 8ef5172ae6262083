// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Glibc

/// A port of 127.0.0.1 whose queue of connections is full, so that the kernel drops connection requests.
final class BlackHole: Sendable {
    let port: Int
    private let descriptors: [CInt]

    init() throws {
        let listener = Self.socket()
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var descriptors = [listener]
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                var length = length
                guard bind(listener, address, length) == 0, listen(listener, 0) == 0,
                    getsockname(listener, address, &length) == 0
                else { return false }
                // A queue of length 0 accepts one connection; the further attempts make sure that it is full.
                for _ in 0..<3 {
                    let descriptor = Self.socket()
                    _ = connect(descriptor, address, length)
                    descriptors.append(descriptor)
                }
                return true
            }
        }
        self.descriptors = descriptors
        port = Int(UInt16(bigEndian: address.sin_port))
        guard isListening else {
            close()
            throw BenchmarkError("no free port on 127.0.0.1")
        }
    }

    func close() { for descriptor in descriptors { _ = Glibc.close(descriptor) } }

    private static func socket() -> CInt {
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        return Glibc.socket(AF_INET, kind, 0)
    }
}
