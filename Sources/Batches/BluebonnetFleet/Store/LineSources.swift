// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import Foundation

/// Reading the responses to which lines refer.
extension WorkerStore {
    /// Returns the results of pages to which other lines refer, by position.
    ///
    /// - Parameters:
    ///   - positions: the positions of the lines with the pages.
    ///   - ids: the ids of the pages.
    func pageSources(_ batch: Int, _ positions: [Int], _ ids: [String]) throws(FleetError) -> [Int: SourceRow] {
        guard !positions.isEmpty, !ids.isEmpty else { return [:] }
        let rows = try connection.query(
            """
            SELECT l.position, l.id, r.line, r.body FROM bluebonnet.parts p
            JOIN bluebonnet.lines l ON l.batch = $1 AND l.position = p.position
            JOIN bluebonnet.results r ON r.batch = $1 AND r.position = p.position
            WHERE p.batch = $1 AND p.parent = ANY ($2) AND l.id = ANY ($3) AND l.is_read
            """, [.integer(batch), .integers(positions), .texts(ids)])
        return sources(rows)
    }

    private func sources(_ rows: PostgreSQLResult) -> [Int: SourceRow] {
        Dictionary(
            uniqueKeysWithValues: (0..<rows.count).map { row in
                let source = SourceRow(
                    id: rows.text(row, 1), line: rows.bytes(row, 2), body: rows.optionalBytes(row, 3))
                return (rows.integer(row, 0), source)
            })
    }

    /// Returns the results of lines to which other lines refer, by position.
    func sources(_ batch: Int, _ positions: [Int]) throws(FleetError) -> [Int: SourceRow] {
        guard !positions.isEmpty else { return [:] }
        let rows = try connection.query(
            """
            SELECT l.position, l.id, r.line, r.body
            FROM bluebonnet.lines l JOIN bluebonnet.results r USING (batch, position)
            WHERE l.batch = $1 AND l.position = ANY ($2) AND r.position = ANY ($2) AND l.is_read
            """, [.integer(batch), .integers(positions)])
        return sources(rows)
    }

    /// The result of a line to which others refer.
    struct SourceRow {
        let id: String
        let line: Data
        let body: Data?
    }
}
