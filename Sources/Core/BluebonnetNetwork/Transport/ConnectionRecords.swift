// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A register of the open connections of a partition by their sockets: origin, number and use. A value of the module
/// above, which reports connections to event monitors. Network thread only.
package protocol ConnectionRecords {
    /// Whether connections are reported to event monitors.
    var areReported: Bool { get }
    /// The origin of each open connection, with its socket.
    var origins: [(socket: CInt, origin: Origin)] { get }
    func contains(_ socket: CInt) -> Bool
    /// Records a socket that is being connected.
    mutating func open(_ socket: CInt, to origin: Origin)
    /// Records that a transfer begins to use a connection.
    ///
    /// - Parameters:
    ///   - peer: the address and the port of the other end; called at most once.
    ///   - isKept: whether the connection was made for an earlier transfer.
    mutating func beginUse(
        of socket: CInt, _ peer: @autoclosure () -> (address: String, port: Int), to origin: Origin, isKept: Bool
    ) -> ConnectionUseFacts
    /// Records that a transfer has left its connection.
    mutating func endUse(of socket: CInt, hasFailed: Bool)
    /// Records that a connection is about to be closed.
    ///
    /// - Parameter isAtEnd: whether the server has closed it; called only for a reported connection.
    mutating func close(_ socket: CInt, isAtEnd: () -> Bool)
}

/// The connection that a transfer uses, for event monitors.
package struct ConnectionUseFacts: Sendable {
    package let number: Int
    package let peerAddress: String
    package let peerPort: Int
    package let openedAt: UInt64
    package let isReused: Bool
    /// How long the connection was idle before, in nanoseconds; nil if it is new or shared.
    package let idleTime: UInt64?

    package init(
        number: Int, peerAddress: String, peerPort: Int, openedAt: UInt64, isReused: Bool, idleTime: UInt64?
    ) {
        self.number = number
        self.peerAddress = peerAddress
        self.peerPort = peerPort
        self.openedAt = openedAt
        self.isReused = isReused
        self.idleTime = idleTime
    }
}
