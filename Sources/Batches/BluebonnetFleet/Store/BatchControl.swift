// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch

/// Changes a whole batch in the store: pauses, resumes, cancels or retries it.
struct BatchControl {
    /// The worker number of outcomes that no worker has recorded.
    static let noWorker = 0
    /// Statements for a batch of a million lines take longer than the usual time limit.
    private static let timeout = Duration.seconds(600)

    let connection: PostgreSQLConnection
    let name: String
    /// The batch's number, if it is known. Another batch may have the name in the meantime.
    var number: Int?

    /// Stops giving lines of the batch to workers. Lines that workers have claimed continue.
    func pause() throws(FleetError) {
        try change { number, state throws(FleetError) in
            guard state != .cancelled else { throw notPossible("was cancelled: it cannot be paused") }
            try set(.paused, number, .work)
        }
    }

    /// Gives lines of the batch to workers again.
    func resume() throws(FleetError) {
        try change { number, state throws(FleetError) in
            guard state != .cancelled else {
                throw notPossible("was cancelled: use retry-failed to run its cancelled lines")
            }
            try set(.open, number, .work)
        }
    }

    /// Cancels all lines that have not ended. Lines that workers have claimed are cancelled when the workers are
    /// notified.
    func cancel() throws(FleetError) {
        try change { number, _ throws(FleetError) in
            try set(.cancelled, number, .cancel)
            let writing = ResultWriting(connection: connection, worker: Self.noWorker)
            for table in ["ready", "blocked"] {
                try writing.end(
                    number, .cancelled, [.cancelledBatch],
                    """
                    WITH gone AS (
                        DELETE FROM bluebonnet.\(table) WHERE batch = $1 RETURNING position, 1 AS failure
                    )
                    """, [])
            }
        }
    }

    /// Runs failed, cancelled and skipped lines again. The batch is open afterwards, even if it was cancelled or
    /// paused.
    ///
    /// - Parameters:
    ///   - withUnknown: whether lines with an unknown outcome run again too.
    ///   - condition: the lines that run again; nil for all.
    /// - Returns: the number of lines that run again.
    func retryFailed(withUnknown: Bool, where condition: ResultCondition? = nil) throws(FleetError) -> Int {
        var count = 0
        try change { number, _ throws(FleetError) in
            try set(.open, number, .work)
            count = try putBack(
                number,
                RetryChoice(
                    connection: connection, batch: number, withUnknown: withUnknown, condition: condition))
        }
        return count
    }

    private func putBack(_ number: Int, _ choice: RetryChoice) throws(FleetError) -> Int {
        let gone = try choice.removeResults()
        let pipelines = PipelineRetry(connection: connection, batch: number)
        let plain = try pipelines.putBack(gone)
        let positions = PostgreSQLValue.integers(plain)
        try connection.query(
            "DELETE FROM bluebonnet.losses WHERE batch = $1 AND position = ANY ($2)",
            [.integer(number), .integers(gone)])
        // A line is blocked while dependencies are missing, that is, have not succeeded.
        try connection.query(
            """
            WITH again AS MATERIALIZED (
                SELECT l.position, l.lane, l.rank, (
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
            INSERT INTO bluebonnet.ready (batch, lane, rank, position)
            SELECT $1, lane, rank, position FROM again WHERE missing = 0
            """, [.integer(number), positions])
        return gone.count
    }

    // MARK: The batch

    /// Changes the batch in one transaction, with its row locked.
    private func change(
        _ work: (_ number: Int, _ state: FleetBatch.State) throws(FleetError) -> Void
    ) throws(FleetError) {
        let patience = connection.timeout
        connection.timeout = Self.timeout
        defer { connection.timeout = patience }
        try connection.transaction { () throws(FleetError) in
            let rows = try connection.query(
                "SELECT number, state FROM bluebonnet.batches WHERE name = $1 AND number = coalesce($2, number) FOR UPDATE",
                [.text(name), number.map { .integer($0) } ?? .null])
            guard rows.count == 1 else { throw .noBatch(name) }
            try work(rows.integer(0, 0), FleetBatch.State(rawValue: rows.text(0, 1)) ?? .open)
        }
    }

    private func set(_ state: FleetBatch.State, _ number: Int, _ notice: FleetNotice) throws(FleetError) {
        try connection.query(
            "UPDATE bluebonnet.batches SET state = $2 WHERE number = $1", [.integer(number), .text(state.rawValue)])
        try notice.send(connection)
    }

    private func notPossible(_ reason: String) -> FleetError {
        FleetError(.notPossible, "the batch \(name) \(reason)")
    }
}
