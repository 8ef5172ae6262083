// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Records when batches were complete.
enum BatchCompletion {
    /// Records it for batches that are complete, and of which it is not known. A batch whose state was changed
    /// meanwhile may have lines that run again.
    ///
    /// - Parameter numbers: the batches; nil for all.
    /// - Returns: the batches that are now known to be complete.
    @discardableResult
    static func record(_ numbers: [Int]? = nil, _ connection: PostgreSQLConnection) throws(FleetError) -> Set<Int> {
        guard numbers?.isEmpty != true else { return [] }
        let rows = try connection.query(
            """
            UPDATE bluebonnet.batches b SET completed = now() FROM (
                SELECT number, epoch FROM bluebonnet.batches
                WHERE ($2 OR number = ANY ($1)) AND completed IS NULL AND line_count <= (
                    SELECT coalesce(sum(count), 0) FROM bluebonnet.tallies t WHERE t.batch = number)
            ) c WHERE b.number = c.number AND b.epoch = c.epoch AND b.completed IS NULL RETURNING b.number
            """, [.integers(numbers ?? []), .bool(numbers == nil)])
        return Set((0..<rows.count).map { rows.integer($0, 0) })
    }
}

/// Removes batches that have been complete for longer than they are to be kept.
struct BatchPruning {
    /// The longest retention in seconds, as in the command: more does not fit into PostgreSQL's times.
    private static let longestRetention = 1e9

    let connection: PostgreSQLConnection
    /// How long batches without their own retention are kept; nil keeps them.
    let retention: Duration?
    /// Called before each piece of work that may take long; an error ends the pruning there.
    var onSlice: () throws(FleetError) -> Void = {}

    /// Whether a batch was kept long enough.
    ///
    /// - Parameter keep: the statement's parameter for the retention of batches without their own.
    static func isDue(_ keep: String) -> String {
        """
        (coalesce(keep, \(keep)) IS NOT NULL
         AND completed + least(coalesce(keep, \(keep)), \(longestRetention)) * interval '1 second' <= now())
        """
    }

    /// Returns a retention in seconds for a statement; null without a retention.
    static func parameter(_ retention: Duration?) -> PostgreSQLValue {
        retention.map { .double(min(max(0, $0 / .seconds(1)), longestRetention)) } ?? .null
    }

    /// Removes the batches, each with its lines and results.
    ///
    /// - Returns: their names.
    func prune() throws(FleetError) -> [String] {
        try BatchCompletion.record(nil, connection)
        let due = try connection.query(
            """
            SELECT number, name FROM bluebonnet.batches
            WHERE \(Self.isDue("$1")) ORDER BY completed, number
            """, [Self.parameter(retention)])
        var names: [String] = []
        for row in 0..<due.count {
            let name = due.text(row, 1)
            do throws(FleetError) {
                try BatchRemoval(connection: connection, onSlice: onSlice).remove(
                    name, number: due.integer(row, 0), ifKept: Self.parameter(retention))
                names.append(name)
            } catch {
                // The batch was removed meanwhile, its lines run again, or they have ended again.
                guard error.code == .noBatch || error.code == .notPossible else { throw error }
            }
        }
        return names
    }
}
