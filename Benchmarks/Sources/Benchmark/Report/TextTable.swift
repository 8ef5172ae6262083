// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Rows of cells as lines of equal columns, two spaces apart.
struct TextTable {
    let rows: [[String]]

    /// A line for each row.
    var lines: [String] {
        let widths = (0..<(rows.map(\.count).max() ?? 0)).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in line(row, widths) }
    }

    private func line(_ row: [String], _ widths: [Int]) -> String {
        let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
        let line = cells.joined(separator: "  ")
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}
