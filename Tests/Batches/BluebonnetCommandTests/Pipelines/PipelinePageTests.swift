// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import TestSupport
import Testing

extension ProcessTests {
    /// The blocks of the pages about pipelines, values and reports.
    @Suite struct PipelinePageTests {
        private static func block(_ page: String, _ start: String) throws -> String {
            let block = try CodeBlock.ofPages().first { $0.page == page && $0.lines.first?.hasPrefix(start) == true }
            return try #require(block, "\(page) has no block that starts with \(start)").lines
                .joined(separator: "\n") + "\n"
        }

        /// Answers the requests of all lines on the pages.
        private static let answer: TestServer.Script = { request in
            switch request.path {
            case "/users": .response(body: #"[{"id":7},{"id":8}]"#)
            case "/users/7", "/users/8": .response(body: #"{"name":"Ada","age":36,"active":true}"#)
            case "/report": .response(body: #"{"lines":[{"sku":"a","total":2},{"sku":"b","total":3}]}"#)
            case "/jobs/7": .response(body: #"{"state":"done"}"#)
            case "/items": .response(body: #"[{"at":"2026-03-01"},{"at":"2026-01-09"}]"#)
            case "/reports": .response(body: request.body)
            case "/v1/chat":
                .response(headers: ["Content-Type": "text/event-stream"], body: "data: a\n\ndata: b\n\n")
            default: .response(status: 404, body: "")
            }
        }

        /// Runs a block of request lines. Returns the end of the command, after the folder was looked at.
        @discardableResult
        private static func run(
            _ lines: String, _ options: [String] = [], _ check: (CommandFixture) throws -> Void = { _ in }
        ) async throws -> CommandProcess.End {
            let ending = Observed<CommandProcess.End?>(nil)
            try await CommandFixture.with(answer) { fixture in
                let file = try fixture.folder.write("batch.ndjson", lines)
                let arguments = ["run", file, "--base-url", fixture.server.url("/").absoluteString]
                let options = options.map { $0.replacingOccurrences(of: "FOLDER", with: fixture.folder.url.path) }
                let end = try await CommandProcess(arguments + options, in: fixture.folder).end()
                ending.update { $0 = end }
                try check(fixture)
            }
            return try #require(ending.value)
        }

        @Test func pipelineLinesOfThePageRun() async throws {
            for start in [
                #"{"id": "users", "#, #"{"url": "report""#, #"{"url": "users/7", "assert""#, #"{"id": "job", "#,
                #"{"id": "answer", "#,
            ] {
                let end = try await Self.run(try Self.block("Pipelines.md", start))
                #expect(end.status == 0, "\(start): \(end.output) \(end.errors)")
            }
            let end = try await Self.run(try Self.block("Pipelines.md", #"{"id": "users", "#))
            let results = Dictionary(uniqueKeysWithValues: try end.results.map { ($0.id, $0) })
            #expect(results["detail/7"]?.values == ["name": "Ada"] && results["report"]?.body == #"{"count":"2"}"#)
        }

        @Test func rowsOfThePageAreWritten() async throws {
            let lines = try Self.block("CommandFormat.md", #"{"id": "ada", "url": "users/7""#)
            let command = try Self.block("CommandFormat.md", "bluebonnet run batch.ndjson --into")
            #expect(command == "bluebonnet run batch.ndjson --into users.csv\n")
            let end = try await Self.run(lines, ["--into", "FOLDER/users.csv"]) { fixture in
                let table = try String(contentsOfFile: fixture.folder.path("users.csv"), encoding: .utf8)
                let expected = try Self.block("CommandFormat.md", "id,age")
                #expect(table.replacingOccurrences(of: "\r", with: "") == expected)
            }
            #expect(end.status == 0)
        }

        @Test func reportsAndConditionsOfThePageAreAccepted() async throws {
            let lines = try Self.block("Pipelines.md", #"{"url": "users/7", "assert""#)
            let command = try Self.block("CommandFormat.md", "bluebonnet run batch.ndjson --report")
            #expect(command == "bluebonnet run batch.ndjson --report junit=run.xml --report html=run.html\n")
            let conditions = try Self.block("CommandFormat.md", "bluebonnet run batch.ndjson --fail-if")
            #expect(conditions == "bluebonnet run batch.ndjson --fail-if 'failed > 1%' --fail-if 'p95 > 800ms'\n")
            let options = ["--report", "junit=FOLDER/run.xml", "--report", "html=FOLDER/run.html", "--fail-if"]
            let end = try await Self.run(lines, options + ["failed > 1%", "--fail-if", "p95 > 3600s"]) { fixture in
                for name in ["run.xml", "run.html"] {
                    #expect(FileManager.default.fileExists(atPath: fixture.folder.path(name)))
                }
            }
            #expect(end.status == 0)
        }

        @Test func stateOfThePageIsRemembered() async throws {
            let lines = try Self.block("CommandFormat.md", #"{"url": "items?since"#)
            let command = try Self.block("CommandFormat.md", "bluebonnet run news.ndjson --state")
            #expect(command == "bluebonnet run news.ndjson --state news.state.json\n")
            try await CommandFixture.with(Self.answer) { fixture in
                let state = try fixture.folder.write("news.state.json", #"{"since":"2025-12-24"}"#)
                let file = try fixture.folder.write("news.ndjson", lines)
                let arguments = ["run", file, "--base-url", fixture.server.url("/").absoluteString, "--state", state]
                #expect(try await CommandProcess(arguments, in: fixture.folder).end().status == 0)
                #expect(fixture.server.requests.map(\.target) == ["/items?since=2025-12-24"])
                let written = try JSONValue(parsing: try Data(contentsOf: URL(fileURLWithPath: state)))
                #expect(written == ["since": "2026-03-01"])
                let first = try Self.block("CommandFormat.md", #"echo '{"since""#)
                let script = "cd '\(fixture.folder.url.path)'\n" + first
                let shell = try CommandProcess(["-c", script], program: "/bin/sh", in: fixture.folder)
                #expect(await shell.end().status == 0)
                #expect(try await CommandProcess(arguments, in: fixture.folder).end().status == 0)
                #expect(fixture.server.requests.last?.target == "/items?since=0")
            }
        }
    }
}
