// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// Failures of a batch in groups, and retries of some of them.
    @Suite struct FleetFailuresTests {
        private typealias Fixture = FleetFixture

        private static func ids(_ fixture: Fixture, where condition: ResultCondition? = nil) async throws -> [String] {
            var ids: [String] = []
            for try await line in fixture.store.fleet.failedResults(of: "n", where: condition) {
                ids.append(try JSONDecoder().decode(ResultLine.self, from: line).id)
            }
            return ids
        }

        @Test func failuresAreGroupedByCodeStatusAndOrigin() async throws {
            try await Fixture.with { request in
                switch request.path {
                case "/ok": .response(body: "")
                case "/gone": .response(status: 404, body: "")
                default: .response(status: 500, body: "")
                }
            } _: { fixture in
                try await fixture.submit([
                    StoreFixture.get("ok", "ok"), StoreFixture.get("f1", "f1"), StoreFixture.get("f2", "f2"),
                    StoreFixture.get("gone", "gone"), StoreFixture.get("f3", "f3"),
                    StoreFixture.get("e", "e?x=${env:BLUEBONNET_TESTS_HAVE_NO_SUCH_VARIABLE}"),
                    StoreFixture.get("late", "late", after: ["f1"]),
                ])
                try await fixture.run(fixture.worker())
                let fleet = fixture.store.fleet
                let codes = try await fleet.failures(of: "n", sampleLimit: 2)
                #expect(codes.map(\.code) == ["unacceptableStatus", "unresolvedReference"])
                #expect(codes.map(\.count) == [4, 1] && codes.allSatisfy { $0.status == nil && $0.origin == nil })
                #expect(codes.map { $0.samples.map(\.id) } == [["f1", "f2"], ["e"]])
                #expect(codes[1].samples[0].message.contains("BLUEBONNET_TESTS_HAVE_NO_SUCH_VARIABLE"))
                let both = try await fleet.failures(of: "n", by: [.code, .status])
                #expect(both.map(\.status) == [500, 404, nil] && both.map(\.count) == [3, 1, 1])
                let origins = try await fleet.failures(of: "n", by: [.origin], where: ResultCondition("@.status"))
                #expect(origins.map(\.count) == [4])
                #expect(origins.map(\.origin) == [try await fleet.origins(ofBatch: "n").first?.origin])
                #expect(try await Self.ids(fixture) == ["f1", "f2", "gone", "f3", "e"])
                #expect(try await Self.ids(fixture, where: ResultCondition("@.status == 404")) == ["gone"])
                let nothing = FleetError.noBatch("m")
                await #expect(throws: nothing) { try await fleet.failures(of: "m") }
            }
        }

        @Test func failuresOfManyPagesAreReadOnce() async throws {
            try await Fixture.with { _ in
                .response(status: 500, body: "")
            } _: { fixture in
                try await fixture.submit((0..<2_500).map { StoreFixture.get("\($0)", "x") })
                try await fixture.run(fixture.worker(concurrency: 64))
                #expect(try await fixture.store.fleet.failures(of: "n").map(\.count) == [2_500])
                #expect(try await Self.ids(fixture) == (0..<2_500).map(String.init))
            }
        }

        // MARK: Retries

        @Test func chosenLinesRunAgainWithTheLinesTheySkipped() async throws {
            let isMended = Observed<Set<String>>([])
            try await Fixture.with { request in
                switch request.path {
                case "/a" where !isMended.value.contains("a"): .response(status: 500, body: "")
                case "/b" where !isMended.value.contains("b"): .response(status: 404, body: "")
                default: .response(body: "")
                }
            } _: { fixture in
                try await fixture.submit([
                    StoreFixture.get("a", "a"), StoreFixture.get("b", "b"), StoreFixture.get("c", "c", after: ["a"]),
                    StoreFixture.get("d", "d", after: ["b"]), StoreFixture.get("e", "e", after: ["a", "b"]),
                    StoreFixture.get("f", "f", after: ["c"]),
                ])
                try await fixture.run(fixture.worker())
                isMended.update { $0 = ["a"] }
                let fleet = fixture.store.fleet
                #expect(try await fleet.retryFailed("n", where: ResultCondition("@.status == 503")) == 0)
                #expect(try await fleet.retryFailed("n", where: ResultCondition("@.status == 500")) == 3)
                try await fixture.store.expectOrder()
                try await fixture.run(fixture.worker())
                #expect(
                    try await fixture.store.outcomes("n") == [
                        "a": "success", "b": "failure", "c": "success", "d": "skipped", "e": "skipped",
                        "f": "success",
                    ])
                isMended.update { $0.insert("b") }
                #expect(try await fleet.retryFailed("n", where: ResultCondition(codes: ["unacceptableStatus"])) == 3)
                try await fixture.run(fixture.worker())
                #expect(try await fixture.batch().isSuccess)
                #expect(fixture.requests(to: "/a").count == 2 && fixture.requests(to: "/c").count == 1)
                try await fixture.store.expectOrder()
            }
        }

        @Test func chosenElementRunsAgainWithItsLineAndTheLinesAfterIt() async throws {
            let isMended = Observed(false)
            try await Fixture.with { request in
                switch request.path {
                case "/list": .response(body: #"[{"id":"a"},{"id":"b"},{"id":"c"}]"#)
                case "/make/b" where !isMended.value: .response(status: 500, body: "")
                default: .response(body: "{}")
                }
            } _: { fixture in
                try await fixture.submit([
                    #"{"id":"list","url":"list"}"#,
                    #"{"id":"make","method":"POST","url":"make/${t.id}","each":{"of":"list","as":"t","key":"$.id"}}"#,
                    #"{"id":"end","url":"end","after":["make"]}"#,
                ])
                try await fixture.run(fixture.worker("one"), fixture.worker("two"))
                #expect(try await fixture.store.outcomes("n")["end"] == "skipped")
                isMended.update { $0 = true }
                let count = try await fixture.store.fleet.retryFailed("n", where: ResultCondition("@.status == 500"))
                #expect(count == 3)
                try await fixture.run(fixture.worker("one"), fixture.worker("two"))
                #expect(try await fixture.batch().isSuccess)
                #expect(fixture.counts("POST") == ["/make/a": 1, "/make/b": 2, "/make/c": 1])
                #expect(fixture.requests(to: "/end").count == 1)
                try await fixture.store.expectOrder()
            }
        }
    }
}
