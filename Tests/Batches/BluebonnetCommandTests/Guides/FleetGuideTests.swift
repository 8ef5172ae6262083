// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import RealServers
import TestSupport
import Testing

extension ProcessTests {
    /// The shell block of the page about fleets in production.
    @Suite(.enabled(if: PostgreSQLServer.isAvailable)) struct FleetGuideTests {
        @Test func commandsCheckNewStore() async throws {
            let server = try await PostgreSQLServer.shared()
            let store = server.unixURL(database: try await server.createDatabase())
            let block = try CodeBlock.ofPages().first { $0.page == "FleetInProduction.md" && $0.language == "sh" }
            let lines = try #require(block).lines
            #expect(lines.filter { $0.hasPrefix("bluebonnet ") }.count == 4)
            try await CommandFixture.with { fixture in
                let commands = lines.map { line in
                    line.replacingOccurrences(of: "postgresql://fleet@db.example.com/fleet", with: "'\(store)'")
                        .replacingOccurrences(
                            of: "https://api.example.com/v1/", with: fixture.server.url("/v1/").absoluteString
                        )
                        .replacingOccurrences(of: "bluebonnet ", with: "\"$0\" ")
                }
                let script = (["set -e", "cd '\(fixture.folder.url.path)'"] + commands).joined(separator: "\n")
                let end = try await CommandProcess(
                    ["-c", script, CommandProcess.path(of: "bluebonnet")], program: "/bin/sh", in: fixture.folder
                ).end()
                #expect(end.status == 0, "\(end.errors)\(end.output)")
                #expect(fixture.server.requests.map(\.path) == ["/v1/me"])
                let results = try CommandProcess.End.results(
                    in: end.output.split(separator: "\n").filter { $0.hasPrefix("{") }.joined(separator: "\n"))
                #expect(results.map(\.outcome) == [.success])
                let status = try await CommandProcess(["status", "--store", store], in: fixture.folder).end()
                #expect(status.output.hasPrefix("no batches"))
            }
        }

        @Test(arguments: [
            ("CommandFormat.md", "bluebonnet results nightly"), ("Fleet.md", "bluebonnet results nightly"),
            ("Fleet.md", "bluebonnet schedule orders"),
        ]) func commandsOfThePagesRun(page: String, start: String) async throws {
            let server = try await PostgreSQLServer.shared()
            let store = server.unixURL(database: try await server.createDatabase())
            let block = try CodeBlock.ofPages().first {
                $0.page == page && $0.language == "sh" && $0.lines.first?.hasPrefix(start) == true
            }
            let lines = try #require(block).lines
            try await CommandFixture.with { fixture in
                let line = #"{"url":"\#(fixture.server.url("/").absoluteString)"}"# + "\n"
                for name in ["orders", "report", "nightly"] { _ = try fixture.folder.write("\(name).ndjson", line) }
                let first = ["bluebonnet submit nightly.ndjson --name nightly", "bluebonnet work --until-done"]
                let commands = (first + lines).map {
                    $0.hasPrefix("bluebonnet ") ? "\"$0\"" + $0.dropFirst("bluebonnet".count) : $0
                }
                let place = "cd '\(fixture.folder.url.path)'"
                let script = ["set -e", place, "export BLUEBONNET_STORE='\(store)'"] + commands
                let end = try await CommandProcess(
                    ["-c", script.joined(separator: "\n"), CommandProcess.path(of: "bluebonnet")], program: "/bin/sh",
                    in: fixture.folder
                ).end()
                #expect(end.status == 0, "\(end.errors)\(end.output)")
            }
        }

        @Test func doctorFindsNothingInNewStore() async throws {
            let server = try await PostgreSQLServer.shared()
            let store = server.unixURL(database: try await server.createDatabase())
            let line = try #require(
                try CodeBlock.ofPages().lazy.filter { $0.page == "FleetInProduction.md" && $0.language == "sh" }
                    .flatMap(\.lines).first { $0.hasPrefix("bluebonnet doctor ") })
            let arguments = line.split(separator: " ").dropFirst().map {
                $0.hasPrefix("postgresql:") ? store : String($0)
            }
            try await CommandFixture.with { fixture in
                let empty = try await CommandProcess(arguments, in: fixture.folder).end()
                #expect(empty.status == 1 && empty.output.hasPrefix("error: tables: "), "\(empty.output)")
                #expect(empty.output.contains("→ "), "no advice")
                let file = try fixture.file([#"{"url":"a"}"#])
                let submission = try await CommandProcess(
                    ["submit", file, "--base-url", "https://api.example.com/", "--store", store], in: fixture.folder
                ).end()
                #expect(submission.status == 0, "\(submission.errors)")
                let end = try await CommandProcess(arguments, in: fixture.folder).end()
                #expect(end.status == 0, "\(end.errors)\(end.output)")
                #expect(end.output.split(separator: "\n").allSatisfy { $0.hasPrefix("ok: ") }, "\(end.output)")
            }
        }
    }
}
