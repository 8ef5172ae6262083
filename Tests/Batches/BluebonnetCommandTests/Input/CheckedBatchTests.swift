// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Glibc
import Testing

@testable import BluebonnetBatch
@testable import BluebonnetCommand

/// Invalid lines, and the line and field that the error must name.
struct BadLines: Sendable, CustomTestStringConvertible {
    let lines: [String]
    let messages: [String]

    var testDescription: String { lines.joined(separator: " | ") }

    init(_ lines: [String], says messages: String...) {
        (self.lines, self.messages) = (lines, messages)
    }

    static let badField = BadLines([#"{"url":"a"}"#, #"{"url":1}"#], says: #"line 2, field "url": "#)
    static let unknownDependency = BadLines(
        [#"{"url":"a","after":["nobody"]}"#], says: #"line 1, field "after[0]": "#)
    static let cycle = BadLines(
        [#"{"id":"a","url":"a","after":["b"]}"#, #"{"id":"b","url":"b","after":["a"]}"#],
        says: "line 1", "cycle: a -> b -> a")
    static let severalLines = BadLines(
        [#"{"url":2}"#, #"{"url":"a"}"#, #"{"nothing":2}"#], says: #"line 1, field "url""#, "line 3, field ")
    static let all = [
        badField, unknownDependency, cycle, severalLines,
        BadLines([#"{"method":"GET"}"#], says: #"line 1, field "url": "#),
        BadLines([#"{"url":"a"}"#, "", #"{"url":"a","wrong":1}"#], says: #"line 3, field "wrong": "#),
        BadLines(["# comment", "", "#", #"{"url":"a","wrong":1}"#], says: #"line 4, field "wrong": "#),
        BadLines([#"{"url":"a","timeout":0}"#], says: #"line 1, field "timeout": "#),
        BadLines([#"{"url":"a","headers":{"Accept":1}}"#], says: #"line 1, field "headers.Accept": "#),
        BadLines([#"{"url":"a""#], says: "line 1, ", "malformed JSON at column 11"),
        BadLines([#"{"id":"a","url":"a"}"#, #"{"id":"a","url":"b"}"#], says: #"line 2, field "id": "#),
        BadLines([#"{"url":"a","text":"x","form":{}}"#], says: "line 1"),
        BadLines([#"{"url":"a","output":"x"}"#, #"{"url":"b","output":"x"}"#], says: #"line 2, field "output": "#),
    ]
}

@Suite struct CheckedBatchTests {
    private static func check(_ lines: [String]) throws -> CheckedBatch {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = try folder.write("lines", lines.map { $0 + "\n" }.joined())
        let limits = LineSchedule.Limits(concurrency: 64, concurrencyPerOrigin: 6)
        return try CheckedBatch(FileDescriptor(opening: path, O_RDONLY), limits: limits)
    }

    @Test(arguments: BadLines.all)
    func everyWrongLineIsNamedWithItsField(_ bad: BadLines) throws {
        let error = try #require(throws: CommandError.self) { try Self.check(bad.lines) }
        for message in bad.messages { #expect(error.message.contains(message)) }
        #expect(error.message.split(separator: "\n").allSatisfy { $0.hasPrefix("line ") })
    }

    @Test func submittedLinesAreWithoutComments() throws {
        let batch = try Self.check(["# one", #"{"url":"a"}"#, "#", "", #"{"url":"${2.status}"}"#, "# end"])
        let lines = SubmittedLines(batch.file, try #require(batch.removeSchedule()))
        #expect(lines.count == 2)
        #expect(try (0..<2).map { try lines.source.node(at: $0).line.id } == ["2", "5"])
        #expect((0..<2).map { lines.isReferenced($0) } == [true, false])
    }

    @Test func linesFollowTheirDependencies() throws {
        let lines = [#"{"id":"b","url":"${a.body.x}"}"#, #"{"id":"a","url":"a"}"#, #"{"url":"c","after":["b"]}"#]
        let batch = try Self.check(lines)
        #expect(try batch.file.nodes().map(\.line.id) == ["a", "b", "3"])
        let schedule = try #require(batch.removeSchedule())
        #expect((0..<3).map { schedule.isReferenced($0) } == [true, false, false])
        #expect(batch.removeSchedule()?.count == nil)
    }
}
