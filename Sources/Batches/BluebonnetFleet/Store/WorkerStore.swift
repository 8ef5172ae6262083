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
    /// The priorities of the lanes' lines, by lane number; a lane that is missing may have all.
    var ranks: [Int: Int] = [:]
    /// A number that changes with the batch's state.
    var epoch = 0
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
    /// Where the waiting lines of the batches begin.
    let memory = ClaimMemory()
    /// The notifications to be sent.
    var notices = PendingNotices()

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

    /// Reads the unfinished batches, and records which batches are complete.
    ///
    /// - Parameter known: batches that the caller has; they are not read again.
    func unfinishedBatches(known: [Int: OpenBatch]) throws(FleetError) -> Unfinished {
        let marked = known.keys.filter(memory.marks.knows)
        let rows = try connection.query(
            """
            SELECT b.number, b.name, b.priority, b.has_edges, b.key_seed,
                   CASE WHEN b.number = ANY ($1) THEN NULL ELSE b.settings END,
                   b.state = 'open' AND (b.number = ANY ($2) OR EXISTS (
                       SELECT FROM bluebonnet.ready r WHERE r.batch = b.number)),
                   b.epoch, b.state = 'open'
            FROM bluebonnet.batches b
            WHERE b.completed IS NULL
              AND (b.state = 'open' OR EXISTS (SELECT FROM bluebonnet.claims c WHERE c.batch = b.number))
            ORDER BY b.priority DESC, b.number
            """, [.integers(Array(known.keys)), .integers(marked)])
        var batches = Unfinished()
        var doubtful: [Int] = []
        for row in 0..<rows.count {
            let number = rows.integer(row, 0)
            guard var batch = try batch(rows, row, known) else { continue }
            batch.epoch = rows.integer(row, 7)
            memory.marks.update(number, epoch: batch.epoch, now: .now)
            if try isReady(batch, isOpen: rows.bool(row, 8), hasRows: rows.bool(row, 6)) {
                batches.open.append(batch)
            } else {
                batches.others.append(batch)
                if rows.bool(row, 8) { doubtful.append(number) }
            }
        }
        memory.marks.keep(Set((0..<rows.count).map { rows.integer($0, 0) }))
        let complete = try BatchCompletion.record(doubtful, connection)
        batches.others.removeAll { complete.contains($0.number) }
        return batches
    }

    /// Whether lines of a batch can be claimed. A batch without such lines gets marks, too.
    ///
    /// - Parameter hasRows: whether there are waiting lines, for a batch without marks.
    private func isReady(_ batch: OpenBatch, isOpen: Bool, hasRows: Bool) throws(FleetError) -> Bool {
        guard isOpen, batch.lanes.count <= Self.laneLimit else { return isOpen && hasRows }
        guard !hasRows || memory.marks.knows(batch.number) else { return true }
        return try hasReady(batch)
    }

    /// Creates a batch from a row; nil if this version cannot read its settings. Such batches are left to newer
    /// workers.
    private func batch(
        _ rows: PostgreSQLResult, _ row: Int, _ known: [Int: OpenBatch]
    ) throws(FleetError) -> OpenBatch? {
        let number = rows.integer(row, 0)
        if let batch = known[number] { return batch }
        guard let text = rows.optionalText(row, 5), let settings = try? FleetSettings(stored: text) else { return nil }
        let lanes = try lanes(of: number)
        return OpenBatch(
            number: number, name: rows.text(row, 1), priority: rows.integer(row, 2), hasEdges: rows.bool(row, 3),
            keySeed: rows.text(row, 4), settings: settings, lanes: lanes.mapValues(\.origin),
            ranks: lanes.compactMapValues(\.ranks))
    }

    private func lanes(of batch: Int) throws(FleetError) -> [Int: (origin: String, ranks: Int?)] {
        let rows = try connection.query(
            "SELECT lane, origin, ranks FROM bluebonnet.lanes WHERE batch = $1", [.integer(batch)])
        return Dictionary(
            uniqueKeysWithValues: (0..<rows.count).map {
                (rows.integer($0, 0), (rows.text($0, 1), rows.isNull($0, 2) ? nil : rows.integer($0, 2)))
            })
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
