// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// Converts a CSV file with a header row to request lines, a line for each row. The names of the columns are fields.
struct CSVConverter: LineConverter {
    private var rows = CSVRows()
    private var columns: [CSVColumn]?

    mutating func append(_ bytes: [UInt8]) { rows.append(bytes) }

    mutating func finish() { rows.finish() }

    mutating func next() throws(ConversionError) -> Conversion? {
        guard let columns = try readColumns(), let row = try read({ (rows) throws(CSVError) in try rows.next() }) else {
            return nil
        }
        return try Self.conversion(of: row, columns)
    }

    /// Returns the columns; nil if more bytes are needed.
    private mutating func readColumns() throws(ConversionError) -> [CSVColumn]? {
        if let columns { return columns }
        let header = try read { (rows) throws(CSVError) in try rows.headerRow() }
        columns = try header.map { header throws(ConversionError) in try CSVColumn.columns(header) }
        return columns
    }

    private mutating func read<Row>(
        _ body: (inout CSVRows) throws(CSVError) -> Row?
    ) throws(ConversionError) -> Row? {
        do throws(CSVError) {
            return try body(&rows)
        } catch {
            let place = error.column.map { "column \($0): " } ?? ""
            throw ConversionError(line: error.line, place + error.message)
        }
    }

    private static func conversion(of row: CSVRecord, _ columns: [CSVColumn]) throws(ConversionError) -> Conversion {
        var tree = JSONTree()
        for (column, cell) in zip(columns, row.values) where !cell.isEmpty {
            guard let value = column.value(of: cell) else {
                let expected = "expected \(column.kind.expectation), found \(JSONText.quoted(cell))"
                throw ConversionError(line: row.line, "column \(JSONText.quoted(column.name)): \(expected)")
            }
            tree.set(value, at: column.path[...])
        }
        let line = try Conversion.parsed(
            JSONText.text(of: .object(tree.object(withArraysIn: ["json", "plist"]))), line: row.line)
        return Conversion(texts: [line.canonicalText])
    }
}
