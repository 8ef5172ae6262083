// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The instants until which idle connections may be used, for servers that announce how long they keep them
/// (`Keep-Alive: timeout=5`). A request that is sent while the server is about to close the connection is lost, and a
/// POST is not sent twice.
///
/// A value without a clock: instants are nanoseconds of `MonotonicClock`.
struct AnnouncedTimeouts {
    private static let second: UInt64 = 1_000_000_000
    /// How much earlier the connection is given up: a response and the next request take time.
    private static let margin = second
    private var ends: [CInt: UInt64] = [:]

    var isEmpty: Bool { ends.isEmpty }

    /// Records the timeout of a connection on which a response has ended.
    ///
    /// - Parameter seconds: how long the server keeps the connection.
    mutating func set(_ socket: CInt, seconds: Int, now: UInt64) {
        let length = UInt64(max(0, seconds)) * Self.second
        ends[socket] = now + length - min(Self.margin, length / 2)
    }

    /// Removes the timeout of a connection that a request is about to use, and returns whether it has passed.
    mutating func consumeTimeout(of socket: CInt, now: UInt64) -> Bool {
        guard let end = ends.removeValue(forKey: socket) else { return false }
        return now >= end
    }

    /// Forgets a closed socket: another connection may get its number.
    mutating func forget(_ socket: CInt) {
        if !ends.isEmpty { ends[socket] = nil }
    }
}
