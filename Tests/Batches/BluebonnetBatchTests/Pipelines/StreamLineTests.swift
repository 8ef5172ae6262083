// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetBatch

/// Lines whose responses are read while they arrive.
@Suite(.timeLimit(.minutes(1))) struct StreamLineTests {
    private static let fields: WireFields = ["Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"]
    /// A line that is not UTF-8, and a line of text.
    private static let bytes = Data([0x61, 0xFF, 0xFE, 0x62, 0x0D, 0x0A] as [UInt8]) + Data("{\"n\":1}\n".utf8)
    private static let script: TestServer.Script = { request in
        let events = ["data: {\"n\":1}\n\n", "id: 7\nevent: delta\ndata: {\"n\":2}\n\n"].map { Data($0.utf8) }
        let head = Reply.Step.head(status: 200, fields: fields)
        switch request.path {
        case "/events": return Reply([head] + events.map { .chunk($0) } + [.trailers([:])])
        case "/cut": return Reply([head] + events.map { .chunk($0) } + [.reset])
        case "/endless": return Reply([head] + events.map { .chunk($0) } + [.stall])
        case "/lines": return .response(body: "{\"n\":1}\n{\"n\":2}\n{\"n\":3}")
        case "/bytes": return .response(body: bytes)
        case "/refused": return .response(status: 403, body: "no")
        default: return .response(body: "[4,5]")
        }
    }

    /// Runs lines, and returns their results in the order in which they were delivered.
    private static func run(
        _ texts: [String], bodyForm: RequestLineRunner.BodyForm = .text
    ) async throws -> [ResultLine] {
        let server = try await TestServer.start(script)
        let results = Observed<[ResultLine]>([])
        var settings = RequestLineRunner.Settings()
        settings.baseURL = server.url("/")
        settings.bodyForm = bodyForm
        let lines = try RequestLineParser().parse(file: Data(texts.joined(separator: "\n").utf8))
        let listed = ListedLines(try RequestLineGraph(lines).nodesInDependencyOrder)
        let schedule = listed.schedule(settings.scheduleLimits)
        let run = WindowedRun(settings: settings, lines: listed, schedule: schedule) { result in
            results.update { $0.append(result) }
        }
        run.begin()
        try await run.finish()
        await server.stop()
        return results.value
    }

    @Test func eachEventHasAResultBeforeTheLine() async throws {
        let results = try await Self.run([
            #"{"id":"a","url":"events","method":"POST","text":"?","stream":"events","extract":{"n":"$.n"}}"#
        ])
        #expect(results.map(\.id) == ["a/1", "a/2", "a"])
        #expect(results.map(\.item) == [1, 2, nil] && results.last?.items == 2)
        #expect(results.map(\.values) == [["n": 1], ["n": 2], nil])
        #expect(results[1].event == ResultLine.Event(id: "7", event: "delta", data: "{\"n\":2}"))
        #expect(results.allSatisfy { $0.outcome == .success } && results.last?.status == 200)
    }

    @Test func itemsAreNoLinesOfTheProgress() async throws {
        let gate = Gate()
        let chunks = [Reply.Step.chunk(Data("data: 1\n\n".utf8)), .chunk(Data("data: 2\n\n".utf8))]
        try await TestServer.serving { _ in
            Reply([.head(status: 200, fields: Self.fields)] + chunks + [.wait(until: gate), .trailers([:])])
        } _: { server in
            var settings = RequestLineRunner.Settings()
            settings.baseURL = server.url("/")
            let text = Data(#"{"id":"s","url":"s","stream":"events"}"#.utf8)
            let listed = ListedLines(
                try RequestLineGraph(RequestLineParser().parse(file: text)).nodesInDependencyOrder)
            let results = Observed<[ResultLine]>([])
            let run = WindowedRun(
                settings: settings, lines: listed, schedule: listed.schedule(settings.scheduleLimits)
            ) { results.append($0) }
            run.begin()
            await results.becomes { $0.count == 2 }
            let progress = run.snapshot(largest: 0)
            #expect(progress.totalCount == 1 && progress.finishedCount == 0)
            gate.open()
            try await run.finish()
            let end = run.snapshot(largest: 0)
            #expect(results.value.count == 3 && end.totalCount == 1 && end.successCount == 1)
        }
    }

    @Test func eachLineHasAResult() async throws {
        let results = try await Self.run([#"{"id":"l","url":"lines","stream":"lines","maxItems":2}"#])
        #expect(results.map(\.id) == ["l/1", "l/2", "l"])
        #expect(results.map(\.body) == ["{\"n\":1}", "{\"n\":2}", nil])
        #expect(results.last?.outcome == .success && results.last?.items == 2)
    }

    /// The base64 texts are of the bytes 61 FF FE 62, and of `{"n":1}`.
    private static let lineBodies: [(RequestLineRunner.BodyForm, [String?])] = [
        (.none, [nil, nil]), (.text, [nil, "{\"n\":1}"]), (.base64, ["Yf/+Yg==", "eyJuIjoxfQ=="]),
    ]

    @Test(arguments: lineBodies)
    func bodiesOfLinesHaveTheFormOfTheRun(form: RequestLineRunner.BodyForm, bodies: [String?]) async throws {
        let results = try await Self.run([#"{"id":"l","url":"bytes","stream":"lines"}"#], bodyForm: form)
        #expect(results.map(\.id) == ["l/1", "l/2", "l"])
        #expect(results.prefix(2).map(\.body) == bodies && results.allSatisfy { $0.outcome == .success })
    }

    private static let eventMembers: [(RequestLineRunner.BodyForm, String)] = [
        (.none, ""), (.text, #","data":"{\"n\":1}""#), (.base64, #","data":"eyJuIjoxfQ==""#),
    ]

    @Test(arguments: eventMembers)
    func dataOfEventsHasTheFormOfTheRun(form: RequestLineRunner.BodyForm, member: String) async throws {
        let results = try await Self.run(
            [#"{"id":"a","url":"events","stream":"events","extract":{"n":"$.n"}}"#], bodyForm: form)
        let first = try #require(results.first)
        let line = first.encodedLine()
        let event = #""event":{"id":"","event":"message"\#(member)}"#
        #expect(String(decoding: line, as: UTF8.self).contains(event))
        #expect(try JSONDecoder().decode(ResultLine.self, from: line) == first && first.values == ["n": 1])
    }

    @Test func endlessStreamEndsAfterItsItems() async throws {
        let results = try await Self.run([#"{"id":"e","url":"endless","stream":"events","maxItems":1}"#])
        #expect(results.map(\.outcome) == [.success, .success] && results.last?.items == 1)
    }

    @Test func cutStreamIsAFailure() async throws {
        let results = try await Self.run([#"{"id":"c","url":"cut","stream":"events"}"#])
        #expect(results.map(\.outcome) == [.success, .success, .failure])
        let error = try #require(results.last?.error)
        #expect(error.code == .streamFailed && error.message.hasPrefix("the stream was cut after 2 items: "))
        #expect(error.underlying?.hasPrefix("connectionLost") == true)
    }

    @Test func itemWhoseAssertionFailsFailsTheLine() async throws {
        let results = try await Self.run([
            #"{"id":"l","url":"lines","stream":"lines","assert":[{"path":"$.n","notEquals":2}]}"#
        ])
        #expect(results.map(\.outcome) == [.success, .failure, .success, .failure])
        #expect(results.last?.error?.code == .assertionFailed)
        #expect(results.last?.error?.message.hasPrefix("1 of 3 items failed, at first l/2: ") == true)
    }

    @Test func refusedStatusHasNoItems() async throws {
        let results = try await Self.run([#"{"id":"r","url":"refused","stream":"lines"}"#])
        #expect(results.count == 1 && results[0].error?.code == .unacceptableStatus && results[0].items == 0)
    }

    @Test func streamOfEachElementIsRead() async throws {
        let results = try await Self.run([
            #"{"id":"d","url":"lines?${x}","stream":"lines","maxItems":1,"each":{"of":"t","as":"x"}}"#,
            #"{"id":"t","url":"list"}"#,
        ])
        #expect(Set(results.map(\.id)) == ["t", "d/1/1", "d/1", "d/2/1", "d/2", "d"])
        #expect(results.last { $0.id == "d" }?.succeeded == 2)
    }

    @Test(arguments: [
        (#""stream":"x""#, "expected \"events\" or \"lines\", found \"x\""), (#""maxItems":3"#, "needs \"stream\""),
        (#""stream":"lines","maxItems":0"#, "1"), (#""stream":"lines","output":"f""#, "cannot have it"),
        (#""stream":"lines","paginate":{"next":"link"}"#, "cannot have it"),
        (#""stream":"lines","extract":{"a":"$.a"},"rows":"$[*]""#, "each item is a row"),
        (
            #""stream":"lines","expect":{"sha256":"\#(String(repeating: "a", count: 64))"}"#,
            "field \"expect.sha256\": a line with \"stream\" cannot have it"
        ),
    ]) func contradictionsAreRefused(fields: String, reason: String) throws {
        let error = #expect(throws: RequestLineErrors.self) {
            try RequestLineParser().parse(file: Data(#"{"id":"a","url":"x",\#(fields)}"#.utf8))
        }
        #expect("\(try #require(error))".contains(reason))
    }
}
