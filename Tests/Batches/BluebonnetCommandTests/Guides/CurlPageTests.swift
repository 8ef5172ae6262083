// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import TestSupport
import Testing

extension ProcessTests {
    /// The shell blocks of the page for scripts that used curl.
    @Suite struct CurlPageTests {
        /// Runs a block of the page in the fixture's folder, against the fixture's server.
        private func run(blockStartingWith start: String, _ fixture: CommandFixture) async throws -> CommandProcess.End
        {
            let block = try CodeBlock.ofPages().first {
                $0.page == "ComingFromCurl.md" && $0.lines.first?.hasPrefix(start) == true
            }
            let text = try #require(block, "no block starts with \(start)").lines.joined(separator: "\n")
                .replacingOccurrences(
                    of: "https://api.example.com/v1/", with: fixture.server.url("/v1/").absoluteString
                )
                .replacingOccurrences(of: "bluebonnet run", with: "\"$0\" run")
            #expect(text.contains("\"$0\" run"))
            let script = "set -e\ncd '\(fixture.folder.url.path)'\n" + text + "\n"
            return try await CommandProcess(
                ["-c", script, CommandProcess.path(of: "bluebonnet")], program: "/bin/sh", in: fixture.folder
            ).end()
        }

        private func files(_ fixture: CommandFixture, _ folder: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path(folder)).sorted()
        }

        @Test func listOfURLsBecomesBatch() async throws {
            try await CommandFixture.with { fixture in
                let urls = ["a.html", "b.html"].map { fixture.server.url("/" + $0).absoluteString + "\n" }
                try fixture.folder.write("urls.txt", urls.joined())
                let end = try await run(blockStartingWith: "# xargs", fixture)
                #expect(end.status == 0, "\(end.errors)")
                #expect(try files(fixture, "pages") == ["a.html", "b.html"])
                let text = try String(contentsOfFile: fixture.folder.path("results.ndjson"), encoding: .utf8)
                let results = try CommandProcess.End.results(in: text)
                #expect(results.map(\.outcome) == [.success, .success])
                #expect(Set(fixture.server.requests.map(\.path)) == ["/a.html", "/b.html"])
            }
        }

        @Test func singleRequestIsOneLine() async throws {
            try await CommandFixture.with { fixture in
                let end = try await run(blockStartingWith: "# curl --json", fixture)
                #expect(end.status == 0, "\(end.errors)")
                #expect(try end.results.map(\.body) == ["hello"])
                let sent = try #require(fixture.server.requests.first)
                #expect(sent.method == "POST" && sent.path == "/v1/users")
                #expect(sent.headers["X-Client"] == "demo")
                #expect(try JSONDecoder().decode([String: String].self, from: sent.body) == ["name": "Ada"])
            }
        }

        @Test func numberedURLsComeFromPipe() async throws {
            try await CommandFixture.with { fixture in
                let end = try await run(blockStartingWith: "# curl --remote-name", fixture)
                #expect(end.status == 0, "\(end.errors)")
                #expect(try files(fixture, "items").count == 100)
                #expect(Set(fixture.server.requests.map(\.path)) == Set((1...100).map { "/v1/items/\($0)" }))
            }
        }
    }
}
