// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import BluebonnetHTTP
internal import Foundation

/// Records the outcomes of lines, and updates the lines that wait for them and the claims. Runs in the caller's
/// transaction.
///
/// Locks are taken in the order worker, claims, batch, waiting lines. If transactions conflict anyway, the server
/// rolls one back, and it is repeated.
struct ResultWriting {
    let connection: PostgreSQLConnection
    /// The worker whose tallies count the outcomes.
    let worker: Int

    /// Records outcomes of lines in the worker's claims. Other lines are left out: they were given to another worker,
    /// or recorded by a call whose answer was lost.
    ///
    /// - Returns: the positions of the recorded lines, by batch.
    func record(_ endings: [LineEnding]) throws(FleetError) -> [Int: [Int]] {
        let rows = try connection.query(
            """
            WITH valid AS MATERIALIZED (
                SELECT number, batch, positions FROM bluebonnet.claims
                WHERE number = ANY ($2) AND worker = $1 ORDER BY number FOR UPDATE
            ), given AS MATERIALIZED (
                SELECT v.batch, h.claim, h.position, u.outcome, u.bytes, u.line, u.body
                FROM unnest($3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::text[], $8::bytea[])
                     AS u (claim, position, outcome, bytes, line, body)
                JOIN (SELECT number AS claim, unnest(positions) AS position FROM valid) h USING (claim, position)
                JOIN valid v ON v.number = h.claim
            ), written AS (
                INSERT INTO bluebonnet.results (batch, position, outcome, bytes, line, body)
                SELECT batch, position, outcome, bytes, line, body FROM given
                ON CONFLICT DO NOTHING RETURNING batch, position, outcome, bytes
            ), counted AS (
                INSERT INTO bluebonnet.tallies AS t (batch, worker, outcome, count, bytes)
                SELECT batch, $9, outcome, count(*), sum(bytes) FROM written GROUP BY batch, outcome
                ON CONFLICT (batch, worker, outcome)
                DO UPDATE SET count = t.count + excluded.count, bytes = t.bytes + excluded.bytes
            ), rest AS MATERIALIZED (
                SELECT v.number, ARRAY(
                    SELECT unnest(v.positions) EXCEPT SELECT g.position FROM given g WHERE g.claim = v.number
                ) AS positions FROM valid v
            ), kept AS (
                UPDATE bluebonnet.claims c SET positions = r.positions FROM rest r
                WHERE c.number = r.number AND cardinality(r.positions) > 0
            ), done AS (
                DELETE FROM bluebonnet.claims c USING rest r WHERE c.number = r.number AND cardinality(r.positions) = 0
            )
            SELECT batch, array_agg(position) FROM written GROUP BY batch
            """,
            [
                .integer(worker), .integers(Array(Set(endings.map(\.claim)))), .integers(endings.map(\.claim)),
                .integers(endings.map(\.position)), .texts(endings.map(\.outcome.rawValue)),
                .integers(endings.map(\.byteCount)), .lines(endings.map { connection.storable($0.line) }),
                .optionalBytes(endings.map(\.body)), .integer(connection.nextTally(of: worker)),
            ])
        return Dictionary(
            uniqueKeysWithValues: (0..<rows.count).map { (rows.integer($0, 0), rows.integers($0, 1)) })
    }

    /// Updates the lines that wait for ended lines: dependents become ready when no dependency is missing, and are
    /// skipped when a dependency did not succeed.
    ///
    /// - Returns: whether lines have become ready.
    func release(_ batch: Int, succeeded: [Int], others: [Int]) throws(FleetError) -> Bool {
        try lock(batch)
        try skip(batch, after: others)
        return try unblock(batch, try countDown(batch, succeeded))
    }

    /// Counts down the lines that wait for lines that have succeeded.
    ///
    /// - Returns: the lines that miss nothing any more.
    func countDown(_ batch: Int, _ succeeded: [Int]) throws(FleetError) -> [Int] {
        guard !succeeded.isEmpty else { return [] }
        let counted = try connection.query(
            """
            WITH counts AS MATERIALIZED (
                SELECT dependent AS position, count(*)::integer AS count FROM bluebonnet.edges
                WHERE batch = $1 AND dependency = ANY ($2) GROUP BY dependent
            ), locked AS MATERIALIZED (
                SELECT b.position, c.count FROM bluebonnet.blocked b JOIN counts c USING (position)
                WHERE b.batch = $1 AND b.position = ANY (ARRAY(SELECT position FROM counts))
                ORDER BY b.position FOR UPDATE OF b
            )
            UPDATE bluebonnet.blocked b SET missing = b.missing - l.count FROM locked l
            WHERE b.batch = $1 AND b.position = ANY (ARRAY(SELECT position FROM locked)) AND b.position = l.position
            RETURNING b.position, b.missing
            """, [.integer(batch), .integers(succeeded)])
        return (0..<counted.count).filter { counted.integer($0, 1) <= 0 }.map { counted.integer($0, 0) }
    }

    /// Makes waiting lines ready if they miss nothing any more. Returns whether there were any.
    func unblock(_ batch: Int, _ free: [Int]) throws(FleetError) -> Bool {
        guard !free.isEmpty else { return false }
        try connection.query(
            """
            WITH free AS (
                DELETE FROM bluebonnet.blocked WHERE batch = $1 AND position = ANY ($2) AND missing <= 0
                RETURNING position
            )
            INSERT INTO bluebonnet.ready (batch, lane, rank, position)
            SELECT batch, lane, rank, position FROM bluebonnet.lines
            WHERE batch = $1 AND position = ANY (ARRAY(SELECT position FROM free))
            """, [.integer(batch), .integers(free)])
        return true
    }

    /// Makes lines ready. The lines must not be waiting, claimed or ended.
    func makeReady(_ batch: Int, _ positions: [Int]) throws(FleetError) {
        guard !positions.isEmpty else { return }
        try connection.query(
            """
            INSERT INTO bluebonnet.ready (batch, lane, rank, position)
            SELECT batch, lane, rank, position FROM bluebonnet.lines WHERE batch = $1 AND position = ANY ($2)
            """, [.integer(batch), .integers(positions)])
    }

    /// Keeps the batch from being cancelled during the transaction.
    ///
    /// - Returns: whether the batch was cancelled before, or no longer exists.
    @discardableResult
    func lock(_ batch: Int) throws(FleetError) -> Bool {
        let rows = try connection.query(
            "SELECT state FROM bluebonnet.batches WHERE number = $1 FOR SHARE", [.integer(batch)])
        return rows.count == 0 || rows.text(0, 0) == "cancelled"
    }

    /// Gives all lines that wait for unsuccessful lines the outcome `skipped`, with the reason of the unsuccessful
    /// line.
    func skip(_ batch: Int, after positions: [Int]) throws(FleetError) {
        guard !positions.isEmpty else { return }
        let needs = try lockDoomed(batch, after: positions)
        guard !needs.isEmpty else { return }
        let reasons = try reasons(batch, of: positions)
        let plan = SkipPlan(needs, roots: reasons.map(\.position))
        try end(
            batch, .skipped,
            reasons.map { ResultLine.Failure(code: .dependencyFailed, message: $0.message) },
            """
            WITH given AS (
                DELETE FROM bluebonnet.blocked WHERE batch = $1 AND position = ANY ($5)
            ), \(Self.gone)
            """, plan.positions, failureIndices: plan.rootIndices)
    }

    /// Locks the lines that wait for other lines, directly or through other waiting lines.
    ///
    /// - Returns: the dependencies of each locked line.
    private func lockDoomed(_ batch: Int, after positions: [Int]) throws(FleetError) -> [SkipPlan.Need] {
        let rows = try connection.query(
            """
            WITH RECURSIVE doomed (position) AS (
                SELECT dependent FROM bluebonnet.edges WHERE batch = $1 AND dependency = ANY ($2)
                UNION
                SELECT e.dependent FROM bluebonnet.edges e JOIN doomed d ON e.batch = $1 AND e.dependency = d.position
            ), locked AS MATERIALIZED (
                SELECT position FROM bluebonnet.blocked
                WHERE batch = $1 AND position = ANY (ARRAY(SELECT position FROM doomed)) ORDER BY position FOR UPDATE
            )
            SELECT coalesce(array_agg(l.position), '{}'), coalesce(array_agg(n.position), '{}')
            FROM bluebonnet.lines l, unnest(l.needs) AS n (position)
            WHERE l.batch = $1 AND l.position = ANY (ARRAY(SELECT position FROM locked))
            """, [.integer(batch), .integers(positions)])
        return zip(rows.integers(0, 0), rows.integers(0, 1)).map { SkipPlan.Need(line: $0, needed: $1) }
    }

    /// Returns the messages for lines that need the lines at these positions, from the results of these lines.
    private func reasons(
        _ batch: Int, of positions: [Int]
    ) throws(FleetError) -> [(position: Int, message: String)] {
        let rows = try connection.query(
            "SELECT position, line FROM bluebonnet.results WHERE batch = $1 AND position = ANY ($2) ORDER BY position",
            [.integer(batch), .integers(positions)])
        return (0..<rows.count).map { row in
            let result = try? JSONDecoder().decode(ResultLine.self, from: Data(rows.text(row, 1).utf8))
            return (rows.integer(row, 0), SkipReason.message(result?.skipReason))
        }
    }

    /// The expression `gone` for given positions.
    static let gone = "gone AS (SELECT * FROM unnest($5::bigint[], $7::bigint[]) AS u (position, failure))"

    /// Records an outcome for lines that no worker has.
    ///
    /// - Parameters:
    ///   - failures: the errors of the lines.
    ///   - prefix: common table expressions. `gone` returns the positions and the indices of their failures, from 1;
    ///     `$1` is the batch, `$5` are `positions`, `$7` are the indices.
    ///   - positions: the positions that the expressions use.
    ///   - failureIndices: the index of the failure for each position, from 0; nil if there is one failure.
    func end(
        _ batch: Int, _ outcome: ResultLine.Outcome, _ failures: [ResultLine.Failure], _ prefix: String,
        _ positions: [Int], failureIndices: [Int]? = nil
    ) throws(FleetError) {
        let frames = failures.map { ResultFrame(outcome, $0) }
        let indices = failureIndices ?? Array(repeating: 0, count: positions.count)
        // Looks up each id separately, whatever the planner knows about the tables: a million lines may have ended.
        try connection.query(
            """
            \(prefix), written AS (
                INSERT INTO bluebonnet.results (batch, position, outcome, bytes, line)
                SELECT $1, g.position, $2, 0, $3 || to_json((
                    SELECT l.id FROM bluebonnet.lines l WHERE l.batch = $1 AND l.position = g.position
                ))::text || ($4::text[])[g.failure]
                FROM gone g
                ON CONFLICT DO NOTHING RETURNING position
            )
            INSERT INTO bluebonnet.tallies AS t (batch, worker, outcome, count, bytes)
            SELECT $1, $6, $2, count(*), 0 FROM written HAVING count(*) > 0
            ON CONFLICT (batch, worker, outcome) DO UPDATE SET count = t.count + excluded.count
            """,
            [
                .integer(batch), .text(outcome.rawValue), .text(ResultFrame.head),
                .lines(frames.map { connection.storable(Data($0.tail.utf8)) }),
                .integers(positions), .integer(connection.nextTally(of: worker)),
                .integers(indices.map { $0 + 1 }),
            ])
    }
}

/// A result line without its id; the store inserts the id after `head`.
struct ResultFrame {
    static let head = "{\"id\":"
    let tail: String

    init(_ outcome: ResultLine.Outcome, _ failure: ResultLine.Failure) {
        var line = ResultLine(id: "", outcome: outcome)
        line.error = failure
        let text = String(decoding: line.encodedLine().dropLast(), as: UTF8.self)
        precondition(text.hasPrefix(Self.head + "\"\""), "a result line starts with its id")
        tail = String(text.dropFirst(Self.head.count + 2))
    }
}
