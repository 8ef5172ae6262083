// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import Foundation

/// A result in the store, with the origin of its line.
struct StoredResult: Sendable {
    let position: Int
    /// The result line, without a line break.
    let line: Data
    /// Scheme, host and port of the line's URL; empty if they are not known.
    let origin: String
}

/// Reads the results of a batch with some outcomes page by page, in the order of the lines.
struct FailureReading {
    /// A page ends with the line that reaches this number of bytes.
    private static let pageByteCount = 8 << 20
    private static let pageLength = 1_000

    let connection: PostgreSQLConnection
    let outcomes: [ResultLine.Outcome]
    var condition: ResultCondition?

    /// Returns the number of a batch.
    func number(of name: String) throws(FleetError) -> Int {
        let found = try connection.query("SELECT number FROM bluebonnet.batches WHERE name = $1", [.text(name)])
        guard found.count == 1 else { throw .noBatch(name) }
        return found.integer(0, 0)
    }

    /// Calls `body` with the results that meet the condition, page by page.
    func forEachPage(
        of batch: Int, _ body: ([StoredResult]) throws(FleetError) -> Void
    ) throws(FleetError) {
        var position: Int? = -1
        while let last = position {
            let page = try page(of: batch, after: last)
            position = page.last
            if !page.results.isEmpty { try body(page.results) }
        }
    }

    /// Reads the next page.
    ///
    /// - Parameter position: the position of the last result that was read; -1 at the beginning.
    /// - Returns: the results that meet the condition, and the position of the last one that was read; nil if no
    ///   results follow.
    func page(
        of batch: Int, after position: Int
    ) throws(FleetError) -> (results: [StoredResult], last: Int?) {
        let rows = try connection.query(
            """
            SELECT position, line, origin FROM (
                SELECT r.position, r.line, coalesce(n.origin, '') AS origin,
                       sum(octet_length(r.line)) OVER (ORDER BY r.position) - octet_length(r.line) AS before
                FROM (
                    SELECT position, line FROM bluebonnet.results
                    WHERE batch = $1 AND outcome = ANY ($2) AND position > $3 ORDER BY position LIMIT $4
                ) r JOIN bluebonnet.lines l ON l.batch = $1 AND l.position = r.position
                LEFT JOIN bluebonnet.lanes n ON n.batch = $1 AND n.lane = l.lane
            ) page WHERE before < \(Self.pageByteCount) ORDER BY position
            """,
            [
                .integer(batch), .texts(outcomes.map(\.rawValue)), .integer(position), .integer(Self.pageLength),
            ])
        guard rows.count > 0 else { return ([], nil) }
        var results: [StoredResult] = []
        for row in 0..<rows.count {
            let result = StoredResult(
                position: rows.integer(row, 0), line: rows.bytes(row, 1), origin: rows.text(row, 2))
            if try condition?.holds(for: result) ?? true { results.append(result) }
        }
        return (results, rows.integer(rows.count - 1, 0))
    }
}
