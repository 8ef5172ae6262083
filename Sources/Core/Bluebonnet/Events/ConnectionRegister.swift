// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The open connections of a partition by their sockets: origin, number and use, for statistics and event monitors. A
/// value. It reports connections to the monitors of the process; without monitors it only knows origins.
struct ConnectionRegister: ConnectionRecords {
    private struct Connection {
        let origin: Origin
        let openedAt = MonotonicClock.now()
        /// 0 before the first recorded use.
        var number = 0
        /// Whether `connectionOpened` was reported.
        var isReported = false
        var useCount = 0
        var hasFailed = false
        /// 0 while the connection is used, and before its first use.
        var idleSince: UInt64 = 0
        var peerAddress = ""
        var peerPort = 0

        var information: RequestEvent.ConnectionInformation {
            RequestEvent.ConnectionInformation(
                number: number, peerAddress: peerAddress, peerPort: peerPort, openedAt: openedAt)
        }
    }

    private var connections: [CInt: Connection] = [:]

    var areReported: Bool { !EventChannels.isEmpty }

    func contains(_ socket: CInt) -> Bool { connections[socket] != nil }

    /// The origin of each open connection, with its socket.
    var origins: [(socket: CInt, origin: Origin)] { connections.map { ($0.key, $0.value.origin) } }

    /// Records a socket that is being connected.
    mutating func open(_ socket: CInt, to origin: Origin) { connections[socket] = Connection(origin: origin) }

    /// Records that a transfer begins to use a connection, and reports a new connection.
    ///
    /// - Parameter isKept: whether the connection was made for an earlier transfer.
    mutating func beginUse(
        of socket: CInt, _ peer: @autoclosure () -> (address: String, port: Int), to origin: Origin, isKept: Bool
    ) -> ConnectionUseFacts {
        var connection = connections[socket] ?? Connection(origin: origin)
        let idleSince = connection.idleSince
        if connection.number == 0 {
            connection.number = EventCounters.nextConnection()
            (connection.peerAddress, connection.peerPort) = peer()
        }
        connection.useCount += 1
        (connection.idleSince, connection.hasFailed) = (0, false)
        if !connection.isReported, !isKept, !EventChannels.isEmpty {
            connection.isReported = true
            EventChannels.send(.connectionOpened(connection.information), origin: "\(connection.origin)")
        }
        connections[socket] = connection
        return ConnectionUseFacts(
            number: connection.number, peerAddress: connection.peerAddress, peerPort: connection.peerPort,
            openedAt: connection.openedAt, isReused: isKept,
            idleTime: idleSince > 0 ? MonotonicClock.now() - idleSince : nil)
    }

    /// Records that a transfer has left its connection, and reports an idle connection.
    mutating func endUse(of socket: CInt, hasFailed: Bool) {
        guard var connection = connections[socket], connection.useCount > 0 else { return }
        connection.useCount -= 1
        if hasFailed { connection.hasFailed = true }
        if connection.useCount == 0 {
            connection.idleSince = MonotonicClock.now()
            if connection.isReported, !connection.hasFailed {
                EventChannels.send(.connectionIdle(connection.information), origin: "\(connection.origin)")
            }
        }
        connections[socket] = connection
    }

    /// Records that a connection is about to be closed, and reports it.
    ///
    /// - Parameter isAtEnd: whether the server has closed it; called only for a reported connection.
    mutating func close(_ socket: CInt, isAtEnd: () -> Bool) {
        guard let connection = connections.removeValue(forKey: socket), connection.isReported else { return }
        let reason: RequestEvent.CloseReason =
            isAtEnd() ? .closedByServer : connection.hasFailed || connection.useCount > 0 ? .notReusable : .idle
        EventChannels.send(.connectionClosed(connection.information, reason), origin: "\(connection.origin)")
    }
}
