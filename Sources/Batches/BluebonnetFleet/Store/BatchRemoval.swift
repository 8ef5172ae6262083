// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Removes a batch and all its rows from the store.
///
/// The row of the batch is deleted first, in a short transaction: the batch is no longer visible, and its name is
/// free. The rows of the other tables are deleted some thousands at a time, each time in a separate statement, so that
/// other transactions do not wait long. The tallies are deleted last: tallies without a batch show that a removal was
/// interrupted, and the next removal finishes it.
struct BatchRemoval {
    /// The tables with a row for each line or edge, and the column by which the table is deleted in slices.
    private static let tables = [
        ("results", "position"), ("lines", "position"), ("edges", "dependency"), ("blocked", "position"),
        ("losses", "position"), ("parts", "position"), ("parents", "position"), ("readers", "source"),
        ("keys", "position"), ("polls", "position"),
    ]
    /// Deleting rows with large bodies takes long.
    static let timeout = Duration.seconds(600)

    let connection: PostgreSQLConnection
    /// The number of positions in a slice.
    var sliceLength = 10_000
    /// Called before each statement that may take long; an error ends the removal there.
    var onSlice: () throws(FleetError) -> Void = {}

    /// Removes a batch.
    ///
    /// - Parameters:
    ///   - number: the batch's number, if it is known. Another batch may have the name in the meantime.
    ///   - retention: how long a batch without its own retention must have been kept, in seconds. Default nil: the time
    ///     does not matter.
    /// - Throws: `notPossible` if the batch has not ended or was not kept long enough, or if workers have claimed lines
    ///   of it.
    func remove(
        _ name: String, number: Int? = nil, ifKept retention: PostgreSQLValue? = nil
    ) throws(FleetError) {
        let patience = connection.timeout
        connection.timeout = Self.timeout
        defer { connection.timeout = patience }
        try connection.forceIndexScans()
        try finish()
        try onSlice()
        try deleteRow(of: name, number, retention)
        try finish()
    }

    /// Deletes the row of the batch, and with it the list of its lanes.
    private func deleteRow(
        of name: String, _ number: Int?, _ retention: PostgreSQLValue?
    ) throws(FleetError) {
        try connection.transaction { () throws(FleetError) in
            let found = try connection.query(
                """
                SELECT number, state, line_count, $3 OR coalesce(\(BatchPruning.isDue("$4")), false)
                FROM bluebonnet.batches WHERE name = $1 AND number = coalesce($2, number) FOR UPDATE
                """,
                [.text(name), number.map { .integer($0) } ?? .null, .bool(retention == nil), retention ?? .null])
            guard found.count == 1 else { throw .noBatch(name) }
            guard found.bool(0, 3) else {
                throw FleetError(.notPossible, "the batch \(name) was not kept long enough to be removed")
            }
            let number = found.integer(0, 0)
            // While the batch is locked, no worker can claim lines of it.
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
                    "the batch \(name) cannot be removed while workers have \(claimed) of its lines: "
                        + "\(way)wait until these lines have ended")
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

    /// Deletes the remaining rows of batches that are gone.
    private func finish() throws(FleetError) {
        let gone = try connection.query(
            """
            SELECT DISTINCT t.batch FROM bluebonnet.tallies t
            WHERE t.batch > $1 AND NOT EXISTS (SELECT FROM bluebonnet.batches b WHERE b.number = t.batch)
            """, [.integer(0)])
        for row in 0..<gone.count {
            let batch = gone.integer(row, 0)
            for (table, column) in Self.tables { try removeRows(of: table, by: column, batch) }
            let keys = LineKeys(connection: connection, batch: batch)
            if try keys.areSupported() {
                try removeRows(of: "unique_lines", by: "position", batch)
                try keys.remove(sliceLength: sliceLength, onSlice: onSlice)
            }
            for table in ["ready", "expansions", "tallies"] {
                try onSlice()
                try connection.query("DELETE FROM bluebonnet.\(table) WHERE batch = $1", [.integer(batch)])
            }
        }
    }

    private func removeRows(of table: String, by column: String, _ batch: Int) throws(FleetError) {
        var start = 0
        while true {
            try onSlice()
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
