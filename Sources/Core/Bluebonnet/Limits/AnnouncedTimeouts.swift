// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Until when kept connections may be used, as far as their servers have said how long they keep them (`Keep-Alive:
/// timeout=5`). A request that is sent when a server is about to close its connection is lost, and a POST is not sent
/// twice.
///
/// A value without a clock: instants are nanoseconds of `MonotonicClock`.
struct AnnouncedTimeouts {
    private static let second: UInt64 = 1_000_000_000
    /// How much earlier the connection is given up: a response and the next request take time.
    private static let margin = second
    private var ends: [CInt: UInt64] = [:]

    var isEmpty: Bool { ends.isEmpty }

    /// A response on the connection has ended.
    ///
    /// - Parameter seconds: how long the server keeps the connection.
    mutating func set(_ socket: CInt, seconds: Int, now: UInt64) {
        let length = UInt64(max(0, seconds)) * Self.second
        ends[socket] = now + length - min(Self.margin, length / 2)
    }

    /// A request is about to use a connection: whether it is too late for that.
    mutating func use(_ socket: CInt, now: UInt64) -> Bool {
        guard let end = ends.removeValue(forKey: socket) else { return false }
        return now >= end
    }

    /// A socket was closed: its number is that of another connection.
    mutating func forget(_ socket: CInt) {
        if !ends.isEmpty { ends[socket] = nil }
    }
}
