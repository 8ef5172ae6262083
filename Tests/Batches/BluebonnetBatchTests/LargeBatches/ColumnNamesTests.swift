// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetBatch

@Suite struct ColumnNamesTests {
    private static func line(_ number: Int, _ names: [String]) -> NumberedLine {
        var (line, pipeline) = (RequestLine(url: "u"), RequestLine.Pipeline())
        for name in names { pipeline.extract[name] = .status }
        line.pipeline = pipeline
        return NumberedLine(number: number, line: line)
    }

    @Test func equalNamesAndNamesOfOtherLettersAreColumns() throws {
        var columns = ColumnNames()
        try columns.add(Self.line(1, ["name", "\u{E9}"]))
        try columns.add(Self.line(2, ["name", "\u{C9}", "names"]))
        try columns.add(NumberedLine(number: 3, line: RequestLine(url: "u")))
    }

    @Test(arguments: [("name", "Name"), ("a\0", "A\u{FFFD}"), ("Z", "z")])
    func namesThatSQLiteComparesEqualAreRefused(first: String, second: String) throws {
        var columns = ColumnNames()
        try columns.add(Self.line(4, [first]))
        let error = try #require(throws: RequestLineError.self) { try columns.add(Self.line(7, [second])) }
        #expect(error.field == "extract.\(second)" && error.message.contains(" of line 4: use another name"))
    }

    @Test func moreColumnsThanSQLiteHasAreRefused() throws {
        var columns = ColumnNames()
        try columns.add(Self.line(1, (1...1_999).map { "c\($0)" }))
        try columns.add(Self.line(2, ["c7"]))
        let error = try #require(throws: RequestLineError.self) { try columns.add(Self.line(3, ["more"])) }
        #expect(error.field == "extract.more")
        #expect(error.message == "the file of --into can have at most 1999 columns after the id")
    }
}
