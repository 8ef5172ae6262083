// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The connections of several requests at once over which nothing came for as long as a request waited that then met a
/// time limit: the way to the server may be gone, and no other request is to wait there.
///
/// A value without a clock: instants are nanoseconds of `MonotonicClock`, ages are lengths of time until an instant.
struct SilentConnections {
    /// What the kernel rounds off.
    private static let tolerance: UInt64 = 50_000_000
    private var sockets: [CInt: UInt64] = [:]

    var isEmpty: Bool { sockets.isEmpty }

    /// A request has met a time limit.
    ///
    /// - Parameters:
    ///   - waited: how long it had waited for a byte.
    ///   - dataAge: how long ago the last bytes came over the connection, for any request.
    mutating func note(_ socket: CInt, waited: UInt64, dataAge: UInt64, now: UInt64) {
        if dataAge + Self.tolerance >= waited, sockets[socket] == nil { sockets[socket] = now }
    }

    /// Whether nothing has come over a connection since.
    mutating func contains(_ socket: CInt, dataAge: UInt64, now: UInt64) -> Bool {
        guard let since = sockets[socket] else { return false }
        if dataAge + Self.tolerance >= now - min(now, since) { return true }
        sockets[socket] = nil
        return false
    }

    /// A socket was closed: its number is that of another connection.
    mutating func forget(_ socket: CInt) {
        if !sockets.isEmpty { sockets[socket] = nil }
    }
}
