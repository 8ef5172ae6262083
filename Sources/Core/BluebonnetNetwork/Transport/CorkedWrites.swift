// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Glibc

/// Corks a socket, so that consecutive requests on one connection are sent together (TCP_CORK; tcp(7)).
///
/// libcurl writes each request of an HTTP/2 connection separately. Without the cork, the kernel sends a segment for
/// each request, which costs more than the rest of the write and wakes the server each time.
struct CorkedWrites {
    /// The maximum number of requests that wait in the socket together.
    static let flushInterval = 32

    private var socket: CInt = -1
    private var requestCount = 0

    /// Prepares a socket for a request that is about to be written. The first request on a connection is sent at once,
    /// later ones with `end()` at the latest.
    mutating func requestIsWritten(to socket: CInt) {
        if socket != self.socket {
            end()
            self.socket = socket
        }
        requestCount += 1
        if requestCount == 2 {
            set(TCP_CORK, 1)
        } else if requestCount % Self.flushInterval == 2 {
            set(TCP_NODELAY, 1)  // libcurl has set it already; setting it again flushes the socket
        }
    }

    mutating func end() {
        if requestCount > 1 { set(TCP_CORK, 0) }
        forget(socket)
    }

    /// Leaves a socket alone that is about to be closed. Closing flushes the socket.
    mutating func forget(_ socket: CInt) {
        if socket == self.socket { (self.socket, requestCount) = (-1, 0) }
    }

    private func set(_ option: CInt, _ value: CInt) {
        var value = value
        _ = setsockopt(socket, CInt(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<CInt>.size))
    }
}
