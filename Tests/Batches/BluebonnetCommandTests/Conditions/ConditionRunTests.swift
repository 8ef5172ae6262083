// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetCommand

extension ProcessTests {
    @Suite struct ConditionRunTests {
        private static let lines = [#"{"url":"a"}"#, #"{"url":"bad"}"#]

        private static func script(_ request: ReceivedRequest) -> Reply {
            request.path == "/bad" ? .response(status: 500, body: "") : .response(body: "hello")
        }

        @Test(
            arguments: [
                (["failed > 50%"], 0, ""), (["failed >= 50%"], 1, "--fail-if 'failed >= 50%' holds: 1 of 2 (50.0%)\n"),
                (["failed > 1", "skipped > 0"], 0, ""),
                (
                    ["failed > 1", "failed == 1", "skipped == 0"], 1,
                    "--fail-if 'failed == 1' holds: 1 of 2\n--fail-if 'skipped == 0' holds: 0 of 2\n"
                ),
                (["p99 > 1000s"], 0, ""),
            ] as [([String], Int32, String)])
        func statusFollowsFromTheConditions(_ conditions: [String], _ status: Int32, _ errors: String) async throws {
            try await CommandFixture.with(Self.script) { fixture in
                let end = try await fixture.run(Self.lines, conditions.flatMap { ["--fail-if", $0] })
                #expect(end.status == status)
                #expect(end.errors == errors)
            }
        }

        @Test func summaryGoesToStandardErrorWithoutATerminal() async throws {
            try await CommandFixture.with(Self.script) { fixture in
                let (file, base) = (try fixture.file(Self.lines), fixture.server.url("/").absoluteString)
                let end = try await CommandProcess(["run", file, "--base-url", base], in: fixture.folder).end()
                #expect(end.errors.hasPrefix("2 requests in ") && end.errors.contains("\n1 succeeded, 1 failed\n"))
                #expect(try end.results.count == 2)
                #expect(try await fixture.run(Self.lines).errors.isEmpty)
            }
        }
    }
}
