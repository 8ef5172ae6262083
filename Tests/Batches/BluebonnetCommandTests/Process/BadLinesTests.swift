// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

extension ProcessTests {
    @Suite struct BadLinesTests {
        @Test(arguments: [BadLines.badField, .unknownDependency, .cycle, .severalLines])
        func everyWrongLineIsNamedAndNothingIsSent(_ bad: BadLines) async throws {
            try await CommandFixture.with { fixture in
                let end = try await fixture.run(bad.lines)
                #expect(end.status == 2)
                #expect(end.output.isEmpty)
                for message in bad.messages { #expect(end.errors.contains(message)) }
                #expect(fixture.server.connectionCount == 0)
            }
        }

        @Test func fileAsStandardInputIsCheckedWhole() async throws {
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
