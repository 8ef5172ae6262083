// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP

extension FuzzTarget {
    /// A CSV text after one byte: the size of the slices.
    static let csv = FuzzTarget("csv") { input in
        var input = input
        let sliceByteCount = input.number(below: 32) + 1
        let whole = CSVReading(input.rest, sliceByteCount: .max)
        let sliced = CSVReading(input.rest, sliceByteCount: sliceByteCount)
        try holdSame(sliced.rows, whole.rows, "slices do not change the rows")
        try holdSame(sliced.error, whole.error, "slices do not change the error")
        let width = whole.rows.first?.fields.count
        try hold(whole.rows.allSatisfy { $0.fields.count == width }, "all rows have as many fields")
        let lineCount = input.lines.count + input.rest.count { $0 == 0x0D }
        let places = whole.rows.map(\.line) + (whole.error.map { [$0.line] } ?? [])
        try hold(places.allSatisfy { (1...lineCount).contains($0) }, "the lines \(places) are in the text")
        let written = whole.rows.map { CSVWriter.row($0.fields) }.joined()
        // Quotation marks may make a written row longer.
        let again = CSVReading(
            Array(written.utf8)[...], sliceByteCount: sliceByteCount, maximumRowByteCount: 10_000)
        try holdSame(again.error, nil, "what is written can be read")
        try holdSame(
            again.rows.map { $0.fields.map(ByteString.init) }, whole.rows.map { $0.fields.map(ByteString.init) },
            "the rows stay when they are written")
    }
}

/// The rows of a text up to its end or its first error.
private struct CSVReading {
    private(set) var rows: [CSVRow] = []
    private(set) var error: CSVError?

    init(_ text: ArraySlice<UInt8>, sliceByteCount: Int, maximumRowByteCount: Int = 1_000) {
        var reader = CSVReader(maximumRowByteCount: maximumRowByteCount)
        var rest = text
        while !rest.isEmpty, error == nil {
            reader.append(rest.prefix(sliceByteCount))
            rest = rest.dropFirst(sliceByteCount)
            readRows(&reader)
        }
        reader.finish()
        readRows(&reader)
    }

    private mutating func readRows(_ reader: inout CSVReader) {
        do throws(CSVError) {
            while let row = try reader.next() { rows.append(row) }
        } catch {
            self.error = error
        }
    }
}
