// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import BluebonnetTestServer
import CLinux
import Foundation
import Glibc
import Testing

@testable import Bluebonnet

/// A server on a Unix socket for one connection. It reads only when the test asks for it. Until then, the client's
/// bytes have no other space than the socket's own buffer.
final class LateReader: Sendable {
    let path: String
    private let listener: CInt
    private let connection = Mutex<CInt>(-1)

    init(path: String) throws {
        self.path = path
        listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, socklen_t(MemoryLayout<sockaddr_un>.size)) | listen(listener, 1)
            }
        }
        guard status == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    }

    deinit {
        close(listener)
        connection.withLock { if $0 >= 0 { _ = close($0) } }
    }

    /// Waits until the client has written all that the socket accepts, and returns the byte count.
    func fills() async -> Int {
        await onThreadOfItsOwn { [self] in
            let accepted = accept(listener, nil, nil)
            connection.withLock { $0 = accepted }
            var waiting = pollfd(fd: accepted, events: Int16(POLLIN), revents: 0)
            poll(&waiting, 1, -1)
        }
        await NetworkThread.shared.catchesUp()
        var count: CInt = 0
        _ = ioctl(connection.withLock { $0 }, UInt(FIONREAD), &count)
        return Int(count)
    }

    /// Reads until there is enough or the connection has ended.
    func read(until isEnough: @escaping @Sendable (Data) -> Bool) async -> Data {
        let received = Mutex(Data())
        await withTaskCancellationHandler {
            await onThreadOfItsOwn { [self] in
                let descriptor = connection.withLock { $0 }
                var bytes = [UInt8](repeating: 0, count: 65_536)
                while !received.withLock({ isEnough($0) }) {
                    let count = recv(descriptor, &bytes, bytes.count, 0)
                    guard count > 0 else { return }
                    received.withLock { $0 += bytes.prefix(count) }
                }
            }
        } onCancel: {
            connection.withLock { _ = shutdown($0, CInt(SHUT_RDWR)) }
        }
        return received.withLock { $0 }
    }

    func answer() {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        _ = send(connection.withLock { $0 }, text, text.utf8.count, CInt(MSG_NOSIGNAL))
    }
}
