// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

extension ProcessTests {
    /// The cache of runs.
    @Suite struct CacheOptionTests {
        private let fresh: TestServer.Script = { _ in
            .response(headers: ["Cache-Control": "max-age=60"], body: "text")
        }

        private func run(_ fixture: CommandFixture, _ arguments: [String]) async throws -> CommandProcess.End {
            let line = #"{"url":"\#(fixture.server.url("/").absoluteString)"}"#
            let command = ["run", try fixture.file([line]), "--body", "text"]
            return try await CommandProcess(command + arguments, in: fixture.folder).end()
        }

        @Test func laterRunAnswersFromTheFolder() async throws {
            try await CommandFixture.with(fresh) { fixture in
                let folder = fixture.folder.url.appendingPathComponent("cache").path
                for answer in ["miss", "hit"] {
                    let end = try await run(fixture, ["--cache", folder, "--cache-size", "10M"])
                    #expect(end.status == 0, "\(end.errors)")
                    #expect(end.output.contains(#""cache":"\#(answer)""#) && end.output.contains(#""body":"text""#))
                }
                let offline = try await run(fixture, ["--cache", folder, "--offline"])
                #expect(offline.status == 0 && fixture.server.requests.count == 1)
            }
        }

        @Test func offlineRunSendsNothing() async throws {
            try await CommandFixture.with(fresh) { fixture in
                let folder = fixture.folder.url.appendingPathComponent("cache").path
                let end = try await run(fixture, ["--cache", folder, "--offline"])
                #expect(end.status == 1 && end.output.contains("notCached") && fixture.server.requests.isEmpty)
                #expect(try await run(fixture, ["--offline"]).status == 2)
            }
        }
    }
}
