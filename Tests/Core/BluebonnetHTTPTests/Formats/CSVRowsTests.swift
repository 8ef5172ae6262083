// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

@Suite struct CSVRowsTests {
    private func records(_ text: String) throws -> [CSVRecord] {
        var rows = CSVRows()
        rows.append(text.utf8)
        rows.finish()
        var records: [CSVRecord] = []
        while let record = try rows.next() { records.append(record) }
        return records
    }

    @Test func headerNamesTheValuesOfEachRow() throws {
        let records = try records("sku,price\r\nA-1,\"9,50\"\r\n\r\nB-2,\r\n")
        #expect(records.map(\.line) == [2, 4])
        #expect(records.map(\.object) == [["sku": "A-1", "price": "9,50"], ["sku": "B-2", "price": ""]])
        #expect(records[0].pairs.map(\.name) == ["sku", "price"])
    }

    @Test func namesDifferingInBytesAreDifferentColumns() throws {
        let record = try #require(try records("\u{E9},e\u{301}\n1,2").first)
        #expect(record.object["\u{E9}"] == "1" && record.object["e\u{301}"] == "2")
    }

    @Test func headerIsKnownBeforeTheFirstRow() throws {
        var rows = CSVRows()
        rows.append("a,b".utf8)
        #expect(try rows.headerRow() == nil)
        rows.append("\n".utf8)
        #expect(try rows.headerRow()?.fields == ["a", "b"])
        #expect(try rows.next() == nil)
        rows.append("1,2\n".utf8)
        #expect(try rows.next()?.values == ["1", "2"])
    }

    @Test func fileWithOnlyAHeaderHasNoRows() throws {
        #expect(try records("a,b\n").isEmpty)
    }

    @Test(arguments: [
        ("", "line 1: there is no header row with the names of the columns"),
        ("\n\n", "line 1: there is no header row with the names of the columns"),
        ("a,\n1,2", "line 1: the name of field 2 is empty"),
        ("\n\"\"\n1", "line 2: the name of field 1 is empty"),
        ("a,b,a\n1,2,3", "line 1: two fields have the name \"a\""),
        ("a,b\n1\n", "line 2: 1 field, but the first row has 2"),
    ])
    func badHeaderOrRowIsAnError(text: String, expected: String) {
        let error = #expect(throws: CSVError.self) { try records(text) }
        #expect(error?.description == expected)
    }
}
