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
        private let openedAt = MonotonicClock.now()
        /// Nil before the first recorded use.
        @exclusivity(unchecked) private(set) var facts: ConnectionFacts?
        /// Whether `connectionOpened` was reported.
        @exclusivity(unchecked) var isReported = false
        @exclusivity(unchecked) var use = Use()
        private lazy var subject = Box(EventSubject(knownOrigin: origin))

        init(to origin: Origin) { self.origin = origin }

        /// Returns the facts about the connection, which the first use completes.
        func facts(_ peer: () -> (address: String, port: Int)) -> ConnectionFacts {
            if let facts { return facts }
            let (address, port) = peer()
            let made = ConnectionFacts(
                number: EventCounters.nextConnection(), peerAddress: address, peerPort: port, openedAt: openedAt)
            facts = made
            return made
        }

        func report(
            _ kinds: RequestEvent.Kinds, _ kind: (RequestEvent.ConnectionInformation) -> RequestEvent.Kind,
            at instant: UInt64
        ) {
            guard let facts else { return }
            EventChannels.send(kinds, kind(RequestEvent.ConnectionInformation(facts)), subject, at: instant)
        }
    }

    private var connections: [CInt: Connection] = [:]

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
        if connection.facts == nil { connections[socket] = connection }
        let facts = connection.facts(peer)
        connection.use = Use(count: connection.use.count + 1)
        let now = MonotonicClock.now()
        if !connection.isReported, !isKept, ConnectionReports.areEnabled {
            connection.isReported = true
            connection.report(.connectionOpened, { .connectionOpened($0) }, at: now)
        }
        return ConnectionUseFacts(facts, isReused: isKept, idleTime: idleSince > 0 ? now - min(idleSince, now) : nil)
    }

    /// Records that a transfer has left its connection, and reports an idle connection.
    mutating func endUse(of socket: CInt, hasFailed: Bool) {
        guard let connection = connections[socket], connection.use.count > 0 else { return }
        connection.use.count -= 1
        if hasFailed { connection.use.hasFailed = true }
        guard connection.use.count == 0 else { return }
        connection.use.idleSince = MonotonicClock.now()
        if connection.isReported, !connection.use.hasFailed {
            connection.report(.connectionIdle, { .connectionIdle($0) }, at: connection.use.idleSince)
        }
    }

    /// Records that a connection is about to be closed, and reports it.
    ///
    /// - Parameter isAtEnd: whether the server has closed it; called only for a reported connection.
    mutating func close(_ socket: CInt, isAtEnd: () -> Bool) {
        guard let connection = connections.removeValue(forKey: socket), connection.isReported else { return }
        let reason: RequestEvent.CloseReason =
            isAtEnd() ? .closedByServer : connection.use.hasFailed || connection.use.count > 0 ? .notReusable : .idle
        connection.report(.connectionClosed, { .connectionClosed($0, reason) }, at: MonotonicClock.now())
    }
}
