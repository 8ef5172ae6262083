// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Glibc
import RealServers
import Testing

/// A command's folder and server, and a store.
struct FleetFixture: Sendable {
    let command: CommandFixture
    let postgres: PostgreSQLServer
    let database: String

    static func with(
        _ script: @escaping TestServer.Script = { _ in .response(body: "hello") },
        _ body: (FleetFixture) async throws -> Void
    ) async throws {
        let postgres = try await PostgreSQLServer.shared()
        let database = try await postgres.createDatabase()
        try await CommandFixture.with(script) { command in
            try await body(FleetFixture(command: command, postgres: postgres, database: database))
        }
    }

    var server: TestServer { command.server }
    var store: String { postgres.unixURL(database: database) }

    /// Starts the command with environment variables. The default is the variable that names the store.
    func start(_ arguments: [String], _ variables: [String]? = nil) throws -> CommandProcess {
        let variables = variables ?? ["BLUEBONNET_STORE=\(store)"]
        return try CommandProcess(
            ["-u", "BLUEBONNET_STORE"] + variables + [CommandProcess.path(of: "bluebonnet")] + arguments,
            program: "/usr/bin/env", in: command.folder)
    }

    /// Runs the command to its end.
    func run(_ arguments: String...) async throws -> CommandProcess.End { try await start(arguments).end() }

    /// Submits lines as the batch `n`.
    func submit(_ lines: [String], _ arguments: [String] = []) async throws -> CommandProcess.End {
        let words = ["submit", try command.file(lines), "--name", "n", "--base-url", server.url("/").absoluteString]
        return try await start(words + arguments).end()
    }

    /// The object that `status --json` prints for the only batch.
    func status() async throws -> JSONObject {
        let object = try JSONDecoder().decode(
            [String: [JSONValue]].self, from: Data(await run("status", "--json").output.utf8))
        return try #require(object["batches"]?.first?.object)
    }

    /// The number of requests with a method, by path.
    func counts(_ method: String) -> [String: Int] {
        Dictionary(grouping: server.requests.filter { $0.method == method }, by: \.path).mapValues(\.count)
    }
}

extension ProcessTests {
    @Suite(.enabled(if: PostgreSQLServer.isAvailable)) struct FleetTests {
        private static let lines = [
            #"{"id":"login","method":"POST","url":"login"}"#,
            #"{"id":"me","url":"me","headers":{"Authorization":"Bearer ${login.body.token}"}}"#,
            #"{"id":"bad","url":"bad"}"#, #"{"id":"after","url":"after","after":["bad"]}"#,
        ]

        private static func reply(after gate: Gate) -> Reply {
            Reply([.wait(until: gate)] + Reply.response(body: "late").steps)
        }

        @Test func batchIsSubmittedRunReadAndRetried() async throws {
            let isMended = Observed(false)
            try await FleetFixture.with { request in
                switch request.path {
                case "/login": .response(body: #"{"token":"t0k3n"}"#)
                case "/bad" where !isMended.value: .response(status: 500, body: "")
                default: .response(body: "hello")
                }
            } _: { fixture in
                let first = try await fixture.submit(Self.lines)
                #expect(first.status == 0 && first.output == "n\n" && first.errors == "")
                let second = try await fixture.submit(Self.lines)
                #expect(second.status == 0 && second.output == "n\n")
                #expect(second.errors == "the store already has the batch n\n")
                let early = try await fixture.run("results", "n")
                #expect(early.status == 1 && early.output == "")
                let work = try await fixture.run("work", "--until-done", "--name", "one")
                #expect(work.status == 0 && work.errors == "3 operations recorded\n" && work.output == "")
                let results = try await fixture.run("results", "n")
                #expect(results.status == 1 && results.errors == "")
                #expect(
                    Dictionary(uniqueKeysWithValues: try results.results.map { ($0.id, $0.outcome) }) == [
                        "login": .success, "me": .success, "bad": .failure, "after": .skipped,
                    ])
                let me = fixture.server.requests.first { $0.path == "/me" }
                #expect(me?.headers["Authorization"] == "Bearer t0k3n")
                isMended.update { $0 = true }
                let retry = try await fixture.run("retry-failed", "n")
                #expect(retry.status == 0 && retry.output == "2 lines\n")
                #expect(try await fixture.run("work", "--until-done").status == 0)
                let all = try await fixture.run("results", "n", "--follow")
                #expect(try all.status == 0 && all.results.count == 4)
                #expect(fixture.counts("POST") == ["/login": 1])
            }
        }

        @Test func commentsAreNotSubmitted() async throws {
            try await FleetFixture.with { fixture in
                let first = try await fixture.submit(["# one", #"{"id":"a","url":"a"}"#, "", #"{"url":"b"}"#])
                #expect(first.status == 0)
                let second = try await fixture.submit([#"{"id":"a","url":"a"}"#, "# two", "#", #"{"url":"b"}"#])
                #expect(second.status == 0 && second.errors == "the store already has the batch n\n")
                #expect(try await fixture.run("work", "--until-done").status == 0)
                let results = try await fixture.run("results", "n")
                #expect(Set(try results.results.map(\.id)) == ["a", "4"])
            }
        }

        @Test func workerWritesFilesAboutItsRequests() async throws {
            try await FleetFixture.with { fixture in
                let (har, log) = (fixture.command.folder.path("har"), fixture.command.folder.path("log"))
                _ = try await fixture.submit([#"{"id":"a","url":"a?token=s3cret"}"#, #"{"id":"b","url":"b"}"#])
                let work = try await fixture.run("work", "--until-done", "--har", har, "--log", log, "-v")
                #expect(work.status == 0 && work.errors.contains("> GET ") && !work.errors.contains("s3cret"))
                #expect(work.errors.hasSuffix("2 operations recorded\n"))
                let file = try JSONValue(parsing: try Data(contentsOf: URL(fileURLWithPath: har)))
                #expect(HARFormat.problems(file) == [])
                let lines = file["log"]?["entries"]?.array?.compactMap { $0["_line"]?.string }
                #expect(Set(lines ?? []) == ["n/a", "n/b"])
                #expect(try String(contentsOfFile: log, encoding: .utf8).contains(#""line":"n/a""#))
            }
        }

        @Test func statusShowsBatchesWorkersAndOrigins() async throws {
            try await FleetFixture.with { fixture in
                _ = try await fixture.submit(Self.lines, ["--priority", "7"])
                let text = try await fixture.run("status")
                #expect(text.status == 0 && text.errors == "")
                #expect(
                    text.output.hasPrefix("n  ") && text.output.contains("0/4") && text.output.contains("no workers"))
                let members = try await fixture.status()
                let numbers = { (name: String) in members[name]?.number.map(Int.init) }
                #expect(numbers("lines") == 4 && numbers("ended") == 0 && numbers("waiting") == 4)
                #expect(numbers("priority") == 7 && members["isComplete"] == .bool(false))
                #expect(members["name"] == .string("n") && members["state"] == .string("open"))
                let one = try await fixture.run("status", "n")
                #expect(one.output.contains("origins:") && one.output.contains("4 lines, 2 ready"), "\(one.output)")
                async let watch = fixture.run("status", "n", "--watch")
                _ = try await fixture.run("work", "--until-done")
                let watched = try await watch
                #expect(watched.status == 0 && watched.output.contains("4/4, complete"), "\(watched.output)")
            }
        }

        @Test func batchIsPausedResumedAndCancelled() async throws {
            try await FleetFixture.with { fixture in
                _ = try await fixture.submit(Self.lines)
                #expect(try await fixture.run("pause", "n").status == 0)
                #expect(try await fixture.status()["state"] == .string("paused"))
                #expect(try await fixture.run("work", "--until-done").errors == "0 operations recorded\n")
                #expect(try await fixture.run("resume", "n").status == 0)
                let cancel = try await fixture.run("cancel", "n")
                #expect(cancel.status == 0 && cancel.output == "" && cancel.errors == "")
                let members = try await fixture.status()
                #expect(members["state"] == .string("cancelled") && members["cancelled"]?.number == 4)
                let pause = try await fixture.run("pause", "n")
                #expect(pause.status == 2 && pause.errors == "Error: the batch n was cancelled: it cannot be paused\n")
                let results = try await fixture.run("results", "n", "--follow")
                #expect(try results.status == 1 && results.results.allSatisfy { $0.outcome == .cancelled })
                #expect(fixture.server.requests.isEmpty)
            }
        }

        @Test func pipedLinesAreCheckedAsAWholeAndSubmitted() async throws {
            try await FleetFixture.with { fixture in
                let url = fixture.server.url("/").absoluteString
                for (text, status) in [
                    (#"{"id":"a","url":"a","after":["b"]}"# + "\n" + #"{"id":"b","url":"b"}"#, 0),
                    (#"{"id":"a","url":"a"}"# + "\n" + #"{"url":"b","after":["nobody"]}"# + "\n", 2),
                ] {
                    let pipe = try TestPipe()
                    let words = ["submit", "-", "--name", "n\(status)", "--store", fixture.store, "--base-url", url]
                    let submit = try CommandProcess(words, input: pipe.readEnd, in: fixture.command.folder)
                    pipe.closeReadEnd()
                    pipe.write(text)
                    pipe.closeWriteEnd()
                    let end = await submit.end()
                    #expect(end.status == status, "\(end.errors)")
                    #expect(end.errors.hasPrefix(status == 0 ? "" : #"line 2, field "after[0]": "#), "\(end.errors)")
                }
                #expect(try await fixture.run("work", "--until-done").status == 0)
                #expect(fixture.server.requests.map(\.path) == ["/b", "/a"])
                #expect(try await fixture.status()["name"] == .string("n0"))
            }
        }

        @Test func endedBatchIsRemoved() async throws {
            try await FleetFixture.with { fixture in
                _ = try await fixture.submit(Self.lines)
                let early = try await fixture.run("remove", "n")
                #expect(early.status == 2 && early.output == "")
                #expect(
                    early.errors
                        == "Error: the batch n cannot be removed, because 4 of its lines have not ended: cancel it, or "
                        + "wait until it is complete\n")
                #expect(try await fixture.run("cancel", "n").status == 0)
                let end = try await fixture.run("remove", "n")
                #expect(end.status == 0 && end.output == "" && end.errors == "", "\(end.errors)")
                #expect(try await fixture.run("status").output.hasPrefix("no batches"))
                #expect(try await fixture.submit([#"{"url":"a"}"#]).output == "n\n")
            }
        }

        @Test func wrongNamesAndStoresAreReportedInOneSentence() async throws {
            try await FleetFixture.with { fixture in
                let nothing = "Error: the store has no batches: submit one first\n"
                #expect(try await fixture.run("status").errors == nothing)
                _ = try await fixture.submit(Self.lines)
                let noBatch = "Error: the store has no batch named m\n"
                for command in ["status", "results", "pause", "resume", "cancel", "retry-failed", "remove"] {
                    let end = try await fixture.run(command, "m")
                    #expect(end.status == 2 && end.errors == noBatch && end.output == "", "\(command): \(end)")
                    let absent = try await fixture.start([command, "m"], []).end()
                    #expect(absent.status == 2)
                    #expect(
                        absent.errors.contains("no store: use --store postgresql://…"), "\(absent.errors)")
                }
                let other = try await fixture.submit([#"{"url":"a"}"#])
                #expect(other.status == 2)
                #expect(
                    other.errors == "Error: the store already has a different batch named n: choose another name\n")
                let nowhere = fixture.postgres.unixURL(database: "nowhere")
                for arguments in [["work"], ["status"], ["cancel", "n"]] {
                    let end = try await fixture.start(arguments + ["--store", nowhere], []).end()
                    #expect(end.status == 2)
                    #expect(end.errors.hasPrefix("Error: the store refused the connection: "), "\(end.errors)")
                    #expect(end.errors.hasSuffix("database \"nowhere\" does not exist\n"), "\(end.errors)")
                }
                let port = "postgresql://a@127.0.0.1:\(try LoopbackPort.unused())/a"
                let away = try await fixture.start(["status", "--store", port], []).end()
                #expect(away.status == 2 && away.errors.hasPrefix("Error: the store cannot be reached: "))
            }
        }

        @Test func wrongLinesAndOptionsSubmitNothing() async throws {
            try await FleetFixture.with { fixture in
                let bad = try await fixture.submit([#"{"url":"a"}"#, #"{"url":"b","after":["nobody"]}"#])
                #expect(bad.status == 2 && bad.errors.contains("line 2") && bad.output == "")
                #expect(try await fixture.submit([#"{"url":"a"}"#], ["--per-origin", "0"]).status == 2)
                #expect(try await fixture.run("work", "--lease", "0.5").status == 2)
                #expect(try await fixture.run("status", "--watch", "--json").status == 2)
                let status = try await fixture.run("status")
                #expect(status.errors.contains("submit one first"))
            }
        }

        @Test func storeAndPasswordComeFromFiles() async throws {
            try await FleetFixture.with { fixture in
                let folder = fixture.command.folder
                let services = try folder.write(
                    "services",
                    """
                    [fleet]
                    host=127.0.0.1
                    port=\(fixture.postgres.port)
                    dbname=\(fixture.database)
                    user=\(PostgreSQLServer.user)
                    """)
                let passwords = try folder.write("passwords", "*:*:*:*:\(PostgreSQLServer.password)\n")
                chmod(passwords, 0o600)
                let file = try fixture.command.file([#"{"url":"\#(fixture.server.url("/a"))"}"#])
                let variables = ["PGSERVICEFILE=\(services)", "PGPASSFILE=\(passwords)"]
                let end = try await fixture.start(["submit", file, "--store", "service=fleet"], variables).end()
                #expect(end.status == 0 && end.errors == "", "\(end.errors)")
                let work = try await fixture.start(["work", "--until-done", "--store", "service=fleet"], variables)
                    .end()
                #expect(work.errors == "1 operation recorded\n")
                #expect(try await fixture.status()["success"]?.number == 1)
                let other = try await fixture.start(["status", "--store", "service=other"], variables).end()
                #expect(other.status == 2 && other.errors.hasPrefix("Error: the store refused the connection: "))
            }
        }

        @Test func terminatedWorkerReturnsUnsentLines() async throws {
            let gate = Gate()
            try await FleetFixture.with { _ in
                Self.reply(after: gate)
            } _: { fixture in
                _ = try await fixture.submit((0..<20).map { #"{"id":"\#($0)","url":"a\#($0)"}"# })
                let worker = try fixture.start(["work", "--per-origin", "3", "--drain-timeout", "60"])
                await fixture.server.waitForRequests(count: 3)
                try await becomes(6) { try await fixture.status()["withWorkers"]?.number }
                worker.send(SIGTERM)
                try await becomes(3) { try await fixture.status()["withWorkers"]?.number }
                gate.open()
                let end = await worker.end()
                #expect(end.status == 0 && end.errors == "3 operations recorded\n", "\(end)")
                let members = try await fixture.status()
                #expect(members["success"]?.number == 3 && members["waiting"]?.number == 17)
                #expect(fixture.server.requests.count == 3)
            }
        }

        @Test func linesOfAKilledWorkerMoveWithoutRepeatingUnsafeOnes() async throws {
            try await FleetFixture.with { _ in
                Reply([.delay(.milliseconds(5))] + Reply.response(body: "hello").steps)
            } _: { fixture in
                let lines = (0..<400).map { number in
                    number % 2 == 0
                        ? #"{"id":"\#(number)","method":"POST","url":"p\#(number)","text":"x"}"#
                        : #"{"id":"\#(number)","url":"g\#(number)","after":["\#(number - 1)"]}"#
                }
                _ = try await fixture.submit(lines)
                let killed = try fixture.start(["work", "--lease", "1"])
                let other = try fixture.start(["work", "--lease", "1", "--until-done"])
                await fixture.server.waitForRequests(count: 100)
                killed.send(SIGKILL)
                #expect(await killed.end().status == 128 + SIGKILL)
                #expect(await other.end().status == 0)
                let results = try await fixture.run("results", "n").results
                #expect(results.count == 400 && Set(results.map(\.id)).count == 400)
                let outcomes = Dictionary(grouping: results, by: \.outcome).mapValues(\.count)
                let unknown = outcomes[.unknown] ?? 0
                #expect(unknown <= 6, "no more than were on their way")
                #expect(outcomes[.skipped] ?? 0 == unknown && outcomes[.success] == 400 - 2 * unknown, "\(outcomes)")
                #expect(fixture.counts("POST").values.allSatisfy { $0 == 1 })
                #expect(results.allSatisfy { $0.outcome != .unknown || $0.error?.code == .mayHaveBeenSent })
            }
        }

        @Test func resultsAreFollowedWhileWorkersWork() async throws {
            try await FleetFixture.with { fixture in
                _ = try await fixture.submit((0..<500).map { #"{"id":"\#($0)","url":"a\#($0)"}"# })
                let follower = try fixture.start(["results", "n", "--follow"])
                let workers = try (0..<2).map { _ in try fixture.start(["work", "--until-done"]) }
                for worker in workers { #expect(await worker.end().status == 0) }
                let end = await follower.end()
                #expect(end.status == 0 && end.errors == "")
                #expect(try Set(end.results.map(\.id)).count == 500 && end.results.count == 500)
            }
        }
    }
}
