// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

extension ProcessTests {
    @Suite struct PlanTests {
        @Test func planPrintsTheWavesAndSendsNothing() async throws {
            try await CommandFixture.with { fixture in
                let lines = [#"{"id":"b","url":"b","after":["a"]}"#, #"{"id":"a","url":"a"}"#]
                let end = try await fixture.run(lines, ["--plan"])
                #expect(end.status == 0)
                let root = fixture.server.url("/").absoluteString
                let expected = """
                    Wave 1: 1 operation
                      a: GET \(root)a
                    Wave 2: 1 operation
                      b: GET \(root)b after a
                    2 operations in 2 waves.

                    """
                #expect(end.output == expected)
                #expect(end.errors.isEmpty)
                #expect(fixture.server.connectionCount == 0)
            }
        }

        @Test func planOfWrongLinesNamesThem() async throws {
            try await CommandFixture.with { fixture in
                let end = try await fixture.run([#"{"url":"a","after":["x"]}"#], ["--plan"])
                #expect(end.status == 2)
                #expect(end.output.isEmpty && !end.errors.isEmpty)
            }
        }

        @Test func planWithFailingLinesExitsWithOne() async throws {
            try await CommandFixture.with { fixture in
                let end = try await fixture.run([#"{"url":"ftp://host/"}"#, #"{"url":"a"}"#], ["--plan"])
                #expect(end.status == 1)
                #expect(end.output.contains("would fail: badURL"))
                #expect(fixture.server.connectionCount == 0)
            }
        }
    }
}
