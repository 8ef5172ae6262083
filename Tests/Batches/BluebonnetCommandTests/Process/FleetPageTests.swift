// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Glibc
import RealServers
import TestSupport
import Testing

extension ProcessTests {
    /// The documentation's shell blocks about fleets.
    @Suite(.enabled(if: PostgreSQLServer.isAvailable)) struct FleetPageTests {
        private static let storeOfThePages = "postgresql://fleet@db.example.com/fleet"

        private func block(_ page: String, startingWith start: String) throws -> [String] {
            let block = try CodeBlock.ofPages().first { $0.page == page && $0.lines.first?.hasPrefix(start) == true }
            return try #require(block, "\(page) has no block that starts with \(start)").lines
        }

        /// The page's commands as a script. The worker runs in the background until the last command has ended.
        private func script(_ lines: [String], store: String) -> String {
            let commands = lines.map { line -> String in
                let code = line.range(of: "  #").map { String(line[..<$0.lowerBound]) } ?? line
                let command = code.replacingOccurrences(of: Self.storeOfThePages, with: "'\(store)'")
                guard command.hasPrefix("bluebonnet ") else { return command }
                let call = "\"$0\"" + command.dropFirst("bluebonnet".count)
                return command.hasPrefix("bluebonnet work") ? call + " >worker 2>&1 & worker=$!" : call
            }
            return
                (["set -e"] + commands.dropLast()
                + ["status=0", (commands.last ?? "") + " || status=$?"]
                + ["kill $worker", "wait $worker || status=$?", "exit $status"]).joined(separator: "\n")
        }

        private func run(_ lines: [String], store: String, in folder: TemporaryFolder) async throws {
            let script = "cd '\(folder.url.path)'\n" + script(lines, store: store)
            let end = try await CommandProcess(
                ["-c", script, CommandProcess.path(of: "bluebonnet")], program: "/bin/sh", in: folder
            ).end()
            #expect(end.status == 0, "\(end.errors)\(end.output)")
        }

        @Test func firstFleetOfThePageRuns() async throws {
            let store = try await PostgreSQLServer.start()
            try await CommandFixture.with { fixture in
                try fixture.folder.write("batch.ndjson", #"{"url":"a"}"# + "\n" + #"{"url":"b"}"# + "\n")
                let place = "-h '\(store.socketFolder)' -p \(store.port) -d postgres -U \(PostgreSQLServer.user)"
                let lines = try block("Fleet.md", startingWith: "psql ").map { line in
                    line.replacingOccurrences(of: "-h db.example.com -U postgres", with: place)
                        .replacingOccurrences(
                            of: "https://api.example.com/v1/", with: fixture.server.url("/").absoluteString)
                }
                #expect(lines.count == 5)
                let url = store.unixURL(database: "fleet")
                    .replacingOccurrences(of: "user=\(PostgreSQLServer.user)", with: "user=fleet")
                try await run(lines, store: url, in: fixture.folder)
                let text = try String(contentsOfFile: fixture.folder.path("results.ndjson"), encoding: .utf8)
                let results = try CommandProcess.End.results(in: text)
                #expect(Set(results.map(\.id)) == ["1", "2"])
                #expect(results.allSatisfy { $0.outcome == .success })
            }
            await store.remove()
        }

        @Test func lineOfThePageRunsOnce() async throws {
            let server = try await PostgreSQLServer.shared()
            let store = server.unixURL(database: try await server.createDatabase())
            let lines = try block("Fleet.md", startingWith: #"{"url": "invoices/17""#)
            try await CommandFixture.with { fixture in
                let file = try fixture.file(lines)
                func run(_ words: [String]) async throws -> CommandProcess.End {
                    try await CommandProcess(words, in: fixture.folder).end()
                }
                let base = ["--base-url", fixture.server.url("/").absoluteString]
                for name in ["one", "two"] {
                    let end = try await run(["submit", file, "--name", name, "--store", store] + base)
                    #expect(end.status == 0, "\(end.errors)")
                }
                _ = try await run(["work", "--until-done", "--store", store])
                #expect(fixture.server.requests.map(\.path) == ["/invoices/17"])
                #expect(try await run(["results", "one", "--store", store]).results.map(\.outcome) == [.success])
                let second = try await run(["results", "two", "--store", store]).results
                #expect(second.map(\.outcome) == [.skipped] && second.map(\.error?.code) == [.duplicateLine])
                // A run does not know the lines of other batches.
                let end = try await run(["run", file] + base)
                #expect(end.status == 2 && end.errors.contains("use bluebonnet submit"), "\(end.errors)")
                #expect(fixture.server.requests.count == 1)
            }
        }

        @Test func batchOfThePageIsRemoved() async throws {
            let server = try await PostgreSQLServer.shared()
            let store = server.unixURL(database: try await server.createDatabase())
            let words = try #require(try block("Fleet.md", startingWith: "bluebonnet remove").first)
                .split(separator: " ").map(String.init)
            #expect(words.first == "bluebonnet")
            try await CommandFixture.with { fixture in
                let file = try fixture.file([#"{"url":"http://h/"}"#])
                for arguments in [
                    ["submit", file, "--name", "nightly"], ["cancel", "nightly"], Array(words.dropFirst()),
                ] {
                    let end = try await CommandProcess(arguments + ["--store", store], in: fixture.folder).end()
                    #expect(end.status == 0, "\(end.errors)")
                }
                let status = try await CommandProcess(["status", "--store", store], in: fixture.folder).end()
                #expect(status.output.hasPrefix("no batches"))
            }
        }

        private func status(_ store: String, in folder: TemporaryFolder) async throws -> [String: JSONValue] {
            let end = try await CommandProcess(["status", "nightly", "--json", "--store", store], in: folder).end()
            #expect(end.status == 0, "\(end.errors)")
            return try JSONDecoder().decode([String: JSONValue].self, from: Data(end.output.utf8))
        }

        @Test func everyStatusMemberIsOnThePage() async throws {
            let server = try await PostgreSQLServer.shared()
            let store = server.unixURL(database: try await server.createDatabase())
            let path = CodeBlock.root.appendingPathComponent("Sources/Core/Bluebonnet/Bluebonnet.docc/CommandFormat.md")
            let page = try String(contentsOf: path, encoding: .utf8)
            let section = try #require(page.components(separatedBy: "\n## ").first { $0.hasPrefix("JSON of status") })
            let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
            try await CommandFixture.with { fixture in
                let file = try fixture.file([#"{"url":"\#(fixture.server.url("/a"))"}"#])
                let words = ["submit", file, "--name", "nightly", "--store", store]
                #expect(try await CommandProcess(words, in: fixture.folder).end().output == "nightly\n")
                let worker = try CommandProcess(["work", "--store", store], in: fixture.folder)
                try await becomes(1) { try await status(store, in: fixture.folder)["workers"]?.array?.count }
                let object = try await status(store, in: fixture.folder)
                worker.send(SIGTERM)
                #expect(await worker.end().status == 0)
                #expect(rows.count == object.count)
                for (name, value) in object {
                    let row = try #require(rows.first { $0.hasPrefix("| `\(name)`") })
                    let members = try #require(value.array?.first?.object)
                    #expect(members.names.filter { !row.contains("`\($0)`") } == [])
                }
            }
        }
    }
}
