// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Conversion of PostgreSQL errors into errors of the fleet.
extension FleetError {
    /// The server cannot be reached, does not answer, or has closed the connection, and may be back later. Whether the
    /// statement was executed is not known.
    static func unreachable(_ message: String) -> FleetError {
        FleetError(.unreachable, "the store cannot be reached: \(message)")
    }

    /// Creates an error from the code of a server error. The server has rolled back the transaction. Codes are listed
    /// in the SQL standard and by PostgreSQL (errcodes-appendix).
    ///
    /// - Parameter isReadOnlyByDefault: whether a setting makes transactions read-only on a server that is no standby.
    init(serverCode code: String, _ message: String, isReadOnlyByDefault: Bool = false) {
        // Connection exceptions, an administrator's action, a shutdown or a crash (57P01 to 57P05), and too many
        // connections (53300).
        if code.hasPrefix("08") || code.hasPrefix("57P") || code == "53300" {
            self = .unreachable(message)
        } else if code == "25006", isReadOnlyByDefault {
            self.init(
                .refused,
                "the store accepts no changes, although its server is no standby: \(message); the setting "
                    + "default_transaction_read_only is on, for the user, the database or the server: set it off",
                underlying: code)
        } else if code == "25006" {
            // After a failover, a connection may lead to a standby.
            self = .unreachable(
                "its server is read-only, perhaps a standby: \(message); with several hosts, write "
                    + "target_session_attrs=read-write into the store's URL")
        } else if code == "42501" {
            self.init(.refused, "the store's user lacks a privilege: \(message)", underlying: code)
        } else if code == "42P05" || code == "26000" {
            // Each transaction may get another server session, which does not know the prepared statements of this
            // one.
            self.init(
                .failed,
                "the store reported an error: \(message); a pooler runs in transaction mode: write "
                    + "?pooler=transaction into the store's URL",
                underlying: code)
        } else if code == "22P05" {
            self.init(
                .failed,
                "the store reported an error: \(message); its database encoding lacks this character: use a "
                    + "database with ENCODING 'UTF8'", underlying: code)
        } else {
            self.init(.failed, "the store reported an error: \(message)", underlying: code)
        }
    }

    /// Whether the same transaction may succeed if it is repeated: after a serialization failure, a deadlock, or a
    /// lock that was not available.
    var isConflict: Bool { code == .failed && ["40001", "40P01", "55P03"].contains(underlying) }

    /// Whether a row refers to a missing row.
    var isMissingReference: Bool { code == .failed && underlying == "23503" }

    static func noBatch(_ name: String) -> FleetError {
        FleetError(.noBatch, "the store has no batch named \(name)")
    }
}
