// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import BluebonnetHTTP

/// The rows of a CSV text up to its end or its first error.
struct CSVReading: Equatable {
    var rows: [CSVRow] = []
    var error: CSVError?

    /// Reads a text in slices of a number of bytes, and after each slice all rows that are complete.
    init(_ text: [UInt8], sliceByteCount: Int = .max, maximumRowByteCount: Int = CSVReader.usualRowByteCount) {
        var reader = CSVReader(maximumRowByteCount: maximumRowByteCount)
        var rest = text[...]
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

@Suite struct CSVReaderTests {
    private func rows(_ text: String) -> [[String]] {
        let reading = CSVReading(Array(text.utf8))
        #expect(reading.error == nil)
        return reading.rows.map(\.fields)
    }

    private func error(_ text: String) -> String? { CSVReading(Array(text.utf8)).error?.description }

    @Test(arguments: [
        ("a,b\r\nc,d\r\n", [["a", "b"], ["c", "d"]]),
        ("a,b\nc,d", [["a", "b"], ["c", "d"]]),
        ("a\rb\r", [["a"], ["b"]]),
        ("a\r\rb\n\nc\r\n\r\nd", [["a"], ["b"], ["c"], ["d"]]),
        ("\n\r\na", [["a"]]),
        ("", []), ("\n", []), ("\u{FEFF}", []), ("\u{FEFF}a", [["a"]]), ("\u{FEFF}\"a\"", [["a"]]),
        ("a\n\u{FEFF}b", [["a"], ["\u{FEFF}b"]]),
        (",", [["", ""]]), (",\n,", [["", ""], ["", ""]]), ("a,\nb,", [["a", ""], ["b", ""]]),
        ("\"\"", [[""]]), ("\"\"\n\"\"", [[""], [""]]), ("\"a\"", [["a"]]), ("\"\"\"\"", [["\""]]),
        ("\"a \"\"b\"\" c\",d", [["a \"b\" c", "d"]]),
        ("\"a,b\",\"c\nd\",\"e\r\nf\",\"g\rh\"", [["a,b", "c\nd", "e\r\nf", "g\rh"]]),
        (" a , b ", [[" a ", " b "]]), ("\" a \"", [[" a "]]),
        ("é,e\u{301},👩‍👩‍👧", [["é", "e\u{301}", "👩‍👩‍👧"]]), ("a\0b\tc", [["a\0b\tc"]]),
    ])
    func textIsReadByTheRules(text: String, expected: [[String]]) {
        let found = rows(text)
        #expect(found.map { $0.map(ByteString.init) } == expected.map { $0.map(ByteString.init) })
    }

    @Test(arguments: [
        ("a,b\nc", "line 2: 1 field, but the first row has 2"),
        ("a\n\nb,c,d", "line 3: 3 fields, but the first row has 1"),
        ("\"a\r\nb\",c\r\nd\r\n", "line 3: 1 field, but the first row has 2"),
        ("a,b\nc,d\"e\n", "line 2, column 4: a quotation mark in a field that does not begin with one"),
        ("é\"", "line 1, column 2: a quotation mark in a field that does not begin with one"),
        ("\"a\"b", "line 1, column 4: text after the closing quotation mark"),
        ("\"a\" ,b", "line 1, column 4: text after the closing quotation mark"),
        ("\"a\n\nb\" ", "line 3, column 3: text after the closing quotation mark"),
        ("a,b\nc,\"d\n\n", "line 2, column 3: a quotation mark that is never closed"),
        ("\"a\"\"", "line 1, column 1: a quotation mark that is never closed"),
    ])
    func errorNamesItsPlace(text: String, expected: String) {
        #expect(error(text) == expected)
    }

    @Test(arguments: [
        [0x61, 0x2C, 0xFF], [0x61, 0x2C, 0xC3, 0x0A], [0x61, 0x2C, 0x22, 0xED, 0xA0, 0x80, 0x22],
    ])
    func invalidUTF8IsAnError(_ bytes: [UInt8]) {
        let expected = CSVError(line: 1, column: 3, message: "the field is not valid UTF-8")
        #expect(CSVReading(bytes).error == expected)
    }

    @Test func rowsBeforeAnErrorAreReturnedForAnySlices() {
        let text = Array("a,b\n\"c\",d\ne,f,g\n".utf8)
        for count in 1...text.count {
            let reading = CSVReading(text, sliceByteCount: count)
            #expect(reading.rows == [CSVRow(line: 1, fields: ["a", "b"]), CSVRow(line: 2, fields: ["c", "d"])])
            #expect(reading.error?.line == 3)
        }
    }

    @Test func everyCallAfterAnErrorThrowsIt() {
        var reader = CSVReader()
        reader.append("a\"".utf8)
        for _ in 1...2 { #expect(throws: CSVError.self) { try reader.next() } }
        reader.append("\nb\n".utf8)
        #expect(throws: CSVError.self) { try reader.next() }
    }

    @Test func rowLongerThanTheLimitIsAnError() {
        let text = Array("ab,\"c\"\nab,\"cd\"\n".utf8)
        let reading = CSVReading(text, maximumRowByteCount: 6)
        #expect(reading.rows.map(\.fields) == [["ab", "c"]])
        #expect(reading.error == CSVError(line: 2, message: "the row has more than 6 bytes"))
    }

    @Test func quotationMarkThatNeverClosesIsBounded() {
        let text = [UInt8(ascii: "\"")] + Array(repeating: UInt8(ascii: "\n"), count: 100)
        let reading = CSVReading(text, sliceByteCount: 7, maximumRowByteCount: 50)
        #expect(reading.error == CSVError(line: 1, message: "the row has more than 50 bytes"))
    }

    @Test func rowHasTheLineWhereItBegins() {
        let reading = CSVReading(Array("\n\"a\r\nb\rc\"\r\rd\n".utf8))
        #expect(reading.rows.map(\.line) == [2, 6])
    }

    @Test func writtenRowsAreReadForEverySliceSize() {
        var random = SeededGenerator(seed: 4180)
        let pieces = ["a", "é", ",", "\"", "\r", "\n", "\r\n", " ", "\u{FEFF}", "0", "😀", "\t", "\0"]
        for _ in 0..<60 {
            let width = Int.random(in: 1...4, using: &random)
            let rows = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                (0..<width).map { _ in
                    (0..<Int.random(in: 0...4, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
                        .joined()
                }
            }
            let lineEnd = ["\r\n", "\n", "\r"].randomElement(using: &random) ?? "\n"
            let text = Array(rows.map { CSVWriter.row($0, lineEnd: lineEnd) }.joined().utf8)
            for count in 1...text.count {
                let reading = CSVReading(text, sliceByteCount: count)
                #expect(reading.error == nil)
                #expect(reading.rows.map { $0.fields.map(ByteString.init) } == rows.map { $0.map(ByteString.init) })
            }
        }
    }
}
