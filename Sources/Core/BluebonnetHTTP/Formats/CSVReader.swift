// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// One row of a CSV text.
package struct CSVRow: Sendable, Hashable {
    /// The number of the line in which the row begins, from 1.
    package let line: Int
    /// The fields, without quotation marks and escapes.
    package let fields: [String]

    package init(line: Int, fields: [String]) { (self.line, self.fields) = (line, fields) }
}

/// Reads CSV (RFC 4180) from slices of bytes of any size, in UTF-8.
///
/// Lines end with CR LF, LF or CR. A byte order mark at the start and empty lines are skipped. All rows must have as
/// many fields as the first one. A field with a comma, a quotation mark or a line end must be in quotation marks.
package struct CSVReader: Sendable {
    /// The default limit of a row: 16 MiB.
    package static let usualRowByteCount = 16 << 20

    private enum State {
        case rowStart, fieldStart, plain, quoted
        /// After a quotation mark inside a quoted field: the end of the field, or the first half of an escape.
        case quoteInQuoted
    }

    private struct Place {
        var line = 1
        /// The number of characters before the place in its line.
        var column = 0
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let maximumRowByteCount: Int
    private var pending: [UInt8] = []
    private var position = 0
    private var isEnded = false
    private var mayHaveMark = true
    private var error: CSVError?

    private var state = State.rowStart
    private var place = Place()
    private var fieldStart = Place()
    private var rowLine = 1
    private var rowByteCount = 0
    private var isAfterCR = false
    private var field: [UInt8] = []
    private var fields: [String] = []
    /// The number of fields of the first row.
    private var fieldCount: Int?

    /// - Parameter maximumRowByteCount: the limit of a row, with its commas and quotation marks. A longer row is an
    ///   error, so that memory is bounded for any input.
    package init(maximumRowByteCount: Int = Self.usualRowByteCount) { self.maximumRowByteCount = maximumRowByteCount }

    /// Adds the next bytes of the text.
    package mutating func append(_ bytes: some Collection<UInt8>) {
        if position == pending.count {
            pending.removeAll(keepingCapacity: true)
            position = 0
        }
        pending.append(contentsOf: bytes)
    }

    /// Marks the end of the text: the last row may lack a line end.
    package mutating func finish() { isEnded = true }

    /// Returns the next row; nil if more bytes are needed, or after the last row.
    ///
    /// - Throws: the first error of the text. Rows before the error are returned first; every later call throws the
    ///   same error.
    package mutating func next() throws(CSVError) -> CSVRow? {
        if let error { throw error }
        do throws(CSVError) {
            return try nextRow()
        } catch {
            self.error = error
            throw error
        }
    }

    private mutating func nextRow() throws(CSVError) -> CSVRow? {
        guard skipByteOrderMark() else { return nil }
        while position < pending.count {
            let byte = pending[position]
            position += 1
            if let row = try consume(byte) { return row }
        }
        return isEnded ? try lastRow() : nil
    }

    /// Skips a byte order mark. Returns false if more bytes are needed to recognize it.
    private mutating func skipByteOrderMark() -> Bool {
        guard mayHaveMark else { return true }
        let start = pending.prefix(Self.byteOrderMark.count)
        if start.count < Self.byteOrderMark.count, !isEnded, Self.byteOrderMark.starts(with: start) { return false }
        if start.elementsEqual(Self.byteOrderMark) { position = Self.byteOrderMark.count }
        mayHaveMark = false
        return true
    }
}

// MARK: - Byte by byte

extension CSVReader {
    private static let (comma, quote) = (UInt8(ascii: ","), UInt8(ascii: "\""))
    private static let (carriageReturn, lineFeed) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))

    /// Consumes a byte. Returns the row that it completes.
    private mutating func consume(_ byte: UInt8) throws(CSVError) -> CSVRow? {
        if state == .rowStart, byte == Self.lineFeed, isAfterCR {
            isAfterCR = false
            return nil
        }
        defer { advance(byte) }
        if state == .rowStart {
            if byte == Self.carriageReturn || byte == Self.lineFeed { return nil }
            (rowLine, rowByteCount, state) = (place.line, 0, .fieldStart)
        }
        rowByteCount += 1
        guard rowByteCount <= maximumRowByteCount || isLineEnd(byte) else { throw tooLong }
        return try consumeInRow(byte)
    }

    private func isLineEnd(_ byte: UInt8) -> Bool {
        state != .quoted && (byte == Self.carriageReturn || byte == Self.lineFeed)
    }

    private mutating func consumeInRow(_ byte: UInt8) throws(CSVError) -> CSVRow? {
        if state == .fieldStart { fieldStart = place }
        switch (state, byte) {
        case (.fieldStart, Self.quote): state = .quoted
        case (.quoted, Self.quote): state = .quoteInQuoted
        case (.quoted, _): field.append(byte)
        case (.quoteInQuoted, Self.quote):
            field.append(byte)
            state = .quoted
        case (_, Self.comma): try endField()
        case (_, Self.carriageReturn), (_, Self.lineFeed): return try endRow()
        case (.quoteInQuoted, _): throw problem("text after the closing quotation mark", at: place)
        case (_, Self.quote):
            throw problem("a quotation mark in a field that does not begin with one", at: place)
        default:
            field.append(byte)
            state = .plain
        }
        return nil
    }

    /// Moves the place past a byte. CR LF is one line end.
    private mutating func advance(_ byte: UInt8) {
        let isSecondHalf = byte == Self.lineFeed && isAfterCR
        isAfterCR = byte == Self.carriageReturn
        if byte == Self.carriageReturn || byte == Self.lineFeed {
            if !isSecondHalf { place = Place(line: place.line + 1) }
        } else if byte & 0xC0 != 0x80 {
            place.column += 1
        }
    }

    private mutating func endField() throws(CSVError) {
        guard let text = String(validating: field, as: UTF8.self) else {
            throw problem("the field is not valid UTF-8", at: fieldStart)
        }
        fields.append(text)
        field.removeAll(keepingCapacity: true)
        state = .fieldStart
    }

    private mutating func endRow() throws(CSVError) -> CSVRow {
        try endField()
        let row = CSVRow(line: rowLine, fields: fields)
        fields.removeAll()
        state = .rowStart
        guard let fieldCount, fieldCount != row.fields.count else {
            fieldCount = row.fields.count
            return row
        }
        let found = "\(row.fields.count) field\(row.fields.count == 1 ? "" : "s")"
        throw CSVError(line: rowLine, message: "\(found), but the first row has \(fieldCount)")
    }

    private mutating func lastRow() throws(CSVError) -> CSVRow? {
        switch state {
        case .rowStart: return nil
        case .quoted: throw problem("a quotation mark that is never closed", at: fieldStart)
        case .fieldStart, .plain, .quoteInQuoted: return try endRow()
        }
    }

    private var tooLong: CSVError {
        CSVError(line: rowLine, message: "the row has more than \(maximumRowByteCount) bytes")
    }

    private func problem(_ message: String, at place: Place) -> CSVError {
        CSVError(line: place.line, column: place.column + 1, message: message)
    }
}
