// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet

/// Writes the rows of a run to a file. One queue uses it.
protocol RowSink: Sendable {
    /// Empties the file and begins to write it. Errors of writing may be thrown later.
    mutating func begin() throws(CommandError)

    /// Adds rows.
    mutating func append(_ rows: [ValueRow]) throws(CommandError)

    /// Completes the file. Not called after an error.
    mutating func finish() throws(CommandError)
}

/// Writes rows as text that is complete after each row.
struct TextRows: RowSink {
    private var file: EventFile
    private let head: String
    private let encode: @Sendable (ValueRow) -> String

    private init(_ file: EventFile, head: String, _ encode: @escaping @Sendable (ValueRow) -> String) {
        (self.file, self.head, self.encode) = (file, head, encode)
    }

    static func ndjson(_ file: EventFile) -> TextRows { TextRows(file, head: "", RowText.ndjson) }

    /// - Parameter names: the names of the columns after the id.
    static func csv(_ file: EventFile, _ names: [String]) -> TextRows {
        TextRows(file, head: RowText.csvHeader(names)) { RowText.csv($0, names) }
    }

    mutating func begin() { file.begin(head) }

    mutating func append(_ rows: [ValueRow]) throws(CommandError) {
        file.append(rows.map(encode).joined())
        try file.finish()
    }

    mutating func finish() throws(CommandError) { try file.finish() }
}
