// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

extension ProcessTests {
    @Suite struct ExitStatusTests {
        @Test func successfulBatchExitsWithZeroAndNoErrorOutput() async throws {
            try await CommandFixture.with { fixture in
                let end = try await fixture.run([#"{"url":"a"}"#, #"{"id":"b","url":"b","after":["1"]}"#])
                #expect(end.status == 0)
                #expect(end.errors.isEmpty)
                #expect(try end.results.map(\.id) == ["1", "b"])
                #expect(try end.results.allSatisfy { $0.outcome == .success && $0.status == 200 && $0.body == "hello" })
            }
        }

        @Test func emptyBatchSucceeds() async throws {
            try await CommandFixture.with { fixture in
                let end = try await fixture.run(["", "  "])
                #expect(end.status == 0)
                #expect(end.output.isEmpty)
            }
        }

        @Test func failureGivesStatusOneAndTheRestStillRuns() async throws {
            try await CommandFixture.with { request in
                .response(status: request.path == "/bad" ? 500 : 200, body: "hello")
            } _: { fixture in
                let end = try await fixture.run([
                    #"{"id":"bad","url":"bad"}"#, #"{"id":"waits","url":"x","after":["bad"]}"#,
                    #"{"id":"good","url":"y"}"#,
                ])
                #expect(end.status == 1)
                let outcomes = try Dictionary(uniqueKeysWithValues: end.results.map { ($0.id, $0.outcome.rawValue) })
                #expect(outcomes == ["bad": "failure", "waits": "skipped", "good": "success"])
            }
        }

        @Test func unusableURLIsAFailedOperationNotAWrongLine() async throws {
            try await CommandFixture.with { fixture in
                let end = try await fixture.run([#"{"url":"ftp://127.0.0.1/"}"#])
                #expect(end.status == 1)
                #expect(try end.results.map(\.error?.code.rawValue) == ["badURL"])
            }
        }

        @Test(arguments: [["--concurrency", "0"], ["--nonsense"]])
        func wrongOptionExitsWithTwoAndSendsNothing(_ option: [String]) async throws {
            try await CommandFixture.with { fixture in
                let end = try await fixture.run([#"{"url":"a"}"#], option)
                #expect(end.status == 2)
                #expect(end.output.isEmpty)
                #expect(end.errors.contains(option[0]))
                #expect(fixture.server.connectionCount == 0)
            }
        }

        @Test func unreadableFileExitsWithTwoAndIsNamed() async throws {
            try await CommandFixture.with { fixture in
                let path = fixture.folder.path("not-there.ndjson")
                let end = try await fixture.start([path]).end()
                #expect(end.status == 2)
                #expect(end.errors == "Error: cannot read \(path): No such file or directory\n")
            }
        }

        @Test func contradictoryPolicyExitsWithTwoAndNamesTheMissingOption() async throws {
            try await CommandFixture.with { fixture in
                let end = try await fixture.run([#"{"url":"a"}"#], ["--allow-invalid-certificates"])
                #expect(end.status == 2)
                #expect(end.errors.contains("--no-host-validation"))
            }
        }

        @Test func versionGoesToStandardOutput() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let end = try await CommandProcess(["--version"], in: folder).end()
            #expect(end.status == 0)
            #expect(end.output.split(separator: ".").count == 3)
        }

        @Test func commandOptionAppliesUnlessTheLineOverridesIt() async throws {
            try await CommandFixture.with { _ in
                .response(body: String(repeating: "x", count: 100))
            } _: { fixture in
                let lines = [#"{"url":"a"}"#, #"{"url":"b","maxBody":100}"#]
                let end = try await fixture.run(lines, ["--max-body", "99"])
                #expect(end.status == 1)
                let codes = try end.results.map { $0.error?.code.rawValue ?? "none" }
                #expect(codes.sorted() == ["bodyTooLarge", "none"])
            }
        }
    }
}
