// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestServer
import Testing

/// Lines that are wrong, with the line and the field that have to be named.
struct BadLines: Sendable, CustomTestStringConvertible {
    let lines: [String]
    let messages: [String]

    var testDescription: String { lines.joined(separator: " | ") }

    init(_ lines: [String], says messages: String...) {
        (self.lines, self.messages) = (lines, messages)
    }

    static let all = [
        BadLines([#"{"url":"a"}"#, #"{"url":1}"#], says: #"line 2, field "url": "#),
        BadLines([#"{"method":"GET"}"#], says: #"line 1, field "url": "#),
        BadLines([#"{"url":"a"}"#, "", #"{"url":"a","wrong":1}"#], says: #"line 3, field "wrong": "#),
        BadLines([#"{"url":"a","timeout":0}"#], says: #"line 1, field "timeout": "#),
        BadLines([#"{"url":"a","headers":{"Accept":1}}"#], says: #"line 1, field "headers.Accept": "#),
        BadLines([#"{"url":"a""#], says: "line 1, ", "malformed JSON at column 11"),
        BadLines([#"{"id":"a","url":"a"}"#, #"{"id":"a","url":"b"}"#], says: #"line 2, field "id": "#),
        BadLines([#"{"url":"a","after":["nobody"]}"#], says: #"line 1, field "after[0]": "#),
        BadLines([#"{"url":"a","text":"x","form":{}}"#], says: "line 1"),
        BadLines(
            [#"{"id":"a","url":"a","after":["b"]}"#, #"{"id":"b","url":"b","after":["a"]}"#], says: "line 1",
            "cycle: a -> b -> a"),
        BadLines([#"{"url":"a","output":"x"}"#, #"{"url":"b","output":"x"}"#], says: #"line 2, field "output": "#),
        BadLines([#"{"url":2}"#, #"{"url":"a"}"#, #"{"nothing":2}"#], says: #"line 1, field "url""#, "line 3, field "),
    ]
}

extension ProcessTests {
    @Suite struct BadLinesTests {
        @Test(arguments: BadLines.all)
        func everyWrongLineOfAFileIsNamedAndNothingIsSent(_ bad: BadLines) async throws {
            try await CommandFixture.with { fixture in
                let end = try await fixture.run(bad.lines)
                #expect(end.status == 2)
                #expect(end.output.isEmpty)
                for message in bad.messages { #expect(end.errors.contains(message)) }
                #expect(fixture.server.connectionCount == 0)
            }
        }

        @Test func standardInputThatIsAFileIsCheckedWholeToo() async throws {
            try await CommandFixture.with { fixture in
                let file = try fixture.open(fixture.file([#"{"url":"a"}"#, #"{"url":1}"#]))
                let end = try await fixture.start(input: file.fileDescriptor).end()
                #expect(end.status == 2)
                #expect(end.errors.hasPrefix(#"line 2, field "url": "#))
                #expect(fixture.server.connectionCount == 0)
            }
        }

        @Test func wrongLinesLeaveAnEarlierResultsFileAlone() async throws {
            try await CommandFixture.with { fixture in
                let results = try fixture.folder.write("results.ndjson", "earlier\n")
                let end = try await fixture.run([#"{"url":1}"#], ["--results", results])
                #expect(end.status == 2)
                #expect(try String(contentsOfFile: results, encoding: .utf8) == "earlier\n")
            }
        }
    }
}
