// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A paused origin: for a time, no worker sends requests to it.
struct StoredPause: Equatable {
    let origin: String
    let length: Duration
}

/// Sharing the pauses of origins between workers.
extension WorkerStore {
    /// Pauses an origin for all workers, and deletes pauses that are over.
    func pauseOrigin(_ origin: String, for length: Duration) throws(FleetError) {
        try connection.transaction { () throws(FleetError) in
            try connection.query(
                """
                DELETE FROM bluebonnet.holds WHERE origin IN (
                    SELECT origin FROM bluebonnet.holds WHERE until <= now() AND origin <> $1 FOR UPDATE SKIP LOCKED)
                """, [.text(origin)])
            try connection.query(
                """
                INSERT INTO bluebonnet.holds AS h (origin, until) VALUES ($1, now() + $2 * interval '1 second')
                ON CONFLICT (origin) DO UPDATE SET until = greatest(h.until, excluded.until)
                """, [.text(origin), .double(length / .seconds(1))])
            notices.add(.pause)
        }
    }

    /// Returns the paused origins, and for how long they are paused.
    func pausedOrigins() throws(FleetError) -> [StoredPause] {
        let rows = try connection.query(
            """
            SELECT origin, extract(epoch FROM until - now())::double precision
            FROM bluebonnet.holds WHERE until > now() + $1 * interval '1 second'
            """, [.double(0)])
        return (0..<rows.count).map { StoredPause(origin: rows.text($0, 0), length: .seconds(rows.double($0, 1))) }
    }

    /// Whether every batch is complete, paused or cancelled.
    func isIdle() throws(FleetError) -> Bool {
        try connection.query(
            """
            SELECT NOT EXISTS (
                SELECT FROM bluebonnet.batches b WHERE b.state = 'open' AND b.completed IS NULL AND b.line_count > (
                    SELECT coalesce(sum(t.count), $1) FROM bluebonnet.tallies t WHERE t.batch = b.number))
            """, [.integer(0)]
        ).bool(0, 0)
    }

    /// Whether no open batch has an unfinished line. If so, records which batches are complete: the worker ends, and
    /// perhaps no other worker runs.
    func recordIdle() throws(FleetError) -> Bool {
        guard try isIdle() else { return false }
        try BatchCompletion.record(nil, connection)
        return true
    }

    /// Whether a line of a batch has failed.
    func hasFailure(_ batch: Int) throws(FleetError) -> Bool {
        try connection.query(
            """
            SELECT coalesce(sum(count), 0) > 0 FROM bluebonnet.tallies WHERE batch = $1 AND outcome = 'failure'
            """, [.integer(batch)]
        ).bool(0, 0)
    }
}
