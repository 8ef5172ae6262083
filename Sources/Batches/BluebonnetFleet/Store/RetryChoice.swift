// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch

/// Chooses the lines of a batch that run again, and removes their results. Runs in the caller's transaction, which has
/// locked the batch.
///
/// A condition chooses failed and cancelled lines. With each of them, the lines run again that were skipped because of
/// it, unless they also need a line that does not run again. A line whose key another line has does not run again.
struct RetryChoice {
    let connection: PostgreSQLConnection
    let batch: Int
    /// Whether lines with an unknown outcome can run again.
    let withUnknown: Bool
    /// The lines that run again; nil for all.
    let condition: ResultCondition?

    /// Removes the results of the lines, and counts the outcomes down.
    ///
    /// - Returns: the positions of the lines.
    func removeResults() throws(FleetError) -> [Int] {
        let outcomes: [ResultLine.Outcome] = [.failure, .cancelled] + (withUnknown ? [.unknown] : [])
        let barred = try LineKeys(connection: connection, batch: batch).acquireAgain(outcomes + [.skipped])
        let chosen = try condition.map { condition throws(FleetError) in try positions(condition, outcomes) }
        return try connection.query(
            """
            WITH RECURSIVE barred (position) AS MATERIALIZED (
                SELECT unnest($6::bigint[])
            ), chosen (position) AS MATERIALIZED (
                SELECT c.position FROM (
                    SELECT position FROM bluebonnet.results WHERE batch = $1 AND outcome = ANY ($2) AND $4
                    UNION ALL SELECT unnest($5::bigint[])
                ) c WHERE c.position NOT IN (SELECT position FROM barred)
            ), above (position) AS (
                -- The lines whose pages or elements run again.
                SELECT p.parent FROM chosen c JOIN bluebonnet.parts p ON p.batch = $1 AND p.position = c.position
                UNION
                SELECT p.parent FROM above a JOIN bluebonnet.parts p ON p.batch = $1 AND p.position = a.position
            ), again (position) AS MATERIALIZED (
                SELECT position FROM chosen UNION SELECT position FROM above
            ), stuck (position) AS (
                -- What needs a line that is not sent again stays as it is.
                SELECT e.dependent FROM bluebonnet.results r
                JOIN bluebonnet.edges e ON e.batch = $1 AND e.dependency = r.position
                WHERE r.batch = $1 AND (
                    r.outcome NOT IN ('success', 'skipped') AND r.position NOT IN (SELECT position FROM again)
                    OR r.position IN (SELECT position FROM barred))
                UNION
                SELECT e.dependent FROM stuck s JOIN bluebonnet.edges e ON e.batch = $1 AND e.dependency = s.position
            ), reached (position) AS (
                SELECT e.dependent FROM again c JOIN bluebonnet.edges e ON e.batch = $1 AND e.dependency = c.position
                UNION
                SELECT e.dependent FROM reached c JOIN bluebonnet.edges e ON e.batch = $1 AND e.dependency = c.position
            ), gone AS (
                DELETE FROM bluebonnet.results
                WHERE batch = $1 AND position NOT IN (SELECT position FROM stuck)
                  AND position NOT IN (SELECT position FROM barred) AND (
                    outcome <> 'success' AND position IN (SELECT position FROM again)
                    OR outcome = 'skipped' AND ($4 OR position IN (SELECT position FROM reached)))
                RETURNING position, outcome
            ), counted AS (
                INSERT INTO bluebonnet.tallies AS t (batch, worker, outcome, count, bytes)
                SELECT $1, $3, outcome, -count(*), 0 FROM gone GROUP BY outcome
                ON CONFLICT (batch, worker, outcome) DO UPDATE SET count = t.count + excluded.count
            )
            SELECT coalesce(array_agg(position), '{}') FROM gone
            """,
            [
                .integer(batch), .texts(outcomes.map(\.rawValue)),
                .integer(connection.nextTally(of: BatchControl.noWorker)), .bool(chosen == nil),
                .integers(chosen ?? []), .integers(barred),
            ]
        ).integers(0, 0)
    }

    /// Returns the lines with one of some outcomes that meet the condition.
    private func positions(
        _ condition: ResultCondition, _ outcomes: [ResultLine.Outcome]
    ) throws(FleetError) -> [Int] {
        var positions: [Int] = []
        let reading = FailureReading(connection: connection, outcomes: outcomes, condition: condition)
        try reading.forEachPage(of: batch) { results throws(FleetError) in positions += results.map(\.position) }
        return positions
    }
}
