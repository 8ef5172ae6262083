// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetJournal
import BluebonnetTestServer
import Foundation
import Testing

/// Pages and elements of batches that run, lose their journal, and continue.
@Suite(.serialized, .timeLimit(.minutes(1))) struct DurablePipelineTests {
    private typealias Fixture = BatchFixture

    /// Three pages of two items, and a resource for each item.
    private static let script: TestServer.Script = { request in
        let page = Int(request.query?.split(separator: "=").last ?? "") ?? 1
        switch request.path {
        case "/list":
            let link: WireFields = page < 3 ? ["Link": "</list?page=\(page + 1)>; rel=next"] : [:]
            return .response(headers: link, body: #"[{"id":\#(page)1},{"id":\#(page)2}]"#)
        case "/make/22" where request.headers["X-Fails"] != nil: return .response(status: 500, body: "")
        default: return .response(body: #"{"path":"\#(request.path)"}"#)
        }
    }

    private static func lines(_ members: String = "") throws -> [RequestLine] {
        let texts = [
            #"{"id":"list","url":"list","paginate":{"next":"link"}}"#,
            #"""
            {"id":"make","method":"POST","url":"make/${i.id}","text":"x","each":{"of":"list","as":"i","key":"$.id"},
            """#
                + #""extract":{"p":"$.path"}\#(members)}"#,
            #"{"id":"end","method":"POST","url":"end","text":"${list.items}","after":["make"]}"#,
        ]
        return try texts.compactMap { try RequestLineParser().parse(line: Data($0.utf8), number: 1)?.line }
    }

    private static let ids = Set(
        ["list", "list/1", "list/2", "list/3", "make", "end"] + [11, 12, 21, 22, 31, 32].map { "make/\($0)" })

    @Test func secondRunFindsPagesAndElementsAndSendsNothing() async throws {
        try await Fixture.with(Self.script) { fixture in
            let first = try await fixture.results(try Self.lines())
            #expect(Set(first.keys) == Self.ids && first.values.allSatisfy { $0.outcome == .success })
            #expect(fixture.server.requests.count == 10)
            let again = try await fixture.results(try Self.lines())
            /// Without header fields, whose order is lost when a result is decoded.
            func texts(_ results: [String: ResultLine]) -> [String] {
                results.values.map { result in
                    var shown = result
                    shown.headers = nil
                    return String(decoding: shown.encodedLine(), as: UTF8.self)
                }.sorted()
            }
            for (one, other) in zip(texts(again), texts(first)) { #expect(one == other) }
            #expect(again["make/31"]?.values == ["p": "/make/31"] && fixture.server.requests.count == 10)
        }
    }

    @Test(arguments: ["list/1", "list/3", "list", "make/11", "make/32", "make", "end"])
    func runThatLostItsJournalIsContinued(id: String) async throws {
        try await Fixture.with(Self.script) { fixture in
            let dying = DyingStore(fixture.place.journal, atEndOf: id)
            _ = try await fixture.results(try Self.lines(), in: dying)
            let again = try await fixture.results(try Self.lines())
            #expect(Set(again.keys) == Self.ids)
            for path in ["/end"] + [11, 12, 21, 22, 31, 32].map({ "/make/\($0)" }) {
                let outcome = again[String(path.dropFirst())]?.outcome
                let count = fixture.requests(to: path).count
                // An element that was sent, and whose end is lost, is in doubt. Its dependents are skipped.
                #expect(count <= 1 && (outcome != .success || count == 1), "\(path)")
                #expect(outcome == .success || outcome == .unknown || path == "/end" && outcome == .skipped, "\(path)")
            }
            #expect(again["list"]?.pages == 3 && again["list"]?.items == 6)
        }
    }

    @Test func elementInDoubtMakesItsLineUnknown() async throws {
        try await Fixture.with(Self.script) { fixture in
            let store = fixture.place.journal
            let batch = try fixture.batch(try Self.lines(), in: DyingStore(store, atEndOf: "list/1"))
            _ = try? await batch.run { _ in }
            _ = try store.open(try store.summary().batch, isRestarted: false)
            try store.record([JournalRecord(position: 1, id: "make/21", state: .mayHaveBeenSent, isPart: true)])
            try store.close()
            let again = try await fixture.results(try Self.lines())
            #expect(again["make/21"]?.outcome == .unknown && again["make/21"]?.error?.code == .mayHaveBeenSent)
            #expect(again["make"]?.outcome == .unknown && again["end"]?.outcome == .skipped)
            #expect(fixture.requests(to: "/make/21").isEmpty && again["make/31"]?.outcome == .success)
        }
    }

    @Test func failedElementRunsAgainIfAsked() async throws {
        try await Fixture.with(Self.script) { fixture in
            let failing = try Self.lines(#","headers":{"X-Fails":"1"}"#)
            let first = try await fixture.results(failing)
            #expect(first["make/22"]?.outcome == .failure && first["make"]?.outcome == .failure)
            #expect(first["make"]?.succeeded == 5 && first["end"]?.outcome == .skipped)
            _ = try await fixture.results(failing)
            #expect(fixture.requests(to: "/make/22").count == 1)
            var options = DurableBatch.Options()
            options.retriesFailedLines = true
            _ = try await fixture.results(failing, options: options)
            #expect(fixture.requests(to: "/make/22").count == 2 && fixture.requests(to: "/make/21").count == 1)
            #expect(fixture.requests(to: "/list").count == 3)
        }
    }

    @Test func automaticKeyOfAnElementStaysTheSame() async throws {
        try await Fixture.with(Self.script) { fixture in
            let lines = try Self.lines(#","idempotencyKey":true"#)
            _ = try await fixture.results(lines, in: DyingStore(fixture.place.journal, atEndOf: "make/11"))
            let again = try await fixture.results(lines)
            #expect(again.values.allSatisfy { $0.outcome == .success })
            let requests = fixture.server.requests.filter { $0.path.hasPrefix("/make/") }
            let keys = Dictionary(grouping: requests, by: \.path).mapValues { requests in
                Set(requests.compactMap { $0.headers["Idempotency-Key"] })
            }
            #expect(keys.count == 6 && keys.values.allSatisfy { $0.count == 1 })
            #expect(Set(keys.values.flatMap(\.self)).count == 6)
        }
    }
}
