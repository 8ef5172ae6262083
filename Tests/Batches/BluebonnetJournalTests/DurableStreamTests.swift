// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetJournal
import BluebonnetTestServer
import Foundation
import Testing

/// Streams of batches that run, lose their journal, and continue.
@Suite(.serialized, .timeLimit(.minutes(1))) struct DurableStreamTests {
    private typealias Fixture = BatchFixture

    private static let texts = (1...3).map { "{\"n\":\($0)}" }

    /// A stream that sends its lines as chunks, and ends with the other steps.
    private static func stream(_ texts: [String], _ end: Reply.Step) -> Reply {
        let head = Reply.Step.head(status: 200, fields: ["Transfer-Encoding": "chunked"])
        let chunks = texts.map { Reply.Step.chunk(Data("\($0)\n".utf8)) }
        return Reply([head] + chunks + [end])
    }

    /// A list for elements, a stream with an end, and a stream that is cut after two items.
    private static let script: TestServer.Script = { request in
        switch request.path {
        case "/list": .response(body: "[4,5]")
        case "/cut": stream(Array(texts.prefix(2)), .close)
        default: stream(texts, .trailers([:]))
        }
    }

    private static func lines(_ texts: String...) throws -> [RequestLine] {
        try texts.compactMap { try RequestLineParser().parse(line: Data($0.utf8), number: 1)?.line }
    }

    @Test(arguments: ["GET", "POST"]) func streamThatEndedIsNotReadAgain(method: String) async throws {
        try await Fixture.with(Self.script) { fixture in
            let lines = try Self.lines(
                #"{"id":"s","method":"\#(method)","url":"s","stream":"lines","extract":{"n":"$.n"}}"#)
            for _ in 1...3 {
                let results = try await fixture.results(lines)
                #expect(Set(results.keys) == ["s", "s/1", "s/2", "s/3"])
                #expect(results.values.allSatisfy { $0.outcome == .success } && results["s"]?.items == 3)
                for number in 1...3 {
                    let item = try #require(results["s/\(number)"])
                    #expect(item.item == number && item.body == Self.texts[number - 1])
                    #expect(item.values == ["n": .integer(Int64(number))])
                }
            }
            #expect(fixture.server.requests.count == 1)
        }
    }

    @Test func cutStreamKeepsItsItems() async throws {
        try await Fixture.with(Self.script) { fixture in
            let lines = try Self.lines(#"{"id":"s","url":"cut","stream":"lines"}"#)
            for _ in 1...2 {
                let results = try await fixture.results(lines)
                #expect(Set(results.keys) == ["s", "s/1", "s/2"] && results["s"]?.items == 2)
                #expect(results["s"]?.error?.code == .streamFailed && results["s/2"]?.body == Self.texts[1])
            }
            #expect(fixture.server.requests.count == 1)
            var options = DurableBatch.Options()
            options.retriesFailedLines = true
            let again = try await fixture.results(lines, options: options)
            #expect(Set(again.keys) == ["s", "s/1", "s/2"] && fixture.server.requests.count == 2)
        }
    }

    @Test func unsafeStreamInDoubtKeepsItsItems() async throws {
        try await Fixture.with(Self.script) { fixture in
            let lines = try Self.lines(#"{"id":"s","method":"POST","url":"s","text":"x","stream":"lines"}"#)
            _ = try await fixture.results(lines, in: DyingStore(fixture.place.journal, atEndOf: "s"))
            for _ in 1...2 {
                let results = try await fixture.results(lines)
                #expect(Set(results.keys) == ["s", "s/1", "s/2", "s/3"])
                #expect(results["s"]?.outcome == .unknown && results["s"]?.error?.code == .mayHaveBeenSent)
                for number in 1...3 {
                    #expect(results["s/\(number)"]?.outcome == .success)
                    #expect(results["s/\(number)"]?.body == Self.texts[number - 1])
                }
            }
            #expect(fixture.server.requests.count == 1)
        }
    }

    /// The stream is read again, and fails before the items that an earlier run has recorded.
    @Test func streamThatFailsWhenItIsReadAgainKeepsItsItems() async throws {
        let isFirst = Observed(true)
        try await Fixture.with { _ in
            let answers = isFirst.update { (first: inout Bool) -> Bool in
                defer { first = false }
                return first
            }
            return answers ? Self.stream(Self.texts, .trailers([:])) : .response(status: 404, body: "")
        } _: { fixture in
            let lines = try Self.lines(#"{"id":"s","url":"s","stream":"lines"}"#)
            _ = try await fixture.results(lines, in: DyingStore(fixture.place.journal, atEndOf: "s/3"))
            for _ in 1...2 {
                let results = try await fixture.results(lines)
                #expect(Set(results.keys) == ["s", "s/1", "s/2"] && results["s"]?.items == 2)
                #expect(results["s"]?.outcome == .failure && results["s/2"]?.body == Self.texts[1])
            }
            #expect(fixture.server.requests.count == 2)
        }
    }

    /// A stream that waits for a gate after its first item, and a request that is polled until the run is drained.
    private static func drained(_ gate: Gate) throws -> (lines: [RequestLine], script: TestServer.Script) {
        let lines = try Self.lines(
            #"{"id":"s","url":"s","stream":"lines"}"#,
            #"{"id":"p","url":"list","until":{"assert":[{"status":true,"equals":201}],"every":1000,"max":2}}"#)
        let script: TestServer.Script = { request in
            guard request.path == "/s" else { return .response(body: "") }
            var steps = Self.stream(Self.texts, .trailers([:])).steps
            steps.insert(.wait(until: gate), at: 2)
            return Reply(steps)
        }
        return (lines, script)
    }

    @Test func drainLetsARunningStreamEnd() async throws {
        let gate = Gate()
        let (lines, script) = try Self.drained(gate)
        try await Fixture.with(script) { fixture in
            var fixture = fixture
            fixture.settings.drainTimeout = .seconds(1_000)
            let results = Observed<[ResultLine]>([])
            let batch = try fixture.batch(lines)
            let run = Task { try await batch.run { results.append($0) } }
            await results.becomes { $0.contains { $0.id == "s/1" } }
            await fixture.server.waitForRequests(count: 2)
            let drain = Task { await batch.drain() }
            // The drain has begun when it has ended the polling.
            await results.becomes { $0.contains { $0.id == "p" } }
            gate.open()
            await drain.value
            _ = try await run.value
            let outcomes = Dictionary(uniqueKeysWithValues: results.value.map { ($0.id, $0.outcome) })
            #expect(
                outcomes == ["p": .cancelled, "s/1": .success, "s/2": .success, "s/3": .success, "s": .success])
            #expect(results.value.last { $0.id == "s" }?.items == 3)
        }
    }

    @Test func drainTimeoutPutsAStreamOff() async throws {
        let gate = Gate()
        let (lines, script) = try Self.drained(gate)
        try await Fixture.with(script) { fixture in
            var fixture = fixture
            fixture.settings.drainTimeout = .zero
            let results = Observed<[ResultLine]>([])
            let batch = try fixture.batch([lines[0]])
            let run = Task { try await batch.run { results.append($0) } }
            await results.becomes { $0.contains { $0.id == "s/1" } }
            await batch.drain()
            _ = try await run.value
            #expect(results.value.map(\.id) == ["s/1", "s"] && results.value.last?.outcome == .cancelled)
            gate.open()
            let again = try await fixture.results([lines[0]])
            #expect(Set(again.keys) == ["s", "s/1", "s/2", "s/3"] && again["s"]?.outcome == .success)
            #expect(fixture.requests(to: "/s").count == 2)
        }
    }

    @Test func streamsOfElementsAreNotReadAgain() async throws {
        try await Fixture.with(Self.script) { fixture in
            let lines = try Self.lines(
                #"{"id":"t","url":"list"}"#,
                #"{"id":"d","url":"d/${x}","stream":"lines","maxItems":2,"each":{"of":"t","as":"x"}}"#)
            for _ in 1...2 {
                let results = try await fixture.results(lines)
                #expect(Set(results.keys) == ["t", "d/1/1", "d/1/2", "d/1", "d/2/1", "d/2/2", "d/2", "d"])
                #expect(results.values.allSatisfy { $0.outcome == .success } && results["d"]?.succeeded == 2)
                #expect(results["d/2/2"]?.body == Self.texts[1] && results["d/2"]?.items == 2)
            }
            #expect(fixture.server.requests.count == 3)
        }
    }
}
