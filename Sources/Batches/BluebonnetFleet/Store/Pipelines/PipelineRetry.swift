// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch

/// Makes lines wait again when their pages or elements run again. Runs in the caller's transaction, which has locked
/// the batch.
struct PipelineRetry {
    let connection: PostgreSQLConnection
    let batch: Int

    /// Puts back lines with pages or elements that had begun.
    ///
    /// - Parameter positions: the lines without results that run again.
    /// - Returns: all other lines that run again.
    func putBack(_ positions: [Int]) throws(FleetError) -> [Int] {
        let isExpanded = try connection.query(
            "SELECT EXISTS (SELECT FROM bluebonnet.expansions WHERE batch = $1)", [.integer(batch)]
        ).bool(0, 0)
        try connection.query(
            "DELETE FROM bluebonnet.polls WHERE batch = $1 AND position = ANY ($2)",
            [.integer(batch), .integers(positions)])
        guard isExpanded else { return positions }
        let ancestors = try removeResults(ofAncestors: positions)
        let again = Set(positions).union(ancestors)
        let writing = ResultWriting(connection: connection, worker: BatchControl.noWorker)
        let begun = try writing.parents(batch, at: again.sorted()).filter(\.state.hasBegun)
        try block(begun)
        let known = Set(begun.map(\.position))
        return again.filter { !known.contains($0) }.sorted()
    }

    /// Deletes the results of the lines whose pages or elements run again.
    private func removeResults(ofAncestors positions: [Int]) throws(FleetError) -> [Int] {
        try connection.query(
            """
            WITH RECURSIVE up (position) AS (
                SELECT parent FROM bluebonnet.parts WHERE batch = $1 AND position = ANY ($2)
                UNION
                SELECT p.parent FROM up u JOIN bluebonnet.parts p ON p.batch = $1 AND p.position = u.position
            ), gone AS (
                DELETE FROM bluebonnet.results WHERE batch = $1 AND position IN (SELECT position FROM up)
                RETURNING position, outcome
            ), counted AS (
                INSERT INTO bluebonnet.tallies AS t (batch, worker, outcome, count, bytes)
                SELECT $1, $3, outcome, -count(*), 0 FROM gone GROUP BY outcome
                ON CONFLICT (batch, worker, outcome) DO UPDATE SET count = t.count + excluded.count
            )
            SELECT coalesce(array_agg(position), '{}') FROM gone
            """,
            [
                .integer(batch), .integers(positions),
                .integer(connection.nextTally(of: BatchControl.noWorker)),
            ]
        ).integers(0, 0)
    }

    /// Makes lines wait for their pages and elements, and for the lines whose responses have the elements.
    private func block(_ begun: [StoredParent]) throws(FleetError) {
        guard !begun.isEmpty else { return }
        let positions = PostgreSQLValue.integers(begun.map(\.position))
        for parent in begun {
            var state = parent.state
            state.source = nil
            if try hasOpenParts(parent) { (state.outcome, state.failure) = (nil, nil) }
            guard state != parent.state else { continue }
            try connection.query(
                "UPDATE bluebonnet.parents SET state = ($3::text[])[1] WHERE batch = $1 AND position = $2",
                [.integer(batch), .integer(parent.position), .lines([connection.storable(state.encoded())])])
        }
        // If a source failed after elements were sent, its edges were removed.
        try connection.query(
            """
            INSERT INTO bluebonnet.edges (batch, dependency, dependent)
            SELECT $1, r.source, r.reader FROM bluebonnet.readers r
            WHERE r.batch = $1 AND r.reader = ANY ($2) AND r.is_early ON CONFLICT DO NOTHING
            """, [.integer(batch), positions])
        try connection.query(
            """
            WITH again AS MATERIALIZED (
                SELECT l.position, l.lane, l.rank, (
                    SELECT count(*) FROM bluebonnet.parts p
                    WHERE p.batch = $1 AND p.parent = l.position AND NOT EXISTS (
                        SELECT FROM bluebonnet.results r WHERE r.batch = $1 AND r.position = p.position)
                ) + (
                    SELECT count(*) FROM unnest(l.needs) AS n (position)
                    WHERE NOT EXISTS (
                        SELECT FROM bluebonnet.results r
                        WHERE r.batch = $1 AND r.position = n.position AND r.outcome = 'success')
                ) AS missing
                FROM bluebonnet.lines l WHERE l.batch = $1 AND l.position = ANY ($2)
            ), waiting AS (
                INSERT INTO bluebonnet.blocked (batch, position, missing)
                SELECT $1, position, missing FROM again WHERE missing > 0
            )
            -- A worker that claims such a line ends it: nothing of it runs again.
            INSERT INTO bluebonnet.ready (batch, lane, rank, position)
            SELECT $1, lane, rank, position FROM again WHERE missing = 0
            """, [.integer(batch), positions])
    }

    private func hasOpenParts(_ parent: StoredParent) throws(FleetError) -> Bool {
        try connection.query(
            """
            SELECT EXISTS (
                SELECT FROM bluebonnet.parts p WHERE p.batch = $1 AND p.parent = $2 AND NOT EXISTS (
                    SELECT FROM bluebonnet.results r WHERE r.batch = $1 AND r.position = p.position))
            """, [.integer(batch), .integer(parent.position)]
        ).bool(0, 0)
    }
}
