// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Notifications between the programs of a fleet through the store. They make frequent queries unnecessary.
enum FleetNotice: String {
    /// Lines can be claimed, or a batch was paused or resumed.
    case work
    /// A batch was cancelled.
    case cancel
    /// A worker was registered, has left or was lost, or a schedule was changed.
    case workers
    /// An origin was paused.
    case pause = "hold"

    private static let channel = "bluebonnet"

    /// Sends the notification to all listeners when the transaction is committed.
    ///
    /// PostgreSQL lets one transaction of the server at a time commit notifications. So workers send them with
    /// `PendingNotices`, outside of the transactions that record outcomes.
    func send(_ connection: PostgreSQLConnection) throws(FleetError) { try Self.send([self], connection) }

    /// Sends notifications in one transaction.
    fileprivate static func send(
        _ notices: Set<FleetNotice>, _ connection: PostgreSQLConnection
    ) throws(FleetError) {
        try connection.query(
            "SELECT pg_notify($1, kind) FROM unnest($2::text[]) AS u (kind)",
            [.text(channel), .texts(notices.map(\.rawValue).sorted())])
    }

    /// Subscribes to the notifications.
    static func listen(_ connection: PostgreSQLConnection) throws(FleetError) {
        try connection.query("LISTEN \(channel)")
    }
}

/// The notifications that a worker is to send: at most 20 times a second. Confined to the worker's thread.
final class PendingNotices {
    typealias Instant = ContinuousClock.Instant

    /// The shortest time between two transactions with notifications.
    static let interval = Duration.milliseconds(50)

    private(set) var kinds: Set<FleetNotice> = []
    private var nextSend: Instant

    init(now: Instant = .now) { nextSend = now }

    /// When the notifications are to be sent; nil if there are none.
    var due: Instant? { kinds.isEmpty ? nil : nextSend }

    /// Adds a notification for the changes of a transaction. May be called before the transaction is committed.
    func add(_ notice: FleetNotice) { kinds.insert(notice) }

    /// Sends the notifications if they are due. Must not run in a transaction.
    func send(_ connection: PostgreSQLConnection, now: Instant = .now) throws(FleetError) {
        guard let due, now >= due else { return }
        try sendAll(connection)
        nextSend = now + Self.interval
    }

    /// Sends the notifications of a worker that ends.
    func sendAll(_ connection: PostgreSQLConnection) throws(FleetError) {
        guard !kinds.isEmpty else { return }
        try FleetNotice.send(kinds, connection)
        kinds = []
    }
}

@available(*, unavailable)
extension PendingNotices: Sendable {}
