// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import Foundation

/// A batch as a worker knows it.
struct OpenBatch: Equatable {
    let number: Int
    let name: String
    let priority: Int
    let hasEdges: Bool
    let keySeed: String
    let settings: FleetSettings
    /// The origins of the lanes, by lane number.
    let lanes: [Int: String]
}

/// A line that a worker has claimed.
struct ClaimedLine: Equatable {
    /// The number of the claim, which is the fencing number.
    let claim: Int
    let batch: Int
    let position: Int
    let id: String
    let lane: String
    let priority: RequestLine.Priority
    let kind: FleetLine.Kind
    /// Whether other lines refer to the response.
    let isRead: Bool
    let text: Data
    /// The positions of the lines that this line needs.
    let needs: [Int]
    /// How many workers were lost with the line.
    let lossCount: Int
    /// The place of a page or an element; nil for a whole line.
    var part: ClaimedPart?
    /// Whether lines use the elements of the response at once.
    var hasReaders = false
    /// The requests before, for a polling line.
    var poll: StoredPoll?

    /// Whether the store must record "may have been sent" before the line is sent: if the line is not safe, or if a
    /// worker was lost with it, so that the store can detect lines that make workers fail.
    var needsMark: Bool { kind != .safe || lossCount > 0 }
}

/// The queries and changes of one worker in the store. Each call is one transaction, and may be repeated if its answer
/// was lost.
struct WorkerStore {
    let connection: PostgreSQLConnection
    /// The worker's number.
    let worker: Int

    /// The key of the advisory lock for registrations ("BBFW"). Workers register one after the other, so that a worker
    /// sees all workers with lower numbers.
    private static let lock = 0x4242_4657

    /// Registers a worker. A worker without transfers counts all workers that were registered before it.
    static func register(
        _ connection: PostgreSQLConnection, name: String, slots: Int, lease: Double
    ) throws(FleetError) -> WorkerStore {
        let number = try connection.transaction { () throws(FleetError) in
            try connection.query("SELECT pg_advisory_xact_lock($1)", [.integer(lock)])
            let number = try connection.query(
                """
                INSERT INTO bluebonnet.workers (name, version, slots, lease) VALUES ($1, $2, $3, $4) RETURNING number
                """, [.text(name), .text(String(FleetSchema.version)), .integer(slots), .double(lease)]
            ).integer(0, 0)
            try connection.query(
                "UPDATE bluebonnet.workers SET known_worker = number WHERE number = $1", [.integer(number)])
            try FleetNotice.workers.send(connection)
            return number
        }
        return WorkerStore(connection: connection, worker: number)
    }

    /// Removes the worker, which must have no claims, from the list of workers.
    func leave() throws(FleetError) {
        try connection.transaction { () throws(FleetError) in
            try connection.query("DELETE FROM bluebonnet.workers WHERE number = $1", [.integer(worker)])
            try FleetNotice.workers.send(connection)
        }
    }

    /// Sends a heartbeat, and records which other workers this worker counts.
    ///
    /// - Returns: false if the worker was declared lost.
    func beat(knownWorker: Int) throws(FleetError) -> Bool {
        try connection.query(
            """
            UPDATE bluebonnet.workers SET beat = beat + 1, seen = now(), known_worker = greatest(known_worker, $2)
            WHERE number = $1
            """, [.integer(worker), .integer(knownWorker)]
        ).changedCount == 1
    }

    /// Returns the last heartbeats of all workers.
    func workers() throws(FleetError) -> [WorkerSign] {
        let rows = try connection.query(
            "SELECT number, beat, lease, known_worker FROM bluebonnet.workers WHERE number > $1 ORDER BY number",
            [.integer(0)])
        return (0..<rows.count).map { row in
            WorkerSign(
                number: rows.integer(row, 0), beat: rows.integer(row, 1), lease: rows.double(row, 2),
                knownWorker: rows.integer(row, 3))
        }
    }
}

// MARK: - Batches and claims

extension WorkerStore {
    /// The unfinished batches: some of their lines wait, or workers have claimed them.
    struct Unfinished {
        /// The batches with lines that can be claimed, the most urgent batch first.
        var open: [OpenBatch] = []
        /// The batches without lines that can be claimed. Their limits apply all the same.
        var others: [OpenBatch] = []
    }

    /// Reads the unfinished batches.
    ///
    /// - Parameter known: batches that the caller has; they are not read again.
    func unfinishedBatches(known: [Int: OpenBatch]) throws(FleetError) -> Unfinished {
        let rows = try connection.query(
            """
            SELECT b.number, b.name, b.priority, b.has_edges, b.key_seed,
                   CASE WHEN b.number = ANY ($1) THEN NULL ELSE b.settings END, s.is_ready
            FROM bluebonnet.batches b CROSS JOIN LATERAL (
                SELECT b.state = 'open' AND EXISTS (
                    SELECT FROM bluebonnet.ready r WHERE r.batch = b.number) AS is_ready
            ) s
            WHERE s.is_ready
               OR (b.state = 'open' AND EXISTS (SELECT FROM bluebonnet.blocked w WHERE w.batch = b.number))
               OR EXISTS (SELECT FROM bluebonnet.claims c WHERE c.batch = b.number)
            ORDER BY b.priority DESC, b.number
            """, [.integers(Array(known.keys))])
        var batches = Unfinished()
        for row in 0..<rows.count {
            guard let batch = try batch(rows, row, known) else { continue }
            if rows.bool(row, 6) { batches.open.append(batch) } else { batches.others.append(batch) }
        }
        return batches
    }

    /// Creates a batch from a row; nil if this version cannot read its settings. Such batches are left to newer
    /// workers.
    private func batch(
        _ rows: PostgreSQLResult, _ row: Int, _ known: [Int: OpenBatch]
    ) throws(FleetError) -> OpenBatch? {
        let number = rows.integer(row, 0)
        if let batch = known[number] { return batch }
        guard let text = rows.optionalText(row, 5), let settings = try? FleetSettings(stored: text) else { return nil }
        return OpenBatch(
            number: number, name: rows.text(row, 1), priority: rows.integer(row, 2), hasEdges: rows.bool(row, 3),
            keySeed: rows.text(row, 4), settings: settings, lanes: try lanes(of: number))
    }

    private func lanes(of batch: Int) throws(FleetError) -> [Int: String] {
        let rows = try connection.query(
            "SELECT lane, origin FROM bluebonnet.lanes WHERE batch = $1", [.integer(batch)])
        return Dictionary(uniqueKeysWithValues: (0..<rows.count).map { (rows.integer($0, 0), rows.text($0, 1)) })
    }

    /// The limits of one claim.
    struct ClaimLimits: Equatable {
        /// The maximum total number of lines.
        var count: Int
        /// The maximum number of lines of each lane that `laneCounts` does not name.
        var countPerLane: Int
        /// The maximum number of lines of lanes of which the worker already has lines, or that have separate limits.
        /// Zero skips a lane.
        var laneCounts: [Int: Int]
    }

    /// The maximum number of lanes in one claim.
    static let laneLimit = 256

    /// Claims lines of a batch, the most urgent lines of each lane. Lines that another worker is claiming at the same
    /// time are skipped.
    ///
    /// - Parameter firstLane: the lane at which the search begins, so that it is not always the same lane.
    func claim(
        _ batch: OpenBatch, _ limits: ClaimLimits, firstLane: Int
    ) throws(FleetError) -> [ClaimedLine] {
        let lanes = limits.laneCounts.sorted { $0.key < $1.key }
        let rows = try connection.query(
            """
            WITH RECURSIVE open AS MATERIALIZED (
                SELECT number FROM bluebonnet.batches WHERE number = $2 AND state = 'open' FOR SHARE
            ), walk (lane) AS (
                SELECT (SELECT r.lane FROM bluebonnet.ready r WHERE r.batch = $2 AND r.lane >= $3
                        ORDER BY r.lane LIMIT 1)
                FROM open
                UNION ALL
                SELECT (SELECT r.lane FROM bluebonnet.ready r WHERE r.batch = $2 AND r.lane > w.lane
                        ORDER BY r.lane LIMIT 1)
                FROM walk w WHERE w.lane IS NOT NULL
            ), chosen AS MATERIALIZED (
                SELECT w.lane, coalesce(l.count, $5) AS count
                FROM walk w LEFT JOIN unnest($6::bigint[], $7::bigint[]) AS l (lane, count) ON l.lane = w.lane
                WHERE w.lane IS NOT NULL AND coalesce(l.count, $5) > 0
                LIMIT \(Self.laneLimit)
            ), picked AS MATERIALIZED (
                SELECT r.place FROM chosen c CROSS JOIN LATERAL (
                    SELECT ctid AS place FROM bluebonnet.ready
                    WHERE batch = $2 AND lane = c.lane ORDER BY rank, position
                    LIMIT c.count FOR UPDATE SKIP LOCKED
                ) r LIMIT $4
            ), taken AS (
                DELETE FROM bluebonnet.ready WHERE ctid = ANY (ARRAY(SELECT place FROM picked)) RETURNING position
            ), claim AS (
                INSERT INTO bluebonnet.claims (worker, batch, positions)
                SELECT $1, $2, array_agg(position) FROM taken HAVING count(*) > 0 RETURNING number
            )
            SELECT c.number, l.position, l.id, l.lane, l.rank, l.kind, l.is_read, coalesce(t.line, l.line),
                   coalesce(t.needs, l.needs), coalesce(x.count, 0::smallint), p.line, p.page, p.change, p.element,
                   EXISTS (SELECT FROM bluebonnet.readers r
                           WHERE r.batch = $2 AND r.source = coalesce(p.line, l.position) AND r.is_early),
                   q.requests, q.attempts, extract(epoch FROM now() - q.started)::double precision
            FROM claim c
            JOIN bluebonnet.lines l ON l.batch = $2 AND l.position = ANY (ARRAY(SELECT position FROM taken))
            LEFT JOIN bluebonnet.losses x ON x.batch = $2 AND x.position = l.position
            LEFT JOIN bluebonnet.parts p ON p.batch = $2 AND p.position = l.position
            LEFT JOIN bluebonnet.lines t ON t.batch = $2 AND t.position = p.line
            LEFT JOIN bluebonnet.polls q ON q.batch = $2 AND q.position = l.position
            ORDER BY l.rank, l.position
            """,
            [
                .integer(worker), .integer(batch.number), .integer(firstLane), .integer(limits.count),
                .integer(limits.countPerLane), .integers(lanes.map(\.key)), .integers(lanes.map(\.value)),
            ])
        return (0..<rows.count).map { row in line(rows, row, batch) }
    }

    private func line(_ rows: PostgreSQLResult, _ row: Int, _ batch: OpenBatch) -> ClaimedLine {
        var line = ClaimedLine(
            claim: rows.integer(row, 0), batch: batch.number, position: rows.integer(row, 1), id: rows.text(row, 2),
            lane: batch.lanes[rows.integer(row, 3)] ?? "", priority: .init(rank: rows.integer(row, 4)),
            kind: FleetLine.Kind(rawValue: rows.integer(row, 5)) ?? .unsafe, isRead: rows.bool(row, 6),
            text: rows.bytes(row, 7), needs: rows.integers(row, 8), lossCount: rows.integer(row, 9))
        if !rows.isNull(row, 10) {
            line.part = ClaimedPart(
                line: rows.integer(row, 10), page: rows.isNull(row, 11) ? nil : rows.integer(row, 11),
                change: rows.optionalBytes(row, 12), element: rows.optionalBytes(row, 13))
        }
        line.hasReaders = rows.bool(row, 14)
        if !rows.isNull(row, 15) {
            line.poll = StoredPoll(
                course: PollCourse(requestCount: rows.integer(row, 15), attemptCount: rows.integer(row, 16)),
                start: .now - .seconds(rows.double(row, 17)))
        }
        return line
    }

    /// Records durably that lines may have been sent.
    ///
    /// - Returns: the claims that the worker still has. Lines of other claims must not be sent.
    func mark(_ lines: [ClaimedLine]) throws(FleetError) -> Set<Int> {
        let rows = try connection.query(
            """
            UPDATE bluebonnet.claims c SET marked = c.marked || m.positions
            FROM (SELECT claim, array_agg(position::integer) AS positions
                  FROM unnest($2::bigint[], $3::bigint[]) AS u (claim, position) GROUP BY claim) m
            WHERE c.number = m.claim AND c.worker = $1 RETURNING c.number
            """,
            [.integer(worker), .integers(lines.map(\.claim)), .integers(lines.map(\.position))])
        return Set((0..<rows.count).map { rows.integer($0, 0) })
    }

    /// Returns the claims that the store has for the worker.
    func claims() throws(FleetError) -> Set<Int> {
        let rows = try connection.query(
            "SELECT number FROM bluebonnet.claims WHERE worker = $1", [.integer(worker)])
        return Set((0..<rows.count).map { rows.integer($0, 0) })
    }

    /// Returns the cancelled batches among the batches of the worker's claims.
    func cancelledBatches() throws(FleetError) -> Set<Int> {
        let rows = try connection.query(
            """
            SELECT DISTINCT b.number FROM bluebonnet.claims c JOIN bluebonnet.batches b ON b.number = c.batch
            WHERE c.worker = $1 AND b.state = 'cancelled'
            """, [.integer(worker)])
        return Set((0..<rows.count).map { rows.integer($0, 0) })
    }
}
