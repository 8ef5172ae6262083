// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet

/// Writes rows as text.
enum RowText {
    /// Returns a JSON object with the id first, and a line end.
    static func ndjson(_ row: ValueRow) -> String {
        var text = JSONText(expectedByteCount: 256)
        text.object { object in
            object.key("id")
            object.string(row.id)
            for (name, value) in row.values.sorted {
                object.key(name)
                object.value(value)
            }
        }
        text.endLine()
        return text.string
    }

    /// Returns the header row of a CSV file.
    static func csvHeader(_ names: [String]) -> String { CSVWriter.row(["id"] + names) }

    /// Returns a row of CSV. A value that the row does not have is empty, like null.
    static func csv(_ row: ValueRow, _ names: [String]) -> String {
        CSVWriter.row([row.id] + names.map { row.values[$0].map(field) ?? "" })
    }

    /// Texts are written as they are, and other values as JSON.
    private static func field(_ value: JSONValue) -> String {
        switch value {
        case .null: ""
        case .string(let text): text
        case .bool, .integer, .number, .array, .object: JSONText.text(of: value)
        }
    }
}
