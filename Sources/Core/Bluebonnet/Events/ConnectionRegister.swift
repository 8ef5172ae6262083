// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The open connections of a partition by their sockets: origin, number and use, for statistics and event monitors.
/// Reports connections to the monitors of the process; without monitors it only knows origins. Network thread only.
struct ConnectionRegister: ConnectionRecords {
    private struct Use {
        /// The number of transfers on the connection.
        var count = 0
        var hasFailed = false
        /// 0 while the connection is used, and before its first use.
        var idleSince: UInt64 = 0
    }

    private final class Connection {
        let origin: Origin
        let openedAt = MonotonicClock.now()
        /// 0 before the first recorded use.
        var number = 0
        var peer = (address: "", port: 0)
        /// Whether `connectionOpened` was reported.
        var isReported = false
        var use = Use()
        private lazy var subject = Box(EventSubject(knownOrigin: origin))
        /// Made once, because every request without a successor on the connection reports it.
        private(set) lazy var becameIdle = RequestEvent.Kind.connectionIdle(information)

        init(to origin: Origin) { self.origin = origin }

        var information: RequestEvent.ConnectionInformation {
            RequestEvent.ConnectionInformation(
                number: number, peerAddress: peer.address, peerPort: peer.port, openedAt: openedAt)
        }

        func report(_ kind: RequestEvent.Kind, instant: UInt64 = MonotonicClock.now()) {
            EventChannels.send(kind, subject, instant: instant)
        }
    }

    private var connections: [CInt: Connection] = [:]

    var areReported: Bool { !EventChannels.isEmpty }

    func contains(_ socket: CInt) -> Bool { connections[socket] != nil }

    /// The origin of each open connection, with its socket.
    var origins: [(socket: CInt, origin: Origin)] { connections.map { ($0.key, $0.value.origin) } }

    /// Records a socket that is being connected.
    mutating func open(_ socket: CInt, to origin: Origin) { connections[socket] = Connection(to: origin) }

    /// Records that a transfer begins to use a connection, and reports a new connection.
    ///
    /// - Parameter isKept: whether the connection was made for an earlier transfer.
    mutating func beginUse(
        of socket: CInt, _ peer: @autoclosure () -> (address: String, port: Int), to origin: Origin, isKept: Bool
    ) -> ConnectionUseFacts {
        let connection = connections[socket] ?? Connection(to: origin)
        let idleSince = connection.use.idleSince
        if connection.number == 0 {
            connections[socket] = connection
            connection.number = EventCounters.nextConnection()
            connection.peer = peer()
        }
        connection.use = Use(count: connection.use.count + 1)
        if !connection.isReported, !isKept, !EventChannels.isEmpty {
            connection.isReported = true
            connection.report(.connectionOpened(connection.information))
        }
        return ConnectionUseFacts(
            number: connection.number, peerAddress: connection.peer.address, peerPort: connection.peer.port,
            openedAt: connection.openedAt, isReused: isKept,
            idleTime: idleSince > 0 ? MonotonicClock.now() - idleSince : nil)
    }

    /// Records that a transfer has left its connection, and reports an idle connection.
    mutating func endUse(of socket: CInt, hasFailed: Bool) {
        guard let connection = connections[socket], connection.use.count > 0 else { return }
        connection.use.count -= 1
        if hasFailed { connection.use.hasFailed = true }
        guard connection.use.count == 0 else { return }
        connection.use.idleSince = MonotonicClock.now()
        if connection.isReported, !connection.use.hasFailed {
            connection.report(connection.becameIdle, instant: connection.use.idleSince)
        }
    }

    /// Records that a connection is about to be closed, and reports it.
    ///
    /// - Parameter isAtEnd: whether the server has closed it; called only for a reported connection.
    mutating func close(_ socket: CInt, isAtEnd: () -> Bool) {
        guard let connection = connections.removeValue(forKey: socket), connection.isReported else { return }
        let reason: RequestEvent.CloseReason =
            isAtEnd() ? .closedByServer : connection.use.hasFailed || connection.use.count > 0 ? .notReusable : .idle
        connection.report(.connectionClosed(connection.information, reason))
    }
}
