// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import BluebonnetHTTP
internal import Foundation

/// A page or an element to be stored.
struct NewPart {
    let name: String
    var page: Int?
    var change = Data()
    var element = Data()
    /// Why the part is not sent; nil if it is.
    var failure: ResultLine.Failure?
}

/// Inserts pages and elements of one batch as separate lines. Runs in the caller's transaction, which has locked
/// the batch's row in `expansions`.
struct PartRows {
    /// The maximum number of rows in one statement, so that the elements of a page are never all in memory.
    static let sliceLength = 1_000

    let writing: ResultWriting
    let batch: Int
    /// The position of the next part.
    private(set) var nextPosition: Int

    private var connection: PostgreSQLConnection { writing.connection }

    init(_ writing: ResultWriting, _ batch: Int, nextPosition: Int) {
        (self.writing, self.batch, self.nextPosition) = (writing, batch, nextPosition)
    }

    /// Records keys of a line's elements or pages.
    ///
    /// - Returns: the indices of the keys that occur for the first time.
    func insertKeys(_ keys: [String], of position: Int) throws(FleetError) -> Set<Int> {
        guard !keys.isEmpty else { return [] }
        let rows = try connection.query(
            """
            WITH given AS MATERIALIZED (
                SELECT DISTINCT ON (key) key, index FROM (
                    SELECT sha256(convert_to(text, 'UTF8')) AS key, index
                    FROM unnest($3::text[]) WITH ORDINALITY AS u (text, index)
                ) k ORDER BY key, index
            ), new AS (
                INSERT INTO bluebonnet.keys (batch, position, key) SELECT $1, $2, key FROM given
                ON CONFLICT DO NOTHING RETURNING key
            )
            SELECT coalesce(array_agg(g.index), '{}') FROM given g JOIN new USING (key)
            """, [.integer(batch), .integer(position), .texts(keys)])
        return Set(rows.integers(0, 0).map { $0 - 1 })
    }

    /// Inserts parts without making them ready.
    ///
    /// - Parameter kind: the kind of the parts' requests.
    /// - Returns: the positions of the parts.
    mutating func insert(
        _ parts: [NewPart], of parent: StoredParent, kind: FleetLine.Kind
    ) throws(FleetError) -> [Int] {
        guard !parts.isEmpty else { return [] }
        let positions = Array(nextPosition..<(nextPosition + parts.count))
        nextPosition += parts.count
        try connection.query(
            """
            INSERT INTO bluebonnet.lines (batch, position, id, lane, rank, kind, is_read, line)
            SELECT $1, u.position, u.id, t.lane, t.rank, $5, $6, ''
            FROM unnest($3::bigint[], $4::text[]) AS u (position, id)
            CROSS JOIN (SELECT lane, rank FROM bluebonnet.lines WHERE batch = $1 AND position = $2) t
            """,
            [
                .integer(batch), .integer(parent.line), .integers(positions),
                .texts(parts.map { "\(parent.id)/\($0.name)" }), .integer(kind.rawValue), .bool(parent.isRead),
            ])
        try connection.query(
            """
            INSERT INTO bluebonnet.parts (batch, position, parent, line, page, change, element, failure)
            SELECT $1, u.position, $2, $3, nullif(u.page, 0), nullif(u.change, ''), nullif(u.element, ''),
                   nullif(u.failure, '')
            FROM unnest($4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[])
                 AS u (position, page, change, element, failure)
            """,
            [
                .integer(batch), .integer(parent.position), .integer(parent.line), .integers(positions),
                .integers(parts.map { $0.page ?? 0 }), .lines(parts.map { connection.storable($0.change) }),
                .lines(parts.map { connection.storable($0.element) }),
                .texts(parts.map { $0.failure?.message ?? "" }),
            ])
        return positions
    }

    /// Adds inserted parts to the lines of the batch. They can be claimed, unless the batch is cancelled.
    ///
    /// - Returns: the number of parts that have not ended.
    func place(_ positions: [Int], isCancelled: Bool) throws(FleetError) -> Int {
        guard !positions.isEmpty else { return 0 }
        try count(positions.count, at: positions[0])
        guard !isCancelled else {
            try writing.end(batch, .cancelled, [.cancelledBatch], "WITH \(ResultWriting.gone)", positions)
            return 0
        }
        let failed = try connection.query(
            """
            SELECT position, failure FROM bluebonnet.parts
            WHERE batch = $1 AND position = ANY ($2) AND failure IS NOT NULL
            """, [.integer(batch), .integers(positions)])
        let failures = (0..<failed.count).map {
            ResultLine.Failure(code: .unresolvedReference, message: failed.text($0, 1))
        }
        let ended = (0..<failed.count).map { failed.integer($0, 0) }
        if !ended.isEmpty {
            try writing.end(
                batch, .failure, failures, "WITH \(ResultWriting.gone)", ended, failureIndices: Array(ended.indices))
        }
        let known = Set(ended)
        try writing.makeReady(batch, ended.isEmpty ? positions : positions.filter { !known.contains($0) })
        return positions.count - ended.count
    }

    /// Adds parts to the number of lines. The tally `added` is negative, so that the sum of all tallies reaches the
    /// number of submitted lines when all lines and parts have ended.
    private func count(_ count: Int, at position: Int) throws(FleetError) {
        try connection.query(
            """
            INSERT INTO bluebonnet.tallies AS t (batch, worker, outcome, count, bytes) VALUES ($1, $2, 'added', -$3, 0)
            ON CONFLICT (batch, worker, outcome) DO UPDATE SET count = t.count + excluded.count
            """,
            [.integer(batch), .integer(connection.nextTally(of: writing.worker)), .integer(count)])
        try connection.query(
            """
            UPDATE bluebonnet.lanes SET line_count = line_count + $3 WHERE batch = $1 AND lane = (
                SELECT lane FROM bluebonnet.lines WHERE batch = $1 AND position = $2)
            """, [.integer(batch), .integer(position), .integer(count)])
    }
}
