// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import BluebonnetHTTP

/// The keys of a batch's lines, `unique`: one line of the store has a key at most. Runs in the caller's transaction.
///
/// `unique_lines` has the key that each line asks for, `line_keys` the line that has a key. A line has its key until it
/// ends. If it succeeded, or if its outcome is unknown, it has the key as long as the store keeps its batch. Otherwise
/// the next line that asks gets the key.
///
/// The rows of keys are locked in the order of the keys. The next statement reads the outcomes of their lines, so that
/// it sees the lines that run again.
struct LineKeys {
    /// The version of the tables that came with the keys.
    private static let version = 4
    /// The number of lines whose results are written at once.
    private static let sliceLength = 1_000
    /// The bytes of rows that are sent at once.
    private static let pieceByteCount = 1 << 18

    let connection: PostgreSQLConnection
    let batch: Int

    private var writing: ResultWriting {
        ResultWriting(connection: connection, worker: BatchControl.noWorker)
    }

    /// Whether the store has the tables. A program of the previous version may have made them.
    func areSupported() throws(FleetError) -> Bool { try FleetSchema.version(connection) >= Self.version }

    // MARK: A new batch

    /// Stores the keys of a new batch's lines, and acquires those that are free. Lines whose keys other lines have end
    /// as skipped. No line of the batch may be ready or blocked yet.
    func insert(_ lines: SubmittedLines) throws(FleetError) {
        var rows = KeyRows(batch: batch, lines: lines)
        try connection.copy(
            "COPY bluebonnet.unique_lines (batch, position, key) FROM STDIN (FORMAT binary)"
        ) { () throws(FleetError) in try rows.next(byteCount: Self.pieceByteCount) }
        try acquire([])
        try forEachSlice(
            """
            SELECT u.position, u.key, k.batch = $1, coalesce(b.name, ''), coalesce(l.id, '')
            FROM bluebonnet.unique_lines u JOIN bluebonnet.line_keys k ON k.key = u.key
            LEFT JOIN bluebonnet.batches b ON b.number = k.batch
            LEFT JOIN bluebonnet.lines l ON l.batch = k.batch AND l.position = k.position
            WHERE u.batch = $1 AND u.position > $2 AND (k.batch <> $1 OR k.position <> u.position)
            ORDER BY u.position LIMIT $3
            """
        ) { positions, found throws(FleetError) in
            let failures = positions.indices.map { row in
                ResultLine.Failure.duplicate(
                    of: found.text(row, 4), in: found.bool(row, 2) ? nil : found.text(row, 3), key: found.text(row, 1))
            }
            try writing.end(
                batch, .skipped, failures, "WITH \(ResultWriting.gone)", positions,
                failureIndices: Array(positions.indices))
        }
    }

    /// Skips the lines that wait for lines that have ended because of their keys.
    func skipDependents() throws(FleetError) {
        try forEachSlice(
            """
            SELECT u.position FROM bluebonnet.unique_lines u
            WHERE u.batch = $1 AND u.position > $2 AND EXISTS (
                SELECT FROM bluebonnet.results r WHERE r.batch = u.batch AND r.position = u.position)
            ORDER BY u.position LIMIT $3
            """
        ) { positions, _ throws(FleetError) in
            _ = try writing.settle(batch, positions.map { EndedLine(position: $0, outcome: .skipped) })
        }
    }

    /// Calls `body` with the rows of a statement, some lines at a time. The first column is the position.
    private func forEachSlice(
        _ statement: String, _ body: ([Int], PostgreSQLResult) throws(FleetError) -> Void
    ) throws(FleetError) {
        var last = -1
        while true {
            let found = try connection.query(
                statement, [.integer(batch), .integer(last), .integer(Self.sliceLength)])
            guard found.count > 0 else { return }
            let positions = (0..<found.count).map { found.integer($0, 0) }
            try body(positions, found)
            last = found.integer(found.count - 1, 0)
        }
    }

    // MARK: Lines that run again

    /// Acquires the keys of lines that may run again.
    ///
    /// - Parameter outcomes: the outcomes of these lines.
    /// - Returns: the positions of those lines that do not run again, because other lines have their keys.
    func acquireAgain(_ outcomes: [ResultLine.Outcome]) throws(FleetError) -> [Int] {
        guard try areSupported() else { return [] }
        let isUsed = try connection.query(
            "SELECT EXISTS (SELECT FROM bluebonnet.unique_lines WHERE batch = $1)", [.integer(batch)])
        guard isUsed.bool(0, 0) else { return [] }
        try acquire(outcomes)
        return try connection.query(
            """
            SELECT coalesce(array_agg(u.position), '{}') FROM bluebonnet.unique_lines u
            JOIN bluebonnet.results r ON r.batch = u.batch AND r.position = u.position
            WHERE u.batch = $1 AND r.outcome = ANY ($2) AND NOT EXISTS (
                SELECT FROM bluebonnet.line_keys k
                WHERE k.key = u.key AND k.batch = u.batch AND k.position = u.position)
            """, [.integer(batch), .texts(outcomes.map(\.rawValue))]
        ).integers(0, 0)
    }

    // MARK: Keys

    /// The keys of the lines that have no result, or one of the outcomes `$2`, each with the first of these lines.
    private static let wanted = """
        wanted AS MATERIALIZED (
            SELECT DISTINCT ON (u.key) u.key, u.position FROM bluebonnet.unique_lines u
            LEFT JOIN bluebonnet.results r ON r.batch = u.batch AND r.position = u.position
            WHERE u.batch = $1 AND (r.position IS NULL OR r.outcome = ANY ($2))
            ORDER BY u.key, u.position
        )
        """

    /// Acquires the keys that no line has, and those that lines of other batches give back.
    private func acquire(_ outcomes: [ResultLine.Outcome]) throws(FleetError) {
        let parameters: [PostgreSQLValue] = [.integer(batch), .texts(outcomes.map(\.rawValue))]
        while true {
            try connection.query(
                """
                WITH \(Self.wanted)
                INSERT INTO bluebonnet.line_keys (key, batch, position)
                SELECT key, $1, position FROM wanted ORDER BY key ON CONFLICT DO NOTHING
                """, parameters)
            let counts = try connection.query(
                """
                WITH \(Self.wanted), locked AS MATERIALIZED (
                    SELECT k.key FROM bluebonnet.line_keys k WHERE k.key = ANY (ARRAY(SELECT key FROM wanted))
                    ORDER BY k.key FOR UPDATE
                )
                SELECT (SELECT count(*) FROM wanted), (SELECT count(*) FROM locked)
                """, parameters)
            // A key whose batch was removed between the two statements has no row.
            if counts.integer(0, 0) == counts.integer(0, 1) { break }
        }
        try connection.query(
            """
            WITH \(Self.wanted)
            UPDATE bluebonnet.line_keys k SET batch = $1, position = w.position FROM wanted w
            WHERE k.key = w.key AND k.batch <> $1 AND (
                NOT EXISTS (
                    SELECT FROM bluebonnet.batches b WHERE b.number = k.batch AND NOT coalesce(
                        b.completed + b.keep * interval '1 second' <= clock_timestamp(), false))
                OR EXISTS (
                    SELECT FROM bluebonnet.results r WHERE r.batch = k.batch AND r.position = k.position
                    AND r.outcome IN ('failure', 'cancelled', 'skipped')))
            """, parameters)
    }

    /// Deletes the keys that lines of a removed batch have, some thousands with each statement.
    func remove(sliceLength: Int, onSlice: () throws(FleetError) -> Void) throws(FleetError) {
        while true {
            try onSlice()
            let rest = try connection.query(
                "SELECT EXISTS (SELECT FROM bluebonnet.line_keys WHERE batch = $1)", [.integer(batch)])
            guard rest.bool(0, 0) else { return }
            try connection.query(
                """
                WITH gone AS MATERIALIZED (
                    SELECT key FROM bluebonnet.line_keys WHERE batch = $1 ORDER BY key LIMIT $2 FOR UPDATE
                )
                DELETE FROM bluebonnet.line_keys WHERE batch = $1 AND key = ANY (ARRAY(SELECT key FROM gone))
                """, [.integer(batch), .integer(sliceLength)])
        }
    }
}

/// Encodes the keys of a batch's lines, a piece at a time.
private struct KeyRows {
    let batch: Int
    let lines: SubmittedLines
    private var index = 0
    private var isEnded = false

    init(batch: Int, lines: SubmittedLines) { (self.batch, self.lines) = (batch, lines) }

    mutating func next(byteCount: Int) throws(FleetError) -> [UInt8]? {
        guard !isEnded else { return nil }
        var rows = CopyRows(isFirst: index == 0)
        while index < lines.count, rows.bytes.count < byteCount {
            if let key = try lines.node(at: index).line.line.unique {
                rows.begin(columns: 3)
                rows.big(batch)
                rows.integer(index)
                rows.text(key)
            }
            index += 1
        }
        if index == lines.count {
            rows.end()
            isEnded = true
        }
        return rows.bytes
    }
}

extension ResultLine.Failure {
    /// Another line has the line's key.
    ///
    /// - Parameter batch: the batch of the other line; nil if it is the same batch.
    fileprivate static func duplicate(of id: String, in batch: String?, key: String) -> ResultLine.Failure {
        let place = batch.map { " of the batch \"\($0)\"" } ?? ""
        return .init(
            code: .duplicateLine, message: SkipReason.message("the line \"\(id)\"\(place) has the key \"\(key)\""))
    }
}
