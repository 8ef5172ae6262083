// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Notifications between the programs of a fleet through the store. They make frequent queries unnecessary.
enum FleetNotice: String {
    /// Lines can be claimed, or a batch was paused or resumed.
    case work
    /// A batch was cancelled.
    case cancel
    /// A worker was registered, has left or was lost.
    case workers
    /// An origin was paused.
    case pause = "hold"

    private static let channel = "bluebonnet"

    /// Sends the notification to all listeners when the transaction is committed.
    func send(_ connection: PostgreSQLConnection) throws(FleetError) {
        try connection.query("SELECT pg_notify($1, $2)", [.text(Self.channel), .text(rawValue)])
    }

    /// Subscribes to the notifications.
    static func listen(_ connection: PostgreSQLConnection) throws(FleetError) {
        try connection.query("LISTEN \(channel)")
    }
}
