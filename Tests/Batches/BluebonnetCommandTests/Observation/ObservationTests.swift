// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetLocks
import BluebonnetTestServer
import Foundation
import Glibc
import Testing

@testable import BluebonnetCommand

extension ProcessTests {
    /// The files and texts about the requests of a real run.
    @Suite struct ObservationTests {
        /// A batch with a redirect, two retries, a failure, dependencies and credentials.
        private static let lines = [
            #"{"id":"login","method":"POST","url":"login","json":{"a":1},"headers":{"Authorization":"Bearer s3cret"}}"#,
            #"{"id":"moved","url":"old?token=s3cret","after":["login"]}"#,
            #"{"id":"last","url":"new","after":["moved"],"headers":{"Cookie":"sid=s3cret"}}"#,
            #"{"id":"flaky","url":"flaky"}"#,
            #"{"id":"missing","url":"missing"}"#,
        ]

        private static func script() -> TestServer.Script {
            let flakyCount = Mutex(0)
            return { request in
                switch request.path {
                case "/old": return .redirect(to: "/new?access_token=s3cret", headers: ["Set-Cookie": "sid=s3cret"])
                case "/missing": return .response(status: 404)
                case "/flaky":
                    let count = flakyCount.withLock {
                        $0 += 1
                        return $0
                    }
                    return count < 3 ? .response(status: 503, headers: ["Retry-After": "0"]) : .response(body: "hello")
                default: return .response(headers: ["Content-Type": "text/plain"], body: "hello")
                }
            }
        }

        /// Runs the batch with an option and a file. Returns the text of the file, and the end of the process.
        private func run(_ arguments: String...) async throws -> (text: String, end: CommandProcess.End) {
            var found: (String, CommandProcess.End)?
            try await CommandFixture.with(Self.script()) { fixture in
                let path = fixture.folder.path("observed")
                let arguments = arguments.map { $0 == "FILE" ? path : $0 }
                let end = try await fixture.run(Self.lines, ["--retries", "3"] + arguments)
                #expect(try end.status == 1 && end.results.count == 5)
                found = ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "", end)
            }
            return try #require(found)
        }

        @Test func harHasEveryTransfer() async throws {
            let (text, end) = try await run("--har", "FILE")
            let file = try JSONValue(parsing: Data(text.utf8))
            #expect(end.errors.isEmpty && HARFormat.problems(file) == [])
            let entries = try #require(file["log"]?["entries"]?.array)
            let statuses = Dictionary(grouping: entries) { $0["_line"]?.string ?? "" }
                .mapValues { $0.compactMap { $0["response"]?["status"]?.integer } }
            #expect(
                statuses == [
                    "login": [200], "moved": [302, 200], "last": [200], "flaky": [503, 503, 200], "missing": [404],
                ])
            let flaky = entries.filter { $0["_line"] == "flaky" }
            #expect(flaky.compactMap { $0["_attempt"]?.integer } == [1, 2, 3])
            #expect(flaky.compactMap { $0["_resendCount"]?.integer } == [0, 1, 2])
            #expect(entries.allSatisfy { $0["serverIPAddress"] == "127.0.0.1" && $0["connection"]?.string != nil })
            let login = try #require(entries.first { $0["_line"] == "login" }?["request"])
            #expect(login["method"] == "POST" && login["bodySize"] == 7)
            #expect(text.contains("REDACTED") && !text.contains("s3cret"))
        }

        @Test func traceShowsEachLineAndItsDependencies() async throws {
            let (text, _) = try await run("--trace", "FILE")
            let events = try #require(try JSONValue(parsing: Data(text.utf8))["traceEvents"]?.array)
            let kinds = Dictionary(grouping: events) { $0["ph"]?.string ?? "" }.mapValues(\.count)
            #expect(kinds["b"] == kinds["e"] && kinds["s"] == 2 && kinds["f"] == 2)
            let operations = events.filter { $0["ph"] == "b" && $0["cat"] == "operation" }
            #expect(
                Set(operations.compactMap { $0["name"]?.string }) == ["login", "moved", "last", "flaky", "missing"])
            let lines = events.filter { $0["ph"] == "X" }
            #expect(lines.compactMap { $0["name"]?.string } == ["login", "moved", "last"])
            let counter = try #require(events.last { $0["ph"] == "C" })
            #expect(counter["args"] == ["in-flight": 0, "waiting": 0, "on-hold": 0])
            #expect(!text.contains("s3cret"))
        }

        /// The command of the page, with all options at once.
        @Test func filesOfThePageAreWritten() async throws {
            try await CommandFixture.with(Self.script()) { fixture in
                let (har, trace) = (fixture.folder.path("run.har"), fixture.folder.path("run.json"))
                let end = try await fixture.run(
                    Self.lines, ["--har", har, "--trace", trace, "--summary", "--progress", "never"])
                #expect(end.errors.contains("critical path: "))
                for (path, member) in [(har, "log"), (trace, "traceEvents")] {
                    let file = try JSONValue(parsing: try Data(contentsOf: URL(fileURLWithPath: path)))
                    #expect(file[member] != nil)
                }
            }
        }

        @Test func logHasPairedEventsInOrder() async throws {
            let (text, _) = try await run("--log", "FILE")
            let events = try text.split(separator: "\n").map { try JSONValue(parsing: Data($0.utf8)) }
            let byLine = Dictionary(grouping: events.filter { $0["operation"] != nil }) { $0["line"]?.string ?? "" }
            #expect(Set(byLine.keys) == ["login", "moved", "last", "flaky", "missing"])
            for (line, events) in byLine {
                let words = events.compactMap { $0["event"]?.string }
                #expect(words.first == "queued" && words.last == "finished", "\(line)")
                for pair in [("hopBegan", "hopEnded"), ("waitBegan", "waitEnded")] {
                    #expect(words.filter { $0 == pair.0 }.count == words.filter { $0 == pair.1 }.count)
                }
                let instants = events.compactMap { $0["instant"]?.integer }
                #expect(instants.count == words.count && (instants.min() ?? 0) > 0)
            }
            #expect(byLine["flaky"]?.filter { $0["event"] == "retryDecided" && $0["retry"] == true }.count == 2)
            #expect(byLine["moved"]?.contains { $0["event"] == "redirectDecided" } == true)
            #expect(text.contains("REDACTED") && !text.contains("s3cret"))
        }

        @Test func verboseTellsWhatHappensWithoutSecrets() async throws {
            let (_, end) = try await run("--verbose")
            let lines = end.errors.split(separator: "\n")
            for words in [
                "login         > POST ", "moved         follows the redirect 302 to ", "attempt 3",
                "flaky         another attempt in ", "missing       ended with unacceptableStatus in ",
            ] {
                #expect(lines.contains { $0.contains(words) }, "\(words)")
            }
            #expect(end.errors.contains("token=REDACTED") && !end.errors.contains("s3cret"))
        }

        @Test func summaryFollowsTheOtherSummary() async throws {
            try await CommandFixture.with(Self.script()) { fixture in
                let path = fixture.folder.path("summary.json")
                let arguments = ["--progress", "never", "--retries", "3", "--summary", "--summary-json", path]
                let end = try await fixture.run(Self.lines, arguments)
                let lines = end.errors.split(separator: "\n").map(String.init)
                #expect(lines.first?.hasPrefix("5 requests in ") == true)
                #expect(lines.contains { $0.hasPrefix("phases, at most 2 % wrong") })
                #expect(lines.contains("  \(fixture.server.url("/").absoluteString.dropLast()), 8 transfers"))
                #expect(lines.contains { $0.hasPrefix("critical path: ") })
                let object = try JSONValue(parsing: try Data(contentsOf: URL(fileURLWithPath: path)))
                #expect(object["outcomes"]?["success"] == 4 && object["outcomes"]?["failure"] == 1)
                #expect(object["origins"]?[0]?["transfers"] == 8 && object["droppedEvents"] == 0)
                #expect(object["origins"]?[0]?["phases"]?["waiting"]?["transfers"] == 8)
                #expect(object["criticalPath"]?.array?.isEmpty == false)
            }
        }
    }
}

// MARK: - Signals, terminals and mistakes

extension ProcessTests.ObservationTests {
    @Test(arguments: [SIGINT, SIGTERM])
    func interruptedRunLeavesCompleteFiles(_ signal: Int32) async throws {
        try await CommandFixture.with { request in
            request.path == "/stall" ? .stall : .response(body: "hello")
        } _: { fixture in
            let (har, trace) = (fixture.folder.path("har"), fixture.folder.path("trace"))
            let lines = [#"{"id":"quick","url":"a"}"#, #"{"id":"stalls","url":"stall","after":["quick"]}"#]
            let process = try fixture.start([
                fixture.file(lines), "--har", har, "--trace", trace, "--drain-timeout", "0",
            ])
            await fixture.server.waitForRequests(count: 2)
            process.send(signal)
            let end = await process.end()
            #expect(end.status == 130 && end.errors.isEmpty)
            let file = try JSONValue(parsing: try Data(contentsOf: URL(fileURLWithPath: har)))
            #expect(HARFormat.problems(file) == [])
            let entries = try #require(file["log"]?["entries"]?.array)
            #expect(entries.map { $0["_error"]?.string } == [nil, "cancelled"])
            let events = try JSONValue(parsing: try Data(contentsOf: URL(fileURLWithPath: trace)))["traceEvents"]?.array
            let kinds = Dictionary(grouping: events ?? []) { $0["ph"]?.string ?? "" }.mapValues(\.count)
            #expect(kinds["b"] == kinds["e"] && kinds["s"] == 1)
        }
    }

    @Test func killedRunLeavesACompleteFile() async throws {
        try await CommandFixture.with { request in
            request.path == "/stall" ? .stall : .response(body: "hello")
        } _: { fixture in
            let har = fixture.folder.path("har")
            let lines = [#"{"id":"quick","url":"a"}"#, #"{"id":"stalls","url":"stall","after":["quick"]}"#]
            let process = try fixture.start([fixture.file(lines), "--har", har])
            await fixture.server.waitForRequests(count: 2)
            let file = { try? JSONValue(parsing: try Data(contentsOf: URL(fileURLWithPath: har))) }
            await eventually(file()) { $0?["log"]?["entries"]?.array?.count == 1 }
            process.send(SIGKILL)
            #expect(await process.end().status == 128 + SIGKILL)
            #expect(HARFormat.problems(try #require(file())) == [])
        }
    }

    @Test func verboseLinesDoNotDisturbTheBars() async throws {
        let gate = Gate()
        try await CommandFixture.with { request in
            request.path == "/b" ? .steps([.wait(until: gate)] + Reply.response().steps) : .response(body: "hello")
        } _: { fixture in
            let terminal = try TestTerminal(columns: 120)
            let lines = [#"{"id":"first","url":"a"}"#, #"{"id":"second","url":"b","after":["first"]}"#]
            let arguments = [try fixture.file(lines), "--verbose", "--results", "/dev/null"]
            let process = try fixture.start(arguments, errors: terminal.inside)
            var text = await terminal.read(until: "1/2")
            gate.open()
            text += await terminal.read(until: "2 succeeded")
            #expect(await process.end().status == 0)
            terminal.close()
            // Each line begins where the bars were erased, which shows the cursor, or after another line.
            let all = text.matches(of: /\d\.\d{3}  (first|second)\b/)
            // The terminal writes "\r\n", which is one character.
            let start = /(^|\[\?25h|\n) +\d+\.\d{3}  (first|second)\b/.matchingSemantics(.unicodeScalar)
            let whole = text.matches(of: start)
            #expect(all.count == whole.count && all.count >= 8)
            #expect(text.contains("second        < HTTP/1.1 200"))
        }
    }

    @Test func unwritablePathEndsTheCommandBeforeARequest() async throws {
        try await CommandFixture.with { fixture in
            for option in ["--har", "--trace", "--log", "--summary-json"] {
                let end = try await fixture.run([#"{"url":"a"}"#], [option, "/no/such/folder/file"])
                #expect(end.status == 2)
                #expect(
                    end.errors
                        == "Error: cannot open /no/such/folder/file for \(option): No such file or directory\n")
            }
            #expect(fixture.server.requests.isEmpty)
        }
    }

    @Test func fileOfTheRequestLinesIsNotOverwritten() async throws {
        try await CommandFixture.with { fixture in
            let lines = try fixture.file([#"{"url":"a"}"#])
            let link = fixture.folder.path("link")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: lines)
            let end = try await fixture.start([lines, "--log", link]).end()
            #expect(end.status == 2 && end.errors.hasSuffix("for --log: it is the file of the request lines\n"))
            #expect(try String(contentsOfFile: lines, encoding: .utf8) == "{\"url\":\"a\"}\n")
            let output = try await fixture.run([#"{"url":"a","output":"log"}"#], ["--log", "log"])
            #expect(output.status == 2 && output.errors.contains("--log writes this file"))
            #expect(fixture.server.requests.isEmpty)
        }
    }

    @Test func fullDiskIsReportedAndTheRunGoesOn() async throws {
        try await CommandFixture.with { fixture in
            let end = try await fixture.run([#"{"url":"a"}"#], ["--log", "/dev/full"])
            #expect(try end.status == 1 && end.results.first?.outcome == .success)
            #expect(end.errors == "Error: cannot write to /dev/full for --log: No space left on device\n")
        }
    }
}
