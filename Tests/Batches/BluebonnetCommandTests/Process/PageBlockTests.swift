// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import TestSupport
import Testing

extension ProcessTests {
    /// The documentation's blocks of shell commands and request lines.
    @Suite struct PageBlockTests {
        private static let base = "https://api.example.com/v1/"

        private func block(_ page: String, startingWith start: String) throws -> [String] {
            let block = try CodeBlock.ofPages().first { $0.page == page && $0.lines.first?.hasPrefix(start) == true }
            return try #require(block, "\(page) has no block that starts with \(start)").lines
        }

        /// Answers the requests that the batches of the pages send.
        private static func answer(_ request: ReceivedRequest) -> Reply {
            switch request.path {
            case "/v1/login": return .response(body: #"{"token":"t-1"}"#)
            case "/v1/me" where request.headers["Authorization"] == "Bearer t-1":
                return .response(body: #"{"name":"Ada"}"#)
            case "/v1/images/disk.img": return .response(body: "disk")
            default: return .response(status: 403)
            }
        }

        /// Runs a page's command in a folder that contains the page's lines.
        private func run(_ command: String, _ lines: [String], _ check: (CommandFixture) -> Void) async throws {
            let script: TestServer.Script = { Self.answer($0) }
            try await CommandFixture.with(script) { fixture in
                #expect(command.contains("bluebonnet run batch.ndjson") && command.contains(Self.base))
                try fixture.folder.write("batch.ndjson", lines.map { $0 + "\n" }.joined())
                let words = command.replacingOccurrences(of: Self.base, with: fixture.server.url("/v1/").absoluteString)
                    .replacingOccurrences(of: "bluebonnet run", with: "\"$0\" run")
                let line = "cd '\(fixture.folder.url.path)' && \(words)"
                let end = try await CommandProcess(
                    ["-c", line, CommandProcess.path(of: "bluebonnet")], program: "/bin/sh", in: fixture.folder
                ).end()
                #expect(end.status == 0, "\(end.errors)\(end.output)")
                #expect(try end.results.count == lines.count)
                #expect(try end.results.allSatisfy { $0.outcome == .success })
                #expect(try String(contentsOfFile: fixture.folder.path("disk.img"), encoding: .utf8) == "disk")
                check(fixture)
            }
        }

        @Test func batchOfTheReadmeRuns() async throws {
            let lines = try block("README.md", startingWith: "$ cat batch.ndjson")
            let command = try #require(lines.last { $0.hasPrefix("$ ") })
            try await run(String(command.dropFirst(2)), lines.filter { $0.hasPrefix("{") }) { fixture in
                let paths = fixture.server.requests.map(\.path)
                #expect(paths.first == "/v1/login")
                #expect(paths.dropFirst().sorted() == ["/v1/images/disk.img", "/v1/me"])
            }
        }

        @Test func requestLinesOfThePageRun() async throws {
            let lines = try block("CommandFormat.md", startingWith: #"{"id": "login""#)
            let command = try #require(try block("CommandFormat.md", startingWith: "bluebonnet run").first)
            try await run(command, lines) { fixture in
                #expect(fixture.server.requests.allSatisfy { $0.headers["X-Client"] == "demo" })
            }
        }

        @Test func conversionsOfThePageRun() async throws {
            let lines = try block("CommandFormat.md", startingWith: "bluebonnet lines from curl")
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.write("requests.sh", "curl -L \(Self.base)users \\\n  -d name=Ada\n")
            let words = lines.joined(separator: "\n").replacingOccurrences(of: "bluebonnet lines", with: "\"$0\" lines")
            let script = "set -e\ncd '\(folder.url.path)'\n\(words)\n"
            let end = try await CommandProcess(
                ["-c", script, CommandProcess.path(of: "bluebonnet")], program: "/bin/sh", in: folder
            ).end()
            #expect(end.status == 0 && end.errors == "")
            let command = "curl --compressed --data-raw 'name=Ada' --location --max-redirs 20 \(Self.base)users\n"
            #expect(end.output == command)
        }

        @Test func resultLineOfThePageIsRead() throws {
            let text = try #require(try block("CommandFormat.md", startingWith: #"{"id":"me","outcome""#).first)
            let line = try JSONDecoder().decode(ResultLine.self, from: Data(text.utf8))
            #expect(line.id == "me" && line.outcome == .success && line.status == 200 && line.reused)
            #expect(line.bytes == line.body?.utf8.count)
            let again = try JSONDecoder().decode(ResultLine.self, from: Data(line.encodedLine()))
            #expect(again == line)
        }

        @Test func pageReachabilityIsPrinted() async throws {
            let lines = try block("Reachability.md", startingWith: "$ bluebonnet reachability")
            #expect(lines.count == 2)
            let form = /\S+: Reachable via WiFi, interface \S+ \(\w+\), route to \S+( via \S+)? from \S+/
            #expect(lines[1].wholeMatch(of: form) != nil)
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let end = try await CommandProcess(["reachability", "127.0.0.1"], in: folder).end()
            #expect(end.output.dropLast().wholeMatch(of: form) != nil)
        }

        @Test func pageCommandPrintsTheDigestOfAKey() async throws {
            let command = try #require(try block("PinningAndTrust.md", startingWith: "openssl x509").first)
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.write("server.pem", Data(contentsOf: URL(fileURLWithPath: TestCertificate.localhost.leafPath)))
            let script = "cd '\(folder.url.path)' && \(command)"
            let end = try await CommandProcess(["-c", script], program: "/bin/sh", in: folder).end()
            let certificate = try ServerCertificate(der: TestCertificate.localhost.der)
            #expect("sha256/" + end.output == certificate.publicKeyPin.description + "\n", "\(end.errors)")
        }
    }
}
