// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch

/// The requests of a polling line so far, as a worker claimed it.
struct StoredPoll: Equatable {
    var course = PollCourse()
    /// When the first request began.
    var start = ContinuousClock.now
}

/// Polling lines, which wait in the store without a worker.
extension WorkerStore {
    /// The maximum number of lines that become ready at once.
    private static let limit = 1_000

    /// Makes a line wait for its next request. Must run in a transaction.
    func wait(
        _ ending: LineEnding, _ course: PollCourse, every: Double, elapsed: Double, _ writing: ResultWriting
    ) throws(FleetError) {
        try connection.query(
            """
            INSERT INTO bluebonnet.polls AS p (batch, position, requests, attempts, started, due)
            VALUES ($1, $2, $3, $4, now() - $5 * interval '1 second', now() + $6 * interval '1 second')
            ON CONFLICT (batch, position) DO UPDATE
            SET requests = excluded.requests, attempts = excluded.attempts, due = excluded.due
            """,
            [
                .integer(ending.batch), .integer(ending.position), .integer(course.requestCount),
                .integer(course.attemptCount), .double(elapsed), .double(every),
            ])
        guard try writing.lock(ending.batch) else {
            return try writing.block(ending.batch, ending.position, missing: 1)
        }
        try writing.end(
            ending.batch, .cancelled, [.cancelledBatch], "WITH \(ResultWriting.gone)", [ending.position])
    }

    /// Makes polling lines ready when their next requests are due.
    ///
    /// - Returns: the seconds until another polling line is due; nil if no polling line waits.
    func resumePolls() throws(FleetError) -> Double? {
        let due = try connection.query(
            "SELECT DISTINCT batch FROM bluebonnet.polls WHERE due <= now() AND batch > $1 ORDER BY batch",
            [.integer(0)])
        for row in 0..<due.count { try resumePolls(of: due.integer(row, 0)) }
        let next = try connection.query(
            """
            SELECT extract(epoch FROM min(due) - now())::double precision FROM bluebonnet.polls
            WHERE due > to_timestamp($1)
            """, [.double(0)])
        return next.optionalDouble(0, 0).map { max(0, $0) }
    }

    private func resumePolls(of batch: Int) throws(FleetError) {
        try connection.transaction { () throws(FleetError) in
            // The cancellation of a batch removes these lines.
            try ResultWriting(connection: connection, worker: worker).lock(batch)
            try connection.query(
                """
                WITH due AS MATERIALIZED (
                    SELECT position FROM bluebonnet.polls WHERE batch = $1 AND due <= now() ORDER BY due
                    LIMIT \(Self.limit) FOR UPDATE SKIP LOCKED
                ), resumed AS (
                    UPDATE bluebonnet.polls SET due = NULL
                    WHERE batch = $1 AND position = ANY (ARRAY(SELECT position FROM due))
                ), free AS (
                    DELETE FROM bluebonnet.blocked
                    WHERE batch = $1 AND position = ANY (ARRAY(SELECT position FROM due)) RETURNING position
                )
                INSERT INTO bluebonnet.ready (batch, lane, rank, position)
                SELECT batch, lane, rank, position FROM bluebonnet.lines
                WHERE batch = $1 AND position = ANY (ARRAY(SELECT position FROM free))
                """, [.integer(batch)])
            notices.add(.work)
        }
    }
}
