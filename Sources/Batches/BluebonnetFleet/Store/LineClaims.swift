// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import Foundation

/// Claiming lines.
extension WorkerStore {
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

    /// The maximum number of lanes in one claim. The marks of batches with more lanes are not remembered.
    static let laneLimit = 256

    /// Claims lines of a batch, the most urgent lines of each lane. Lines that another worker is claiming at the same
    /// time are skipped.
    ///
    /// - Parameter firstLane: the lane at which the search begins, so that it is not always the same lane.
    func claim(
        _ batch: OpenBatch, _ limits: ClaimLimits, firstLane: Int
    ) throws(FleetError) -> [ClaimedLine] {
        guard batch.lanes.count <= Self.laneLimit else {
            let lanes = limits.laneCounts.sorted { $0.key < $1.key }
            let rows = try connection.query(
                Self.walkStatement,
                [
                    .integer(worker), .integer(batch.number), .integer(limits.count), .integer(firstLane),
                    .integer(limits.countPerLane), .integers(lanes.map(\.key)), .integers(lanes.map(\.value)),
                ])
            return lines(rows, batch)
        }
        let lanes = batch.markedLanes.compactMap { lane in
            let count = limits.laneCounts[lane.number] ?? limits.countPerLane
            return count > 0 ? ClaimMarks.Lane(number: lane.number, count: count, ranks: lane.ranks) : nil
        }
        guard !lanes.isEmpty, limits.count > 0 else { return [] }
        let start = ContinuousClock.now
        let search = memory.marks.search(batch.number, lanes, now: start)
        let rows = try connection.query(
            Self.searchStatement,
            [
                .integer(worker), .integer(batch.number), .integer(limits.count),
                .integers(search.lanes.map(\.lane.number)), .integers(search.lanes.map(\.lane.count)),
                .integers(search.lanes.map { $0.first + 1 }), .integers(search.lanes.map { $0.last + 1 }),
                .integers(search.parts.map(\.rank)), .integers(search.starts), .integers(search.parts.map(\.end)),
            ])
        // A batch that was paused meanwhile gives no lines, which says nothing about them.
        guard rows.integer(0, 24) > 0 else { return [] }
        memory.marks.record(
            batch.number, epoch: batch.epoch, search, Self.found(rows), limit: limits.count,
            time: rows.integer(0, 18), start: start, now: .now)
        return lines(rows, batch)
    }

    /// Whether lines of a batch can be claimed.
    func hasReady(_ batch: OpenBatch) throws(FleetError) -> Bool {
        let start = ContinuousClock.now
        let search = memory.marks.search(batch.number, batch.markedLanes, now: start)
        let rows = try connection.query(
            """
            SELECT (extract(epoch FROM now()) * 1000000)::bigint, EXISTS (
                SELECT FROM generate_series(1, cardinality($2::bigint[])) AS g (index) CROSS JOIN LATERAL (
                    SELECT FROM bluebonnet.ready
                    WHERE batch = $1 AND lane = ($2::bigint[])[g.index] AND rank = ($3::bigint[])[g.index]
                      AND entry >= ($4::bigint[])[g.index] AND entry < ($5::bigint[])[g.index] LIMIT 1
                ) r)
            """,
            [
                .integer(batch.number), .integers(search.parts.map(\.lane)), .integers(search.parts.map(\.rank)),
                .integers(search.starts), .integers(search.parts.map(\.end)),
            ])
        guard !rows.bool(0, 1) else { return true }
        memory.marks.record(
            batch.number, epoch: batch.epoch, search, [], limit: 1, time: rows.integer(0, 0), start: start, now: .now)
        return false
    }

    private func lines(_ rows: PostgreSQLResult, _ batch: OpenBatch) -> [ClaimedLine] {
        (0..<rows.count).filter { !rows.isNull($0, 0) }.map { row in line(rows, row, batch) }
    }

    /// Returns the numbers and entries of the claimed lines, which each row has.
    private static func found(_ rows: PostgreSQLResult) -> [ClaimMarks.Found] {
        let columns = (19...23).map { rows.integers(0, $0) }
        return columns[0].indices.map { index in
            let part = ClaimMarks.Part(
                lane: columns[0][index], rank: columns[1][index],
                isSubmitted: columns[4][index] >= ClaimMarks.submittedStart)
            return ClaimMarks.Found(
                part: part, count: columns[2][index], firstEntry: columns[3][index], lastEntry: columns[4][index])
        }
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
}

// MARK: - Statements

extension WorkerStore {
    /// Finds the lines of up to `laneLimit` lanes, from the marks on.
    private static let search = """
        picked AS MATERIALIZED (
            SELECT r.place FROM open
            CROSS JOIN unnest($4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[]) AS c (lane, count, first, last)
            CROSS JOIN LATERAL (
                SELECT s.place FROM generate_series(c.first, c.last) AS g (index) CROSS JOIN LATERAL (
                    SELECT ctid AS place FROM bluebonnet.ready
                    WHERE batch = $2 AND lane = c.lane AND rank = ($8::bigint[])[g.index]
                      AND entry >= ($9::bigint[])[g.index] AND entry < ($10::bigint[])[g.index]
                    ORDER BY entry LIMIT c.count FOR UPDATE SKIP LOCKED
                ) s LIMIT c.count
            ) r LIMIT $3
        )
        """

    /// Finds the lines of any number of lanes.
    private static let walk = """
        walk (lane) AS (
            SELECT (SELECT r.lane FROM bluebonnet.ready r WHERE r.batch = $2 AND r.lane >= $4 ORDER BY r.lane LIMIT 1)
            FROM open
            UNION ALL
            SELECT (SELECT r.lane FROM bluebonnet.ready r WHERE r.batch = $2 AND r.lane > w.lane
                    ORDER BY r.lane LIMIT 1)
            FROM walk w WHERE w.lane IS NOT NULL
        ), chosen AS MATERIALIZED (
            SELECT w.lane, coalesce(l.count, $5) AS count
            FROM walk w LEFT JOIN unnest($6::bigint[], $7::bigint[]) AS l (lane, count) ON l.lane = w.lane
            WHERE w.lane IS NOT NULL AND coalesce(l.count, $5) > 0
            LIMIT \(laneLimit)
        ), picked AS MATERIALIZED (
            SELECT r.place FROM chosen c CROSS JOIN LATERAL (
                SELECT ctid AS place FROM bluebonnet.ready
                WHERE batch = $2 AND lane = c.lane ORDER BY rank, entry LIMIT c.count FOR UPDATE SKIP LOCKED
            ) r LIMIT $3
        )
        """

    private static let searchStatement = statement(search)
    private static let walkStatement = statement(walk)

    /// Returns the statement that claims the lines of `picked`. There is a row, without a claim, if there are none.
    /// Subqueries with `LIMIT 1` make the planner look up each line, however few rows it expects in a table.
    private static func statement(_ picked: String) -> String {
        """
        WITH RECURSIVE open AS MATERIALIZED (
            SELECT number FROM bluebonnet.batches WHERE number = $2 AND state = 'open' FOR SHARE
        ), \(picked), taken AS (
            DELETE FROM bluebonnet.ready WHERE ctid = ANY (ARRAY(SELECT place FROM picked))
            RETURNING position, lane, rank, entry
        ), found AS MATERIALIZED (
            SELECT lane, rank, count(*) AS count, min(entry) AS first, max(entry) AS last
            FROM taken GROUP BY lane, rank, entry >= \(ClaimMarks.submittedStart)
        ), claim AS (
            INSERT INTO bluebonnet.claims (worker, batch, positions)
            SELECT $1, $2, array_agg(position) FROM taken HAVING count(*) > 0 RETURNING number
        )
        SELECT c.number, l.position, l.id, l.lane, l.rank, l.kind, l.is_read, coalesce(t.line, l.line),
               coalesce(t.needs, l.needs), coalesce(x.count, 0::smallint), p.line, p.page, p.change, p.element,
               EXISTS (SELECT FROM bluebonnet.readers r
                       WHERE r.batch = $2 AND r.source = coalesce(p.line, l.position) AND r.is_early),
               q.requests, q.attempts, extract(epoch FROM now() - q.started)::double precision,
               (extract(epoch FROM now()) * 1000000)::bigint, f.*, (SELECT count(*) FROM open)
        FROM (
            SELECT array_agg(lane), array_agg(rank), array_agg(count), array_agg(first), array_agg(last) FROM found
        ) f
        LEFT JOIN (
            claim c JOIN bluebonnet.lines l ON l.batch = $2 AND l.position = ANY (ARRAY(SELECT position FROM taken))
        ) ON true
        LEFT JOIN LATERAL (
            SELECT count FROM bluebonnet.losses WHERE batch = $2 AND position = l.position LIMIT 1
        ) x ON true
        LEFT JOIN LATERAL (
            SELECT line, page, change, element FROM bluebonnet.parts WHERE batch = $2 AND position = l.position LIMIT 1
        ) p ON true
        LEFT JOIN LATERAL (
            SELECT line, needs FROM bluebonnet.lines WHERE batch = $2 AND position = p.line LIMIT 1
        ) t ON true
        LEFT JOIN LATERAL (
            SELECT requests, attempts, started FROM bluebonnet.polls
            WHERE batch = $2 AND position = l.position LIMIT 1
        ) q ON true
        ORDER BY l.rank, l.position
        """
    }
}

extension OpenBatch {
    /// The lanes in their order, with the priorities of their lines.
    fileprivate var markedLanes: [ClaimMarks.Lane] {
        lanes.keys.sorted().map { lane in
            var lane = ClaimMarks.Lane(number: lane, count: .max)
            if let ranks = ranks[lane.number] { lane.ranks = ranks }
            return lane
        }
    }
}
