// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Notifications between the programs of a fleet through the store, which make frequent queries unnecessary.
enum FleetNotice: String {
    /// There are lines to be claimed, or a batch continues.
    case work
    /// A batch was cancelled.
    case cancel
    /// A worker has come or gone.
    case workers
    /// An origin is held.
    case hold

    private static let channel = "bluebonnet"

    /// Tells it to all that listen, when the transaction is committed.
    func send(_ connection: PostgreSQLConnection) throws(FleetError) {
        try connection.query("SELECT pg_notify($1, $2)", [.text(Self.channel), .text(rawValue)])
    }

    /// Subscribes to the notifications.
    static func listen(_ connection: PostgreSQLConnection) throws(FleetError) {
        try connection.query("LISTEN \(channel)")
    }
}
