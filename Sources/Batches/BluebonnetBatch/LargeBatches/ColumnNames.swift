// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The names of extracted values as columns of an SQLite table, which has limits that other files of rows do not have.
/// A value type without a file.
package struct ColumnNames: Sendable {
    private struct TableColumn {
        let name: String
        let line: Int
    }

    /// The maximum number of columns after the id (SQLITE_MAX_COLUMN is 2,000).
    static let maximumCount = 1_999

    /// The columns by the names that SQLite compares.
    private var columns: [ByteString: TableColumn] = [:]

    package init() {}

    /// Whether no further name can be added.
    var isFull: Bool { columns.count >= Self.maximumCount }

    /// Adds the values of a line.
    ///
    /// - Throws: the first name that cannot be a column in addition to the earlier ones.
    package mutating func add(_ line: NumberedLine) throws(RequestLineError) {
        guard let extract = line.line.boxedPipeline?.value.extract, !extract.isEmpty else { return }
        for name in extract.keys.sorted() { try add(name, of: line.number) }
    }

    /// Adds a value of the line with a number.
    ///
    /// - Throws: an error without the number of the line.
    mutating func add(_ name: String, of line: Int) throws(RequestLineError) {
        let key = Self.key(name)
        if let first = columns[key] {
            guard !FieldSyntax.isSameText(first.name, name) else { return }
            let other = "\(JSONText.quoted(first.name)) of line \(first.line)"
            throw Self.error(name, "SQLite does not distinguish the column from \(other): use another name")
        }
        guard !isFull else {
            throw Self.error(name, "the file of --into can have at most \(Self.maximumCount) columns after the id")
        }
        columns[key] = TableColumn(name: name, line: line)
    }

    /// The name as SQLite compares it: without the case of ASCII letters. A NUL is written as U+FFFD.
    private static func key(_ name: String) -> ByteString {
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case 0: bytes.append(contentsOf: "\u{FFFD}".utf8)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte + 0x20)
            default: bytes.append(byte)
            }
        }
        return ByteString(String(decoding: bytes, as: UTF8.self))
    }

    private static func error(_ name: String, _ message: String) -> RequestLineError {
        let path = FieldPath.top.member(RequestLine.Pipeline.Name.extract.rawValue).member(name)
        return RequestLineError(at: path, message)
    }
}
