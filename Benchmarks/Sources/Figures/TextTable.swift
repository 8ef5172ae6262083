// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A text table: columns of equal width, two spaces apart. The first column is aligned to the left, the others to the
/// right.
package struct TextTable {
    private let rows: [[String]]

    package init(rows: [[String]]) {
        self.rows = rows
    }

    /// The lines of text, one for each row.
    package var lines: [String] {
        let widths = (0..<(rows.map(\.count).max() ?? 0)).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in line(row, widths) }
    }

    private func line(_ row: [String], _ widths: [Int]) -> String {
        let cells = zip(row, widths).enumerated().map { column, cell in
            let gap = String(repeating: " ", count: cell.1 - cell.0.count)
            return column == 0 ? cell.0 + gap : gap + cell.0
        }
        let line = cells.joined(separator: "  ")
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}
