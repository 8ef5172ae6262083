// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Glibc
import RealServers
import Testing

extension CommandFixture {
    fileprivate var journal: String { folder.path("batch.journal") }
    fileprivate var resultsPath: String { folder.path("results.ndjson") }

    /// The results in the `--results` file, by id. Each id occurs once.
    fileprivate func results() throws -> [String: ResultLine] {
        let lines = try CommandProcess.End.results(in: String(contentsOfFile: resultsPath, encoding: .utf8))
        return Dictionary(uniqueKeysWithValues: lines.map { ($0.id, $0) })
    }

    /// Starts a run with the journal and the results file.
    fileprivate func startJournaled(_ file: String, _ arguments: [String] = []) throws -> CommandProcess {
        try start([file, "--journal", journal, "--results", resultsPath] + arguments)
    }

    fileprivate func runJournaled(_ file: String, _ arguments: [String] = []) async throws -> CommandProcess.End {
        try await startJournaled(file, arguments).end()
    }

    /// Runs `bluebonnet journal`.
    fileprivate func journal(_ arguments: [String]) async throws -> CommandProcess.End {
        try await CommandProcess(["journal"] + arguments, in: folder).end()
    }

    fileprivate func requests(to path: String) -> [ReceivedRequest] { server.requests.filter { $0.path == path } }
}

extension ProcessTests {
    @Suite struct JournalTests {
        @Test(arguments: ["batch.journal", "batch.journal-shm", "results.ndjson", "lines"])
        func outputToARunFileIsRefusedBeforeSending(name: String) async throws {
            try await CommandFixture.with { fixture in
                let path = fixture.folder.path(name)
                let lines = [#"{"url":"a"}"#, #"{"url":"b","output":"\#(path)"}"#].map { $0 + "\n" }.joined()
                let file = try fixture.folder.write("lines", lines)
                let end = try await fixture.runJournaled(file)
                #expect(end.status == 2)
                #expect(end.errors.hasPrefix(#"line 2, field "output": the "#))
                #expect(end.errors.hasSuffix(" this file\n"))
                #expect(fixture.server.connectionCount == 0)
                #expect(try String(contentsOfFile: file, encoding: .utf8) == lines)
            }
        }

        private static let lines = [
            #"{"id":"login","method":"POST","url":"login"}"#,
            #"{"id":"me","url":"me","headers":{"Authorization":"Bearer ${login.body.token}"}}"#,
            #"{"id":"last","url":"last","after":["me"]}"#,
        ]

        /// A script that stalls the first request to a path and answers all later ones.
        private static func script(stallingOnce path: String) -> TestServer.Script {
            let isFirst = Observed(true)
            return { request in
                let stalls =
                    request.path == path
                    && isFirst.update { first in
                        defer { first = false }
                        return first
                    }
                return stalls ? .stall : .response(body: request.path == "/login" ? #"{"token":"t0k3n"}"# : "hello")
            }
        }

        @Test func killedRunResumesWithTheLoginResponse() async throws {
            try await CommandFixture.with(Self.script(stallingOnce: "/me")) { fixture in
                let file = try fixture.file(Self.lines)
                let process = try fixture.startJournaled(file)
                await fixture.server.waitForRequests(count: 2)
                try await eventually(try await fixture.journal(["--json", fixture.journal]).output) {
                    $0.contains(#""success":1,"#)
                }
                process.send(SIGKILL)
                #expect(await process.end().status == 128 + SIGKILL)
                #expect(try await fixture.runJournaled(file).status == 0)
                let outcomes = try fixture.results().mapValues(\.outcome)
                #expect(outcomes == ["login": .success, "me": .success, "last": .success])
                #expect(fixture.requests(to: "/login").count == 1)
                let fields = fixture.requests(to: "/me").map { $0.headers["Authorization"] }
                #expect(fields == ["Bearer t0k3n", "Bearer t0k3n"])
            }
        }

        @Test func possiblySentRequestIsReportedAndResentOnRequest() async throws {
            try await CommandFixture.with(Self.script(stallingOnce: "/login")) { fixture in
                let file = try fixture.file(Self.lines)
                let process = try fixture.startJournaled(file)
                await fixture.server.waitForRequests(count: 1)
                process.send(SIGKILL)
                _ = await process.end()
                let second = try await fixture.runJournaled(file, ["--progress", "always"])
                #expect(second.status == 1)
                #expect(second.errors.contains("0 succeeded, 2 skipped, 1 with unknown outcome"))
                #expect(try fixture.results()["login"]?.error?.code == .mayHaveBeenSent)
                #expect(try fixture.results()["login"]?.outcome == .unknown)
                #expect(try fixture.results()["me"]?.outcome == .skipped)
                #expect(fixture.server.requests.count == 1)
                #expect(try await fixture.runJournaled(file, ["--resend-unsafe"]).status == 0)
                #expect(fixture.requests(to: "/login").count == 2)
                #expect(try fixture.results().values.allSatisfy { $0.outcome == .success })
            }
        }

        @Test func journalOfAnotherBatchIsRefusedUntilItIsRestarted() async throws {
            try await CommandFixture.with { fixture in
                let (one, other) = (try fixture.file([#"{"url":"a"}"#]), try fixture.file([#"{"url":"b"}"#]))
                #expect(try await fixture.runJournaled(one).status == 0)
                let results = try String(contentsOfFile: fixture.resultsPath, encoding: .utf8)
                for (file, options) in [(other, []), (one, ["--header", "A: b"]), (one, ["--body", "none"])] {
                    let end = try await fixture.runJournaled(file, options)
                    #expect(end.status == 2)
                    #expect(
                        end.errors == "Error: the journal \(fixture.journal) is of another batch: "
                            + "its lines or options differ; --restart starts over\n")
                }
                // The results file is unchanged, and options that do not change the meaning may differ.
                #expect(try String(contentsOfFile: fixture.resultsPath, encoding: .utf8) == results)
                #expect(try await fixture.runJournaled(one, ["--concurrency", "1", "--timeout", "9"]).status == 0)
                #expect(fixture.server.requests.count == 1)
                #expect(try await fixture.runJournaled(other, ["--restart"]).status == 0)
                #expect(try await fixture.runJournaled(other, ["--restart"]).status == 0)
                #expect(fixture.server.requests.map(\.path) == ["/a", "/b", "/b"])
            }
        }

        /// The digest of a file covers all its bytes: comments and empty lines are part of the batch.
        @Test func commentsArePartOfTheFileOfAJournal() async throws {
            try await CommandFixture.with { fixture in
                let file = try fixture.file(["# first", "", #"{"id":"a","url":"a"}"#])
                #expect(try await fixture.runJournaled(file).status == 0)
                #expect(try await fixture.runJournaled(file).status == 0)
                for lines in [["# second", "", #"{"id":"a","url":"a"}"#], ["# first", #"{"id":"a","url":"a"}"#]] {
                    let end = try await fixture.runJournaled(fixture.file(lines))
                    #expect(end.status == 2 && end.errors.contains("is of another batch"))
                }
                #expect(fixture.server.requests.count == 1)
            }
        }

        @Test func secondRunOfAJournalIsRefusedDuringTheFirst() async throws {
            let gate = Gate()
            try await CommandFixture.with { _ in
                Reply([.wait(until: gate)] + Reply.response(body: "late").steps)
            } _: { fixture in
                let file = try fixture.file([#"{"url":"a"}"#])
                let first = try fixture.startJournaled(file)
                await fixture.server.waitForRequests(count: 1)
                let second = try await fixture.runJournaled(file)
                #expect(second.status == 2)
                #expect(second.errors == "Error: the journal \(fixture.journal) is in use by process \(first.id)\n")
                let status = try await fixture.journal([fixture.journal])
                #expect(status.output == "\(fixture.journal): 1 line, running\n0 succeeded, 1 not sent yet\n")
                gate.open()
                #expect(await first.end().status == 0)
                #expect(try fixture.results().count == 1)
                #expect(fixture.server.requests.count == 1)
            }
        }

        @Test func interruptedRunResumes() async throws {
            try await CommandFixture.with(Self.script(stallingOnce: "/me")) { fixture in
                let file = try fixture.file(Self.lines)
                let process = try fixture.startJournaled(file)
                await fixture.server.waitForRequests(count: 2)
                process.send(SIGINT)
                #expect(await process.end().status == 130)
                #expect(
                    try fixture.results().mapValues(\.outcome) == [
                        "login": .success, "me": .cancelled, "last": .cancelled,
                    ])
                #expect(try await fixture.runJournaled(file).status == 0)
                #expect(try fixture.results().values.allSatisfy { $0.outcome == .success })
                #expect(fixture.requests(to: "/login").count == 1)
            }
        }

        @Test func downloadResumesWhereTheKilledRunStopped() async throws {
            let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 8) })
            try await CommandFixture.with { request in
                guard let range = request.headers["Range"], let start = Int(range.dropFirst(6).dropLast()) else {
                    return .response(headers: ["ETag": "\"one\""], body: body)
                        .cut(afterByteCount: 2_000_000, then: .stall)
                }
                let content = "bytes \(start)-\(body.count - 1)/\(body.count)"
                return .response(
                    status: 206, headers: ["ETag": "\"one\"", "Content-Range": content],
                    body: body[start...])
            } _: { fixture in
                let output = fixture.folder.path("disk.img")
                let file = try fixture.file([#"{"url":"disk.img","output":"\#(output)"}"#])
                let process = try fixture.startJournaled(file)
                await eventually(
                    (try? FileManager.default.attributesOfItem(atPath: output + ".bluebonnet-partial"))?[.size] as? Int
                ) { $0 ?? 0 > 1_000_000 }
                process.send(SIGKILL)
                _ = await process.end()
                #expect(try await fixture.runJournaled(file).status == 0)
                #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == body)
                #expect(fixture.server.requests.count == 2)
                #expect(fixture.server.requests.last?.headers["If-Range"] == "\"one\"")
                #expect(try fixture.results()["1"]?.bytes == body.count)
            }
        }
    }
}

// MARK: - The journal command, options, streams and disks

extension ProcessTests.JournalTests {
    @Test func journalShowsTheStateOfABatch() async throws {
        try await CommandFixture.with { request in
            request.path == "/bad" ? .response(status: 500, body: "") : .response(body: "hello")
        } _: { fixture in
            let file = try fixture.file([
                #"{"url":"a"}"#, #"{"id":"bad","url":"bad"}"#, #"{"url":"b","after":["bad"]}"#,
            ])
            #expect(try await fixture.runJournaled(file).status == 1)
            let text = try await fixture.journal([fixture.journal])
            #expect(text.status == 0)
            let counts = "1 succeeded, 1 failed, 1 skipped, 0 not sent yet"
            #expect(text.output == "\(fixture.journal): 3 lines, complete\n\(counts)\n")
            let end = try await fixture.journal([fixture.journal, "--json"])
            let members = try JSONDecoder().decode([String: JSONValue].self, from: Data(end.output.utf8))
            let numbers = members.compactMapValues { $0.number.map(Int.init) }
            #expect(
                numbers.filter { $0.key != "created" } == [
                    "lines": 3, "ended": 3, "success": 1, "failure": 1, "cancelled": 0, "skipped": 1,
                    "mayHaveBeenSent": 0, "waiting": 0, "bytes": 5,
                ])
            #expect(members["isRunning"] == .bool(false))
            #expect(members["digest"]?.string?.count == 64)
            #expect(try #require(numbers["created"]) > 1_700_000_000)
        }
    }

    /// Pages are not lines: a batch is not complete as long as its line has not ended.
    @Test func journalCountsPartsSeparately() async throws {
        try await CommandFixture.with { request in
            request.query == "page=2" ? .stall : .response(headers: ["Link": "</list?page=2>; rel=next"], body: "[1]")
        } _: { fixture in
            let file = try fixture.file([#"{"id":"list","url":"list","paginate":{"next":"link"}}"#])
            let process = try fixture.startJournaled(file)
            await fixture.server.waitForRequests(count: 2)
            let counts = "0 succeeded, 1 not sent yet\npages, elements and items: 1 succeeded\n"
            try await eventually(try await fixture.journal([fixture.journal]).output) {
                $0 == "\(fixture.journal): 1 line, running\n\(counts)"
            }
            process.send(SIGKILL)
            _ = await process.end()
            let text = try await fixture.journal([fixture.journal]).output
            #expect(text == "\(fixture.journal): 1 line, not running\n\(counts)")
            let end = try await fixture.journal([fixture.journal, "--json"])
            let members = try JSONDecoder().decode([String: JSONValue].self, from: Data(end.output.utf8))
            #expect(members["lines"] == 1 && members["ended"] == 0 && members["waiting"] == 1)
            #expect(
                members["parts"] == [
                    "ended": 1, "success": 1, "failure": 0, "cancelled": 0, "skipped": 0, "mayHaveBeenSent": 0,
                ])
        }
    }

    @Test func fileThatIsNoJournalIsRefusedAndUnchanged() async throws {
        try await CommandFixture.with { fixture in
            let file = try fixture.file((0..<100).map { #"{"id":"\#($0)","url":"a"}"# })
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let end = try await fixture.start([file, "--journal", file]).end()
            #expect(end.status == 2)
            #expect(end.errors.hasPrefix("Error: \(file) is not a journal"))
            #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
            let status = try await fixture.journal([file])
            #expect(status.status == 2 && status.errors.hasPrefix("Error: \(file) is not a journal"))
            let missing = try await fixture.journal([fixture.journal])
            #expect(missing.status == 2 && missing.errors == "Error: there is no journal \(fixture.journal)\n")
            #expect(fixture.server.connectionCount == 0)
        }
    }

    @Test func journalOptionsNeedAJournalAndResultsAnotherFile() async throws {
        try await CommandFixture.with { fixture in
            let file = try fixture.file([#"{"url":"a"}"#])
            for option in ["--restart", "--resend-unsafe", "--retry-failed"] {
                let end = try await fixture.start([file, option]).end()
                #expect(end.status == 2 && end.errors.contains("\(option) requires --journal"))
            }
            let end = try await fixture.start([file, "--journal", fixture.journal, "--results", fixture.journal]).end()
            #expect(end.status == 2)
            #expect(end.errors == "Error: cannot open \(fixture.journal) for --results: it is the journal\n")
            #expect(fixture.server.connectionCount == 0)
            #expect(try await fixture.runJournaled(file).status == 0)
        }
    }

    @Test func pipedLinesResumeAndMustBeTheSame() async throws {
        try await CommandFixture.with(Self.script(stallingOnce: "/b")) { fixture in
            let lines = [#"{"method":"POST","url":"login"}"#, #"{"url":"b?${1.body.token}"}"#]
            func start(_ lines: [String]) throws -> CommandProcess {
                let pipe = try TestPipe()
                defer { pipe.closeReadEnd() }
                let process = try fixture.start(
                    ["--journal", fixture.journal, "--results", fixture.resultsPath], input: pipe.readEnd)
                pipe.write(lines.joined(separator: "\n"))
                pipe.closeWriteEnd()
                return process
            }
            let process = try start(lines)
            await fixture.server.waitForRequests(count: 2)
            try await eventually(try await fixture.journal([fixture.journal]).output) { $0.contains("1 succeeded") }
            process.send(SIGKILL)
            _ = await process.end()
            let other = try await start([#"{"method":"POST","url":"other"}"#]).end()
            #expect(other.status == 2)
            #expect(other.errors.contains("of another batch: its line 1 is different"))
            #expect(try await start(lines).end().status == 0)
            #expect(try fixture.results().mapValues(\.outcome) == ["1": .success, "2": .success])
            #expect(fixture.server.requests.map(\.target) == ["/login", "/b?t0k3n", "/b?t0k3n"])
            let status = try await fixture.journal([fixture.journal])
            #expect(status.output == "\(fixture.journal): lines from a pipe, not running\n2 succeeded\n")
            let asFile = try await fixture.runJournaled(fixture.file(lines))
            #expect(asFile.status == 2)
        }
    }

    /// Lines of a pipe are compared one by one: only lines without an id change when comments are added before them.
    @Test func commentsInAPipeAreNoLinesOfTheJournal() async throws {
        try await CommandFixture.with { fixture in
            func run(_ text: String) async throws -> CommandProcess.End {
                let pipe = try TestPipe()
                defer { pipe.closeReadEnd() }
                let process = try fixture.start(
                    ["--journal", fixture.journal, "--results", fixture.resultsPath], input: pipe.readEnd)
                pipe.write(text)
                pipe.closeWriteEnd()
                return await process.end()
            }
            let first = try await run(#"{"id":"a","url":"a"}"#)
            let second = try await run("# comment\n\n" + #"{"id":"a","url":"a"}"#)
            let other = try await run("#\n" + #"{"url":"a"}"#)
            #expect(first.status == 0 && second.status == 0 && other.status == 2)
            #expect(fixture.server.requests.count == 1)
        }
    }

    @Test(arguments: [("a", "b"), (nil, nil)])
    func reorderedPipedLinesSendNoUnsafeRequestTwice(ids: (first: String?, second: String?)) async throws {
        try await CommandFixture.with { _ in
            .stall
        } _: { fixture in
            let id = { (text: String?) in text.map { "\"id\":\"\($0)\"," } ?? "" }
            let lines = [
                "{\(id(ids.first))\"url\":\"a\"}", "{\(id(ids.second))\"method\":\"POST\",\"url\":\"b\"}",
            ]
            func start(_ lines: [String]) throws -> CommandProcess {
                let pipe = try TestPipe()
                defer { pipe.closeReadEnd() }
                let process = try fixture.start(
                    ["--journal", fixture.journal, "--results", fixture.resultsPath], input: pipe.readEnd)
                pipe.write(lines.joined(separator: "\n"))
                pipe.closeWriteEnd()
                return process
            }
            let process = try start(lines)
            await fixture.server.waitForRequests(count: 2)
            process.send(SIGKILL)
            _ = await process.end()
            let other = try await start(lines.reversed()).end()
            #expect(other.status == 2)
            #expect(other.errors.contains("of another batch: its line 1 is different"))
            #expect(fixture.requests(to: "/b").count == 1)
        }
    }

    @Test(.enabled(if: SmallFileSystem.isAvailable)) func fullDiskEndsTheRunAndLosesNothing() async throws {
        let small = try SmallFileSystem()
        defer { small.remove() }
        try await CommandFixture.with { _ in
            .response(body: String(repeating: "x", count: 5_000))
        } _: { fixture in
            let lines = (0..<400).map { number in
                number % 4 == 0
                    ? #"{"id":"p\#(number)","method":"POST","url":"p\#(number)"}"#
                    : #"{"id":"g\#(number)","url":"g\#(number)"}"#
            }
            let journal = small.folder.path("journal")
            let arguments = [try fixture.file(lines), "--journal", journal, "--results", fixture.resultsPath]
            let first = try await fixture.start(arguments).end()
            #expect(first.status == 1)
            #expect(first.errors.contains("the journal \(journal) cannot be written: the disk is full"))
            #expect(try fixture.results().count == 400)
            // While the disk is full, the run makes no progress, and nothing is lost.
            let sent = fixture.server.requests.count
            let second = try await fixture.start(arguments).end()
            #expect([1, 2].contains(second.status) && second.errors.contains("the journal \(journal) "))
            try small.grow(toMebibytes: 16)
            let kept = try await fixture.journal([journal, "--json"])
            let members = try JSONDecoder().decode([String: JSONValue].self, from: Data(kept.output.utf8))
            let ended = try #require(members["ended"]?.number.map(Int.init))
            #expect((1..<400).contains(ended))
            let before = fixture.server.requests.count
            let last = try await fixture.start(arguments).end()
            let results = try fixture.results()
            #expect(results.count == 400 && sent <= before)
            let unknownCount = results.values.filter { $0.outcome == .unknown }.count
            #expect(results.values.filter { $0.outcome == .success }.count == 400 - unknownCount)
            #expect(last.status == (unknownCount == 0 ? 0 : 1))
            #expect(fixture.server.requests.count - before == 400 - ended - unknownCount)
            let counts = Dictionary(grouping: fixture.server.requests.filter { $0.method == "POST" }, by: \.path)
            #expect(counts.values.allSatisfy { $0.count == 1 })
        }
    }
}
