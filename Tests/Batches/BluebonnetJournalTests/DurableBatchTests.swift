// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetJournal
import BluebonnetTestServer
import Foundation
import GRDB
import Testing

/// Batches that run, lose their journal or are cancelled, and continue.
@Suite(.serialized, .timeLimit(.minutes(1))) struct DurableBatchTests {
    private typealias Fixture = BatchFixture

    private static let hello: TestServer.Script = { request in
        switch request.path {
        case "/bad": .response(status: 500, body: "")
        case "/login": .response(headers: ["X-Name": "Ada"], body: #"{"token":"t0k3n"}"#)
        default: .response(body: "hello \(request.path)")
        }
    }

    @Test func secondRunSendsNothingAndDeliversTheSameResults() async throws {
        try await Fixture.with(Self.hello) { fixture in
            let lines = [
                Fixture.get("a"), Fixture.post("p"), Fixture.get("bad"), Fixture.get("s", after: ["bad"]),
                Fixture.get("b", after: ["p"]),
            ]
            let first = try await fixture.results(lines)
            #expect(
                first.mapValues(\.outcome.rawValue) == [
                    "a": "success", "p": "success", "bad": "failure", "s": "skipped", "b": "success",
                ])
            #expect(fixture.server.requests.count == 4)
            let again = try await fixture.results(lines)
            #expect(again.mapValues { $0.encodedLine() } == first.mapValues { $0.encodedLine() })
            #expect(fixture.server.requests.count == 4)
            #expect(fixture.place.names == ["batch.journal"])
        }
    }

    @Test(arguments: [nil, "cut"]) func lineWhoseOutputIsLostRunsAgain(left: String?) async throws {
        try await Fixture.with(Self.hello) { fixture in
            let output = fixture.place.path + ".out"
            defer { try? FileManager.default.removeItem(atPath: output) }
            var line = Fixture.get("a")
            line.output = output
            let lines = [line, Fixture.get("b")]
            for _ in 0..<2 { #expect(try await fixture.results(lines)["a"]?.outcome == .success) }
            #expect(fixture.server.requests.count == 2)
            try FileManager.default.removeItem(atPath: output)
            if let left { try Data(left.utf8).write(to: URL(fileURLWithPath: output)) }
            let again = try await fixture.results(lines)
            #expect(again.mapValues(\.outcome.rawValue) == ["a": "success", "b": "success"])
            #expect(try String(contentsOfFile: output, encoding: .utf8) == "hello /a")
            #expect(fixture.requests(to: "/a").count == 2 && fixture.requests(to: "/b").count == 1)
        }
    }

    @Test func unsafeLineWithLostOutputFailsUntilTheFileReturns() async throws {
        try await Fixture.with(Self.hello) { fixture in
            let output = fixture.place.path + ".out"
            defer { try? FileManager.default.removeItem(atPath: output) }
            var line = Fixture.post("p")
            line.output = output
            let lines = [line, Fixture.get("a", after: ["p"])]
            _ = try await fixture.results(lines)
            try FileManager.default.moveItem(atPath: output, toPath: output + "-moved")
            defer { try? FileManager.default.removeItem(atPath: output + "-moved") }
            let again = try await fixture.results(lines)
            #expect(again["p"]?.outcome == .failure && again["p"]?.error?.code == .cannotReadFile)
            let reason = "\(output), written by an earlier run, was removed or has another length"
            #expect(again["p"]?.error?.message.hasPrefix(reason) == true)
            #expect(again["a"]?.outcome == .success)
            try FileManager.default.moveItem(atPath: output + "-moved", toPath: output)
            #expect(try await fixture.results(lines)["p"]?.outcome == .success)
            #expect(fixture.requests(to: "/p").count == 1)
        }
    }

    @Test func failedLinesRunAgainOnRequest() async throws {
        let isWell = Observed(false)
        try await Fixture.with { request in
            .response(status: isWell.value || request.path == "/a" ? 200 : 500, body: "x")
        } _: { fixture in
            var fixture = fixture
            fixture.settings.cancelsAtFirstFailure = true
            let lines = [Fixture.get("a"), Fixture.post("p", after: ["a"]), Fixture.get("s", after: ["p"])]
            let first = try await fixture.results(lines).mapValues(\.outcome.rawValue)
            #expect(first == ["a": "success", "p": "failure", "s": "skipped"])
            isWell.update { $0 = true }
            #expect(try await fixture.results(lines).mapValues(\.outcome.rawValue) == first)
            var options = DurableBatch.Options()
            options.retriesFailedLines = true
            let again = try await fixture.results(lines, options: options)
            #expect(again.values.allSatisfy { $0.outcome == .success })
            #expect(fixture.server.requests.map(\.path) == ["/a", "/p", "/p", "/s"])
        }
    }

    @Test(arguments: RequestLineRunner.BodyForm.allCases)
    func referencesAreRestoredFromTheJournal(form: RequestLineRunner.BodyForm) async throws {
        try await Fixture.with(Self.hello) { fixture in
            var fixture = fixture
            fixture.settings.bodyForm = form
            var me = Fixture.get("me")
            me.headers["Authorization"] = "Bearer ${login.body.token} ${login.status} ${login.headers.x-name}"
            let lines = [Fixture.post("login"), me]
            _ = try await fixture.results(lines, in: DyingStore(fixture.place.journal, atEndOf: "me"))
            let again = try await fixture.results(lines)
            #expect(again["me"]?.outcome == .success)
            #expect(fixture.requests(to: "/login").count == 1)
            let fields = fixture.requests(to: "/me").map { $0.headers["Authorization"] }
            #expect(fields == ["Bearer t0k3n 200 Ada", "Bearer t0k3n 200 Ada"])
        }
    }

    @Test func unsafeLineWithLostOutcomeIsUnknownAndNotResent() async throws {
        try await Fixture.with(Self.hello) { fixture in
            let lines = [Fixture.post("p"), Fixture.get("a", after: ["p"]), Fixture.get("b")]
            let first = try await fixture.results(lines, in: DyingStore(fixture.place.journal, atEndOf: "p"))
            #expect(first.count == 3)
            for _ in 0..<2 {
                let again = try await fixture.results(lines)
                #expect(again["p"]?.outcome == .unknown)
                #expect(again["p"]?.error?.code == .mayHaveBeenSent)
                #expect(again["p"]?.attempts == 0)
                #expect(again["a"]?.outcome == .skipped)
                #expect(again["a"]?.error?.code == .dependencyFailed)
                #expect(again["b"]?.outcome == .success)
            }
            #expect(fixture.requests(to: "/p").count == 1)
            // Dependents of an unsafe line are not sent before that line's outcome is durable.
            #expect(fixture.requests(to: "/a").isEmpty)
            let summary = try fixture.place.journal.summary()
            #expect(summary.mayHaveBeenSentCount == 1 && summary.counts == [.success: 1, .skipped: 1])
        }
    }

    @Test func unsafeLineIsResentOnRequest() async throws {
        try await Fixture.with(Self.hello) { fixture in
            let lines = [Fixture.post("p"), Fixture.get("a", after: ["p"])]
            _ = try await fixture.results(lines, in: DyingStore(fixture.place.journal, atEndOf: "p"))
            _ = try await fixture.results(lines)  // the unknown outcome is reported, and changes nothing
            var options = DurableBatch.Options()
            options.resendsUnsafeRequests = true
            let again = try await fixture.results(lines, options: options)
            #expect(again.values.allSatisfy { $0.outcome == .success })
            #expect(fixture.requests(to: "/p").count == 2)
            #expect(fixture.requests(to: "/a").count == 1)
        }
    }

    @Test(arguments: [RequestLine.Key.automatic, .value("order-7")])
    func lineWithAKeyIsResentWithTheSameKey(key: RequestLine.Key) async throws {
        try await Fixture.with(Self.hello) { fixture in
            var line = Fixture.post("p")
            line.idempotencyKey = key
            _ = try await fixture.results([line], in: DyingStore(fixture.place.journal, atEndOf: "p"))
            let again = try await fixture.results([line])
            #expect(again["p"]?.outcome == .success)
            let keys = fixture.requests(to: "/p").map { $0.headers["Idempotency-Key"] }
            #expect(keys.count == 2 && keys[0] == keys[1] && keys[0] != nil)
        }
    }

    @Test func safeLineWithLostOutcomeIsResent() async throws {
        try await Fixture.with(Self.hello) { fixture in
            let lines = [Fixture.get("a")]
            _ = try await fixture.results(lines, in: DyingStore(fixture.place.journal, atEndOf: "a"))
            #expect(try await fixture.results(lines)["a"]?.outcome == .success)
            #expect(fixture.requests(to: "/a").count == 2)
        }
    }

    @Test func markIsDurableWhenTheServerSeesTheRequest() async throws {
        let place = Observed<JournalFolder?>(nil)
        let counts = Observed<[Int?]>([])
        try await Fixture.with { request in
            counts.append(try? place.value?.journal.summary().mayHaveBeenSentCount)
            return .response(body: "ok")
        } _: { fixture in
            place.update { $0 = fixture.place }
            var last = Fixture.post("p3")
            last.after = ["p2"]
            _ = try await fixture.results([Fixture.post("p1"), Fixture.post("p2", after: ["p1"]), last])
            #expect(counts.value.count == 3)
            #expect(counts.value.allSatisfy { $0 ?? 0 >= 1 }, "\(counts.value)")
        }
    }

    @Test func onlyLinesThatCanBeInFlightAreMarked() async throws {
        try await Fixture.with { _ in
            .stall
        } _: { fixture in
            let batch = try fixture.batch((0..<40).map { Fixture.post("p\($0)") })
            let run = Task { try await batch.run() }
            await fixture.server.waitForRequests(count: 6)
            #expect(try fixture.place.journal.summary().mayHaveBeenSentCount == 6)
            #expect(batch.progress?.totalCount == 40)
            batch.cancel()
            #expect(try await run.value.counts == [.cancelled: 40])
            // Requests cancelled in flight may have arrived. The other lines may be sent another time.
            #expect(try fixture.place.journal.summary().mayHaveBeenSentCount == 6)
            #expect(try fixture.place.journal.summary().endedCount == 0)
        }
    }
}

// MARK: - Runs that end early

extension DurableBatchTests {
    @Test func cancelledRunIsResumed() async throws {
        let isStalling = Observed(true)
        try await Fixture.with { request in
            request.path == "/slow" && isStalling.value ? .stall : .response(body: "late")
        } _: { fixture in
            let lines = [Fixture.get("a"), Fixture.get("slow"), Fixture.post("p", after: ["slow"])]
            let batch = try fixture.batch(lines)
            let results = Observed<[String]>([])
            let run = Task { try await batch.run { result in results.append(result.id) } }
            await fixture.server.waitForRequests(count: 2)
            await results.becomes(["a"])
            batch.cancel()
            #expect(try await run.value.counts == [.success: 1, .cancelled: 2])
            isStalling.update { $0 = false }
            let outcome = try await fixture.batch(lines).run()
            #expect(outcome.counts == [.success: 3] && outcome.restoredCount == 1 && outcome.isSuccess)
            #expect(fixture.requests(to: "/a").count == 1 && fixture.requests(to: "/p").count == 1)
        }
    }

    @Test func cancellingWhileMarksAreWrittenMakesNoLineUnknown() async throws {
        try await Fixture.with(Self.hello) { fixture in
            let lines = (0..<4).map { Fixture.post("p\($0)") } + [Fixture.get("a", after: ["p0"])]
            let store = WaitingStore(fixture.place.journal)
            let batch = try fixture.batch(lines, in: store)
            let run = Task { try await batch.run() }
            await store.hasMark.becomes(true)
            batch.cancel()
            store.gate.open()
            #expect(try await run.value.counts == [.cancelled: 5])
            #expect(fixture.server.requests.isEmpty)
            #expect(try fixture.place.journal.summary().mayHaveBeenSentCount == 0)
            #expect(try await fixture.batch(lines).run().isSuccess)
        }
    }

    @Test func unreadableResultLineEndsTheRun() async throws {
        try await Fixture.with(Self.hello) { fixture in
            _ = try await fixture.results([Fixture.get("bad")])
            let database = try DatabaseQueue(path: fixture.place.path)
            try await database.write { try $0.execute(sql: "UPDATE operation SET line = x'7b'") }
            try database.close()
            let error = await #expect(throws: JournalError.self) { try await fixture.batch([Fixture.get("bad")]).run() }
            #expect(error?.code == .damaged)
        }
    }

    @Test func journaledFailureOfTheLastLineCancelsTheOthers() async throws {
        try await Fixture.with { request in
            request.path == "/bad" ? .response(status: 500, body: "") : .stall  // until the failure ends it
        } _: { fixture in
            var fixture = fixture
            fixture.settings.cancelsAtFirstFailure = true
            let lines = [Fixture.get("a"), Fixture.get("b"), Fixture.get("bad")]
            _ = try await fixture.results(lines, in: DyingStore(fixture.place.journal) { $0.id != "bad" })
            let sent = fixture.server.requests.count
            let again = try await fixture.results(lines)
            #expect(again.mapValues(\.outcome) == ["a": .cancelled, "b": .cancelled, "bad": .failure])
            #expect(fixture.server.requests.count == sent)
        }
    }

    @Test func batchCancelledBeforeItsRunSendsNothing() async throws {
        try await Fixture.with(Self.hello) { fixture in
            let batch = try fixture.batch([Fixture.get("a"), Fixture.post("p")])
            #expect(batch.progress == nil)
            batch.cancel()
            #expect(try await batch.run().counts == [.cancelled: 2])
            #expect(fixture.server.connectionCount == 0)
            #expect(try await fixture.batch([Fixture.get("a"), Fixture.post("p")]).run().isSuccess)
        }
    }

    @Test func cancellingTheTaskCancelsTheBatch() async throws {
        try await Fixture.with { _ in
            .stall
        } _: { fixture in
            let batch = try fixture.batch([Fixture.get("a"), Fixture.get("b", after: ["a"])])
            let run = Task { try await batch.run() }
            await fixture.server.waitForRequests(count: 1)
            run.cancel()
            #expect(try await run.value.counts == [.cancelled: 2])
        }
    }

    @Test func drainLetsRunningRequestsFinishAndMarksNothingMore() async throws {
        let gate = Gate()
        try await Fixture.with { _ in
            Reply([.wait(until: gate)] + Reply.response(body: "late").steps)
        } _: { fixture in
            let batch = try fixture.batch((0..<10).map { Fixture.post("p\($0)") })
            let run = Task { try await batch.run() }
            await fixture.server.waitForRequests(count: 6)
            let drain = Task { await batch.drain() }
            gate.open()
            await drain.value
            let outcome = try await run.value
            #expect(outcome.totalCount == 10)
            let succeeded = outcome.counts[.success] ?? 0
            #expect(succeeded >= 6 && fixture.server.requests.count == succeeded)
            #expect(try fixture.place.journal.summary().mayHaveBeenSentCount == 0)
            #expect(try await fixture.batch((0..<10).map { Fixture.post("p\($0)") }).run().isSuccess)
            #expect(fixture.server.requests.count == 10)
        }
    }

    @Test func journalThatFailsEndsTheRunAndLosesNothing() async throws {
        try await Fixture.with(Self.hello) { fixture in
            let lines = (0..<50).map { Fixture.post("p\($0)", after: $0 == 0 ? [] : ["p\($0 - 1)"]) }
            let store = DyingStore(fixture.place.journal, atEndOf: "p20")
            let results = Observed<[ResultLine]>([])
            let error = await #expect(throws: JournalError.self) {
                try await fixture.batch(lines, in: store).run { results.append($0) }
            }
            #expect(error?.code == .diskFull)
            #expect(Set(results.value.map(\.id)).count == 50 && results.value.count == 50)
            let sent = fixture.server.requests.count
            #expect((21..<50).contains(sent))
            let again = try await fixture.results(lines)
            #expect((0..<20).allSatisfy { again["p\($0)"]?.outcome == .success })
            #expect(again["p20"]?.outcome == .unknown)
            #expect(again["p49"]?.outcome == .skipped)
            #expect(fixture.server.requests.count == sent)
        }
    }

    @Test func firstFailureEndsTheBatchForGood() async throws {
        try await Fixture.with { request in
            request.path == "/bad" ? .response(status: 500, body: "") : .stall
        } _: { fixture in
            var fixture = fixture
            fixture.settings.cancelsAtFirstFailure = true
            let lines = [Fixture.get("slow"), Fixture.get("bad"), Fixture.post("p", after: ["slow"])]
            let first = try await fixture.results(lines)
            #expect(first.mapValues(\.outcome.rawValue) == ["slow": "cancelled", "bad": "failure", "p": "cancelled"])
            let sent = fixture.server.requests.count
            let again = try await fixture.results(lines)
            #expect(again.mapValues(\.outcome) == first.mapValues(\.outcome))
            #expect(fixture.server.requests.count == sent)
        }
    }

    @Test func journaledFailureEndsAFailFastBatch() async throws {
        try await Fixture.with { request in
            request.path == "/bad" ? .response(status: 500, body: "") : .stall  // until the failure ends it
        } _: { fixture in
            var fixture = fixture
            fixture.settings.cancelsAtFirstFailure = true
            let lines = [Fixture.get("bad"), Fixture.get("a", after: ["bad"]), Fixture.get("b")]
            let store = DyingStore(fixture.place.journal) { $0.id != "bad" }
            _ = try await fixture.results(lines, in: store)
            let sent = fixture.server.requests.count
            let again = try await fixture.results(lines)
            #expect(again["bad"]?.outcome == .failure)
            #expect(again["b"]?.outcome == .cancelled)
            #expect(again.count == 3 && fixture.server.requests.count == sent)
        }
    }

    @Test(arguments: ["batch.journal", "./x/../batch.journal-wal", "link"])
    func outputToTheJournalIsRefused(name: String) throws {
        let place = try JournalFolder()
        defer { place.remove() }
        let link = place.folder.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: place.path)
        var line = Fixture.get("a")
        line.output = place.folder.url.path + "/" + name
        let errors = try #require(throws: RequestLineErrors.self) {
            try DurableBatch(of: [line], journal: SQLiteJournal(path: name == "link" ? link : place.path))
        }
        let expected = RequestLineError(line: 1, field: "output", message: "the journal is in this file")
        #expect(errors.errors == [expected])
    }

    @Test func restartBeginsAnewAndIsNeededForAnotherBatch() async throws {
        try await Fixture.with(Self.hello) { fixture in
            _ = try await fixture.results([Fixture.post("p")])
            let error = await #expect(throws: JournalError.self) { try await fixture.batch([Fixture.post("q")]).run() }
            #expect(error?.code == .anotherBatch)
            #expect(fixture.server.requests.count == 1)
            var options = DurableBatch.Options()
            options.restarts = true
            #expect(try await fixture.batch([Fixture.post("q")], options: options).run().isSuccess)
            #expect(try await fixture.batch([Fixture.post("q")], options: options).run().restoredCount == 0)
            #expect(fixture.requests(to: "/q").count == 2)
        }
    }
}
