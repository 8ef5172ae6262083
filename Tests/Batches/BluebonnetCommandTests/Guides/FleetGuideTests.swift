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
    }
}
