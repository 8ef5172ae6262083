// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Glibc
import Testing

extension ProcessTests {
    /// Credentials from the user's netrc file.
    @Suite struct NetrcFileTests {
        private let guardsAll: TestServer.Script = { request in
            request.headers["Authorization"] == "Basic dXNlcjpzZWNyZXQ="  // "user:secret" in Base64
                ? .response(body: "come in")
                : .response(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"test\""])
        }

        private func run(
            _ fixture: CommandFixture, _ arguments: [String], mode: mode_t = 0o600
        ) async throws -> CommandProcess.End {
            let path = try fixture.folder.write("netrc", "machine 127.0.0.1 login user password secret\n")
            #expect(chmod(path, mode) == 0)
            let line = #"{"url":"\#(fixture.server.url("/").absoluteString)"}"#
            let command = [CommandProcess.path(of: "bluebonnet"), "run", try fixture.file([line])]
            return try await CommandProcess(
                ["NETRC=\(path)"] + command + arguments, program: "/usr/bin/env", in: fixture.folder
            ).end()
        }

        @Test func environmentFileAnswersChallengesOnlyOnRequest() async throws {
            try await CommandFixture.with(guardsAll) { fixture in
                let asked = try await run(fixture, ["--netrc"])
                #expect(asked.status == 0, "\(asked.errors)")
                #expect(fixture.server.requests.count == 2)
                let unasked = try await run(fixture, [])
                #expect(unasked.status == 1)
                #expect(fixture.server.requests.count == 3)
            }
        }

        @Test func fileReadableByOthersEndsTheCommandBeforeSending() async throws {
            try await CommandFixture.with(guardsAll) { fixture in
                let end = try await run(fixture, ["--netrc"], mode: 0o644)
                #expect(end.status == 2)
                #expect(end.errors.contains("run chmod 600"), "\(end.errors)")
                #expect(fixture.server.requests.isEmpty)
            }
        }
    }
}
