// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A row of a CSV text with a header row: values by name.
package struct CSVRecord: Sendable, Hashable {
    /// The number of the line in which the row begins, from 1.
    package let line: Int
    /// The names of the header row, in order.
    package let names: [String]
    /// The values, in the order of the names.
    package let values: [String]

    /// The names with their values, in order.
    package var pairs: [(name: String, value: String)] { zip(names, values).map { ($0, $1) } }

    /// The values as members of an object. All are strings.
    package var object: JSONObject {
        var members = JSONObject()
        for (name, value) in pairs { members[name] = .string(value) }
        return members
    }
}

/// Reads CSV whose first row has the names of the columns. See `CSVReader` for the rules of the text.
package struct CSVRows: Sendable {
    private var reader: CSVReader
    private var isEnded = false
    private var error: CSVError?

    /// The names of the columns; nil before the header row was read.
    package private(set) var header: CSVRow?

    package init(maximumRowByteCount: Int = CSVReader.usualRowByteCount) {
        reader = CSVReader(maximumRowByteCount: maximumRowByteCount)
    }

    /// Adds the next bytes of the text.
    package mutating func append(_ bytes: some Collection<UInt8>) { reader.append(bytes) }

    /// Marks the end of the text.
    package mutating func finish() {
        reader.finish()
        isEnded = true
    }

    /// Returns the next row after the header row; nil if more bytes are needed, or after the last row.
    ///
    /// - Throws: the first error of the text: also a missing header row, and an empty or repeated name.
    package mutating func next() throws(CSVError) -> CSVRecord? {
        if let error { throw error }
        do throws(CSVError) {
            guard let header = try headerRow(), let row = try reader.next() else { return nil }
            return CSVRecord(line: row.line, names: header.fields, values: row.fields)
        } catch {
            self.error = error
            throw error
        }
    }

    /// Returns the header row, which is read at the first call that can; nil if more bytes are needed.
    package mutating func headerRow() throws(CSVError) -> CSVRow? {
        if let header { return header }
        guard let row = try reader.next() else {
            guard isEnded else { return nil }
            throw CSVError(line: 1, message: "there is no header row with the names of the columns")
        }
        try Self.check(row)
        header = row
        return row
    }

    private static func check(_ header: CSVRow) throws(CSVError) {
        var seen: Set<ByteString> = []
        for (index, name) in header.fields.enumerated() {
            guard !name.isEmpty else {
                throw CSVError(line: header.line, message: "the name of field \(index + 1) is empty")
            }
            guard seen.insert(ByteString(name)).inserted else {
                let problem = "two fields have the name \(JSONText.quoted(name))"
                throw CSVError(line: header.line, message: problem)
            }
        }
    }
}
