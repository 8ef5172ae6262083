// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

/// A listening loopback socket whose queue is full: clients that connect wait.
final class FullServer: Sendable {
    let port: UInt16
    private let listening: CInt
    private let waiting: [CInt]

    /// - Parameters:
    ///   - host: the last byte of the address; 1 is 127.0.0.1.
    ///   - port: 0 means any port.
    init(host: UInt8 = 1, port: UInt16 = 0) throws {
        let flags = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        listening = socket(AF_INET, flags, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = (0x7F00_0000 | UInt32(host)).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listening = listening
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listening, address, length) == 0, listen(listening, 0) == 0 else { return UInt16(0) }
                getsockname(listening, address, &length)
                return pointer.pointee.sin_port
            }
        }
        try #require(bound != 0)
        self.port = UInt16(bigEndian: bound)
        var waiting: [CInt] = []
        for _ in 0..<3 {
            let descriptor = socket(AF_INET, flags | CInt(SOCK_NONBLOCK.rawValue), 0)
            _ = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
            }
            waiting.append(descriptor)
        }
        self.waiting = waiting
    }

    /// Accepts every connection, and answers the connections that send a request, until the socket is closed.
    func serve() {
        Thread.detachNewThread { [self] in
            while true {
                let descriptor = accept(listening, nil, nil)
                guard descriptor >= 0 else { return }
                Thread.detachNewThread { Self.answer(descriptor) }
            }
        }
    }

    private static func answer(_ descriptor: CInt) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        if recv(descriptor, &buffer, buffer.count, 0) > 0 {
            let reply = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlate"
            _ = send(descriptor, reply, reply.utf8.count, CInt(MSG_NOSIGNAL))
        }
        close(descriptor)
    }

    func stop() {
        shutdown(listening, CInt(SHUT_RDWR))
        for descriptor in waiting { close(descriptor) }
        close(listening)
    }
}
