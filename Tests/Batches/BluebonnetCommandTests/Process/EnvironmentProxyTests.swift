// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

extension ProcessTests {
    /// Proxies from the environment. The fixture's server acts as the proxy.
    @Suite struct EnvironmentProxyTests {
        private func run(
            _ fixture: CommandFixture, _ lines: [String], _ arguments: [String], environment: [String]
        ) async throws -> CommandProcess.End {
            let command = [CommandProcess.path(of: "bluebonnet"), "run", try fixture.file(lines)]
            return try await CommandProcess(
                environment + command + arguments, program: "/usr/bin/env", in: fixture.folder
            ).end()
        }

        @Test func environmentIsReadOnlyOnRequest() async throws {
            try await CommandFixture.with { fixture in
                let proxy = "http://127.0.0.1:\(fixture.server.port)"
                let lines = [
                    #"{"id":"through","url":"http://nowhere.invalid/a"}"#,
                    #"{"id":"direct","url":"\#(fixture.server.url("/b").absoluteString)"}"#,
                ]
                let environment = ["http_proxy=\(proxy)", "no_proxy=127.0.0.1"]
                let end = try await run(fixture, lines, ["--environment-proxy"], environment: environment)
                #expect(end.status == 0, "\(end.errors)")
                #expect(Set(fixture.server.requests.map(\.target)) == ["http://nowhere.invalid/a", "/b"])

                let without = try await run(fixture, lines, [], environment: environment)
                #expect(without.status == 1)
                let results = try without.results
                #expect(results.first { $0.id == "through" }?.error?.code == .cannotFindHost)
                #expect(results.first { $0.id == "direct" }?.outcome == .success)
            }
        }

        @Test func lineProxyOverridesTheEnvironment() async throws {
            try await CommandFixture.with { fixture in
                let proxy = "http://127.0.0.1:\(fixture.server.port)"
                let line = #"{"url":"http://nowhere.invalid/a","proxy":"\#(proxy)"}"#
                let environment = ["http_proxy=http://127.0.0.1:1", "no_proxy=*"]
                let end = try await run(fixture, [line], ["--environment-proxy"], environment: environment)
                #expect(end.status == 0, "\(end.errors)")
                #expect(fixture.server.requests.map(\.target) == ["http://nowhere.invalid/a"])
            }
        }

        @Test func wrongVariableEndsTheCommandBeforeAnythingIsSent() async throws {
            try await CommandFixture.with { fixture in
                let line = #"{"url":"\#(fixture.server.url("/").absoluteString)"}"#
                let end = try await run(
                    fixture, [line], ["--environment-proxy"], environment: ["https_proxy=ftp://user:secret@p"])
                #expect(end.status == 2)
                #expect(end.errors.contains("the environment variable https_proxy is invalid"), "\(end.errors)")
                #expect(!end.errors.contains("secret"))
                #expect(fixture.server.requests.isEmpty)
            }
        }
    }
}
