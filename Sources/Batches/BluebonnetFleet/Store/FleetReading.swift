// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import BluebonnetHTTP
internal import Foundation

/// Reads the states of batches, workers and origins, and the results of batches.
struct FleetReading {
    let connection: PostgreSQLConnection

    /// Returns the batches in the order in which they were submitted, or the batch with a name.
    func batches(named name: String? = nil) throws(FleetError) -> [FleetBatch] {
        let rows = try connection.query(
            """
            SELECT b.name, b.state, b.priority, b.line_count, extract(epoch FROM b.created)::double precision,
                   (SELECT coalesce(sum(cardinality(c.positions)), 0)::bigint FROM bluebonnet.claims c
                    WHERE c.batch = b.number),
                   t.outcome, t.count, t.bytes
            FROM bluebonnet.batches b LEFT JOIN LATERAL (
                SELECT outcome, sum(count)::bigint AS count, sum(bytes)::bigint AS bytes
                FROM bluebonnet.tallies WHERE batch = b.number GROUP BY outcome
            ) t ON true
            WHERE $2 OR b.name = $1 ORDER BY b.number
            """, [.text(name ?? ""), .bool(name == nil)])
        var batches: [FleetBatch] = []
        var row = 0
        while row < rows.count {
            let first = row
            while row < rows.count, FieldSyntax.isSameText(rows.text(row, 0), rows.text(first, 0)) { row += 1 }
            batches.append(FleetBatch(rows, first..<row))
        }
        return batches
    }

    /// Returns the batch with a name.
    func batch(_ name: String) throws(FleetError) -> FleetBatch {
        guard let batch = try batches(named: name).first else { throw .noBatch(name) }
        return batch
    }

    /// Returns the workers that were not declared lost.
    func members() throws(FleetError) -> [FleetMember] {
        let rows = try connection.query(
            """
            SELECT w.name, w.slots,
                   (SELECT coalesce(sum(cardinality(c.positions)), 0)::bigint FROM bluebonnet.claims c
                    WHERE c.worker = w.number),
                   coalesce(t.count, 0),
                   extract(epoch FROM now() - w.seen)::double precision,
                   extract(epoch FROM w.started)::double precision, w.version
            FROM bluebonnet.workers w LEFT JOIN (
                SELECT worker & $2 AS worker, sum(count)::bigint AS count FROM bluebonnet.tallies GROUP BY 1
            ) t ON t.worker = w.number
            WHERE w.number > $1 ORDER BY w.number
            """, [.integer(0), .integer(TallyKey.workerMask)])
        return (0..<rows.count).map { row in
            FleetMember(
                name: rows.text(row, 0), version: rows.text(row, 6), slotCount: rows.integer(row, 1),
                claimedCount: rows.integer(row, 2), endedCount: rows.integer(row, 3),
                secondsSilent: max(0, rows.double(row, 4)),
                started: Date(timeIntervalSince1970: rows.double(row, 5)))
        }
    }

    /// Returns the origins of a batch, the origins with the most lines first.
    func origins(_ name: String, limit: Int) throws(FleetError) -> [FleetOrigin] {
        let batch = try connection.query("SELECT number FROM bluebonnet.batches WHERE name = $1", [.text(name)])
        guard batch.count == 1 else { throw .noBatch(name) }
        let rows = try connection.query(
            """
            SELECT l.origin, l.line_count,
                   (SELECT count(*) FROM bluebonnet.ready r WHERE r.batch = l.batch AND r.lane = l.lane),
                   extract(epoch FROM h.until - now())::double precision
            FROM (SELECT * FROM bluebonnet.lanes
                  WHERE batch = $1 ORDER BY line_count DESC, lane LIMIT $2) l
            LEFT JOIN bluebonnet.holds h ON h.origin = l.origin AND h.until > now()
            ORDER BY l.line_count DESC, l.lane
            """, [.integer(batch.integer(0, 0)), .integer(limit)])
        return (0..<rows.count).map { row in
            FleetOrigin(
                origin: rows.text(row, 0), lineCount: rows.integer(row, 1), readyCount: rows.integer(row, 2),
                secondsHeld: rows.optionalDouble(row, 3))
        }
    }

    /// A page ends with the line that reaches this number of bytes.
    private static let pageByteCount = 8 << 20

    /// Reads the next results of a batch, in the order in which they were recorded.
    ///
    /// Transactions may commit in a different order than they began. So a result is read only when no transaction is
    /// running that began before the transaction of the result. A complete batch needs no such check.
    func results(_ batch: String, after cursor: ResultCursor, limit: Int) throws(FleetError) -> ResultPage {
        let isComplete = try self.batch(batch).isComplete
        let rows = try connection.query(
            """
            SELECT written::text::bigint, position, line, count FROM (
                SELECT written, position, line, count(*) OVER () AS count,
                       sum(octet_length(line)) OVER (ORDER BY written, position) - octet_length(line) AS before
                FROM (
                    SELECT written, position, line FROM bluebonnet.results
                    WHERE batch = (SELECT number FROM bluebonnet.batches WHERE name = $1)
                      AND (written, position) > ($2::bigint::text::xid8, $3::bigint)
                      AND ($4 OR written < pg_snapshot_xmin(pg_current_snapshot()))
                    ORDER BY written, position LIMIT $5
                ) next
            ) page WHERE before < \(Self.pageByteCount) ORDER BY written, position
            """,
            [
                .text(batch), .integer(cursor.transaction), .integer(cursor.position), .bool(isComplete),
                .integer(limit),
            ])
        // Whether the page contains all remaining results.
        let isWhole = rows.count == 0 || (rows.integer(0, 3) == rows.count && rows.count < limit)
        var page = ResultPage(lines: [], cursor: cursor, isLast: isComplete && isWhole)
        page.lines.reserveCapacity(rows.count)
        for row in 0..<rows.count { page.lines.append(rows.bytes(row, 2)) }
        if rows.count > 0 {
            let last = rows.count - 1
            page.cursor = ResultCursor(transaction: rows.integer(last, 0), position: rows.integer(last, 1))
        }
        return page
    }
}

/// The position up to which the results of a batch were read.
struct ResultCursor: Equatable {
    var transaction = 0
    var position = -1
}

/// A page of the results of a batch.
struct ResultPage {
    /// Result lines without line breaks.
    var lines: [Data]
    var cursor: ResultCursor
    /// Whether no results follow.
    let isLast: Bool
}

extension FleetBatch {
    /// Creates a batch from the rows of its outcomes.
    fileprivate init(_ rows: PostgreSQLResult, _ range: Range<Int>) {
        let first = range.lowerBound
        var (counts, bytes, lineCount): ([ResultLine.Outcome: Int], Int, Int) = ([:], 0, rows.integer(first, 3))
        for row in range where !rows.isNull(row, 6) {
            bytes += rows.integer(row, 8)
            if rows.text(row, 6) == "added" { lineCount -= rows.integer(row, 7) }
            guard let outcome = ResultLine.Outcome(rawValue: rows.text(row, 6)), rows.integer(row, 7) != 0 else {
                continue
            }
            counts[outcome] = rows.integer(row, 7)
        }
        self.init(
            name: rows.text(first, 0), state: State(rawValue: rows.text(first, 1)) ?? .open,
            priority: rows.integer(first, 2), lineCount: lineCount,
            claimedCount: rows.integer(first, 5), counts: counts, byteCount: bytes,
            created: Date(timeIntervalSince1970: rows.double(first, 4)))
    }
}
