// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Removes a batch and everything of it from the store.
///
/// The batch itself goes first, in a short transaction: nobody sees it any more, and its name is free. Its rows in the
/// other tables follow some thousands at a time, each time in a statement of its own, so that nobody waits for them
/// long. The tallies go last: tallies of no batch tell that a removal was broken off, and the next one finishes it.
struct BatchRemoval {
    /// The tables with a row for each line or edge, and the column by which they are cut into slices.
    private static let tables = [
        ("results", "position"), ("lines", "position"), ("edges", "dependency"), ("blocked", "position"),
        ("losses", "position"),
    ]
    /// Rows with large bodies take their time.
    private static let timeout = Duration.seconds(600)

    let connection: PostgreSQLConnection
    /// The positions of a slice.
    var sliceLength = 10_000

    /// Removes a batch.
    ///
    /// - Throws: `notPossible` when it has not ended, or when workers have lines of it.
    func remove(_ name: String) throws(FleetError) {
        let patience = connection.timeout
        connection.timeout = Self.timeout
        defer { connection.timeout = patience }
        // Rows are found by their keys, whatever the planner thinks of tables that have just grown.
        try connection.query("SET enable_seqscan = off")
        try finish()
        try takeOut(name)
        try finish()
    }

    /// Removes the batch itself, and with it the list of its lanes.
    private func takeOut(_ name: String) throws(FleetError) {
        try connection.transaction { () throws(FleetError) in
            let found = try connection.query(
                "SELECT number, state, line_count FROM bluebonnet.batches WHERE name = $1 FOR UPDATE", [.text(name)])
            guard found.count == 1 else { throw .noBatch(name) }
            let number = found.integer(0, 0)
            // With the batch locked nobody claims lines of it.
            let counts = try connection.query(
                """
                SELECT (SELECT coalesce(sum(cardinality(positions)), 0)::bigint FROM bluebonnet.claims
                        WHERE batch = $1),
                       (SELECT coalesce(sum(count), 0)::bigint FROM bluebonnet.tallies WHERE batch = $1)
                """, [.integer(number)])
            let (claimed, open) = (counts.integer(0, 0), found.integer(0, 2) - counts.integer(0, 1))
            guard claimed == 0 else {
                let way = found.text(0, 1) == FleetBatch.State.cancelled.rawValue ? "" : "cancel it, or "
                throw FleetError(
                    .notPossible,
                    "the batch \(name) cannot be removed while workers have lines of it, now \(claimed): "
                        + "\(way)wait until these have ended")
            }
            guard open <= 0 else {
                throw FleetError(
                    .notPossible,
                    "the batch \(name) cannot be removed, because \(open) of its lines have not ended: "
                        + "cancel it, or wait until it is complete")
            }
            try connection.query("DELETE FROM bluebonnet.batches WHERE number = $1", [.integer(number)])
        }
    }

    /// Removes what is left of batches that are gone.
    private func finish() throws(FleetError) {
        let gone = try connection.query(
            """
            SELECT DISTINCT t.batch FROM bluebonnet.tallies t
            WHERE t.batch > $1 AND NOT EXISTS (SELECT FROM bluebonnet.batches b WHERE b.number = t.batch)
            """, [.integer(0)])
        for row in 0..<gone.count {
            let batch = gone.integer(row, 0)
            for (table, column) in Self.tables { try removeRows(of: table, by: column, batch) }
            for table in ["ready", "tallies"] {
                try connection.query("DELETE FROM bluebonnet.\(table) WHERE batch = $1", [.integer(batch)])
            }
        }
    }

    private func removeRows(of table: String, by column: String, _ batch: Int) throws(FleetError) {
        var start = 0
        while true {
            let next = try connection.query(
                """
                SELECT \(column)::bigint FROM bluebonnet.\(table) WHERE batch = $1 AND \(column) >= $2
                ORDER BY \(column) LIMIT 1
                """, [.integer(batch), .integer(start)])
            guard next.count == 1 else { return }
            start = next.integer(0, 0) + sliceLength
            try connection.query(
                "DELETE FROM bluebonnet.\(table) WHERE batch = $1 AND \(column) >= $2 AND \(column) < $3",
                [.integer(batch), .integer(next.integer(0, 0)), .integer(start)])
        }
    }
}
