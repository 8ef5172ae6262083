// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import Foundation

extension ResultWriting {
    /// The result of a line whose pages and elements have ended.
    func result(of parent: StoredParent, _ batch: Int) throws(FleetError) -> ResultLine {
        let state = parent.state
        guard parent.each == nil else {
            return try totals(of: parent.position, batch).result(
                parent.id, state.elements, source: state.source.map { ($0.outcome, $0.reason) }, isStopped: false)
        }
        var result = ResultLine(id: parent.id, outcome: state.outcome ?? .success)
        (result.pages, result.items, result.error) = (state.pages.pageCount, state.pages.itemCount, state.failure)
        return result
    }

    private func totals(of position: Int, _ batch: Int) throws(FleetError) -> ElementTotals {
        let rows = try connection.query(
            """
            SELECT r.outcome, count(*) FROM bluebonnet.parts p
            JOIN bluebonnet.results r ON r.batch = $1 AND r.position = p.position
            WHERE p.batch = $1 AND p.parent = $2 GROUP BY r.outcome
            """, [.integer(batch), .integer(position)])
        var totals = ElementTotals()
        for row in 0..<rows.count {
            if let outcome = ResultLine.Outcome(rawValue: rows.text(row, 0)) {
                totals.ended[outcome] = rows.integer(row, 1)
            }
        }
        guard totals.ended[.failure] != nil else { return totals }
        let first = try connection.query(
            """
            SELECT r.line FROM bluebonnet.parts p
            JOIN bluebonnet.results r ON r.batch = $1 AND r.position = p.position
            WHERE p.batch = $1 AND p.parent = $2 AND r.outcome = 'failure' ORDER BY r.written, r.position LIMIT 1
            """, [.integer(batch), .integer(position)])
        if first.count == 1, let result = try? JSONDecoder().decode(ResultLine.self, from: first.bytes(0, 0)) {
            totals.setFirstFailure(result)
        }
        return totals
    }
}
