// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Errors between this process and PostgreSQL, as errors of the fleet.
extension FleetError {
    /// The server cannot be reached, does not answer, or has closed the connection: it may be back later. Whether the
    /// statement was carried out is not known.
    static func unreachable(_ message: String) -> FleetError {
        FleetError(.unreachable, "the store cannot be reached: \(message)")
    }

    /// The server has reported an error with its code, and has undone the transaction. The code is that of the SQL
    /// standard and of PostgreSQL (errcodes-appendix).
    init(serverCode code: String, _ message: String) {
        // Connection exceptions, and what an administrator, a shutdown or a crash does (57P01 to 57P05); too many
        // connections (53300).
        if code.hasPrefix("08") || code.hasPrefix("57P") || code == "53300" {
            self = .unreachable(message)
        } else if code == "42501" {
            self.init(.refused, "the store's user may not do that: \(message)", underlying: code)
        } else if code == "42P05" || code == "26000" {
            // Each transaction may get another session of the server, which does not know the statements of this one.
            self.init(
                .failed,
                "the store has failed: \(message); a pooler in transaction mode is before it: connect to PostgreSQL "
                    + "itself, or let the pooler work in session mode (pgbouncer: pool_mode = session)",
                underlying: code)
        } else if code == "22P05" {
            self.init(
                .failed,
                "the store has failed: \(message); the encoding of its database lacks this character: use a "
                    + "database with ENCODING 'UTF8'", underlying: code)
        } else {
            self.init(.failed, "the store has failed: \(message)", underlying: code)
        }
    }

    /// Whether the same transaction may succeed when it is made again: a deadlock, or a serialization failure.
    var isConflict: Bool { code == .failed && ["40001", "40P01", "55P03"].contains(underlying) }

    /// Whether a row refers to another one that is not there.
    var isMissingReference: Bool { code == .failed && underlying == "23503" }

    static func noBatch(_ name: String) -> FleetError {
        FleetError(.noBatch, "the store has no batch with the name \(name)")
    }
}
