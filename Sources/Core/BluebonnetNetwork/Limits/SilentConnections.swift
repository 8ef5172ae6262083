// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Records multiplexed connections over which nothing arrived while a request waited until its time limit. The network
/// path to the server may be broken, and no other request may use such a connection.
///
/// A value without a clock: instants are nanoseconds of `MonotonicClock`, ages are nanoseconds before such an instant.
struct SilentConnections {
    /// Covers the rounding of the kernel's times.
    private static let tolerance: UInt64 = 50_000_000
    private var sockets: [CInt: UInt64] = [:]

    var isEmpty: Bool { sockets.isEmpty }

    /// Records the connection of a request that has reached a time limit, unless data arrived while the request waited.
    ///
    /// - Parameters:
    ///   - waited: how long the request had waited for a byte.
    ///   - dataAge: the time since bytes last arrived over the connection, for any request.
    mutating func record(_ socket: CInt, waited: UInt64, dataAge: UInt64, now: UInt64) {
        if dataAge + Self.tolerance >= waited, sockets[socket] == nil { sockets[socket] = now }
    }

    /// Returns whether nothing has arrived over a recorded connection since it was recorded.
    mutating func confirmSilent(_ socket: CInt, dataAge: UInt64, now: UInt64) -> Bool {
        guard let since = sockets[socket] else { return false }
        if dataAge + Self.tolerance >= now - min(now, since) { return true }
        sockets[socket] = nil
        return false
    }

    /// Forgets a closed socket: another connection may get its number.
    mutating func forget(_ socket: CInt) {
        if !sockets.isEmpty { sockets[socket] = nil }
    }
}
