// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetHTTP
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// Outcomes are recorded once, and dependent lines continue.
    @Suite struct RecordTests {
        private typealias Fixture = StoreFixture

        @Test func repeatedOutcomeIsRecordedOnce() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit((0..<4).map { Fixture.get("\($0)") }, named: "n")
            let store = try fixture.worker()
            let lines = try store.claim(store.openBatch(), 4)
            for _ in 0..<3 { try store.record(Array(lines.prefix(2))) }
            try store.record([lines[1], lines[2]], .failure)
            var batch = try await fixture.fleet.batch(named: "n")
            #expect(batch.counts == [.success: 2, .failure: 1] && batch.byteCount == 3 && batch.claimedCount == 1)
            try store.record([lines[3]])
            #expect(try store.claims().isEmpty)
            try store.record(lines)
            batch = try await fixture.fleet.batch(named: "n")
            #expect(batch.counts == [.success: 3, .failure: 1] && batch.isComplete && !batch.isSuccess)
            #expect(try await fixture.fleet.members().map(\.endedCount) == [4])
            try await fixture.expectOrder()
        }

        @Test func reapedWorkerRecordsNothing() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit([Fixture.get("a"), Fixture.post("p")], named: "n")
            let (lost, other) = (try fixture.worker("lost"), try fixture.worker("other"))
            let lines = try lost.claim(lost.openBatch(), 2)
            #expect(try lost.mark(lines.filter { $0.kind == .unsafe }).count == 1)
            #expect(try other.reap(lost.worker, beat: 0))
            try lost.record(lines)
            #expect(try lost.mark(lines).isEmpty && lost.claims().isEmpty)
            #expect(try lost.beat(knownWorker: 0) == false)
            #expect(try await fixture.outcomes("n") == ["p": "unknown"])
            #expect(try await fixture.ids(in: "ready") == ["a"])
            try lost.giveBack(lines[0].claim, batch: lines[0].batch, lines.map(\.position))
            try await fixture.expectOrder()
            let batch = try other.openBatch()
            let error = #expect(throws: FleetError.self) { try lost.claim(batch, 1) }
            #expect(error?.isMissingReference == true)
            let again = try other.claim(batch, 2)
            #expect(again.map(\.id) == ["a"] && again.map(\.lossCount) == [1] && again[0].needsMark)
            #expect(again[0].claim > lines[0].claim)
        }

        @Test func unstorableOutcomeBecomesAFailure() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit([Fixture.get("a"), Fixture.get("b")], named: "n")
            let store = try fixture.worker()
            let lines = try store.claim(store.openBatch(), 2)
            let bad = LineEnding(
                claim: lines[0].claim, batch: lines[0].batch, position: lines[0].position, outcome: .success,
                byteCount: 9, line: Data("{\"id\":\"a\",\"outcome\":\"success\",\"x\":\"\0\"}".utf8), body: nil)
            var endings = [bad, Sample.ending(lines[1])]
            while !endings.isEmpty {
                endings.removeFirst(try store.recordAll(endings, edgeBatches: []).settledCount)
            }
            #expect(try await fixture.outcomes("n") == ["a": "failure", "b": "success"])
            let code = try await fixture.rows(
                "SELECT line::json -> 'error' ->> 'code' FROM bluebonnet.results WHERE outcome = 'failure'")
            #expect(code == [["bodyTooLarge"]])
        }

        @Test func outcomesOfOtherWorkersLinesAreSettledAndNotCounted() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit((0..<3).map { Fixture.get("\($0)") }, named: "n")
            let (lost, other) = (try fixture.worker("lost"), try fixture.worker("other"))
            let lines = try lost.claim(lost.openBatch(), 3)
            let first = try lost.recordAll([Sample.ending(lines[0])], edgeBatches: [])
            #expect(first == (1, 1))
            #expect(try other.reap(lost.worker, beat: 0))
            let again = try other.claim(other.openBatch(), 1)
            #expect(again.map(\.position) == [lines[1].position])
            #expect(try other.recordAll([Sample.ending(again[0], .failure)], edgeBatches: []) == (1, 1))
            // A call whose answer was lost has recorded the first outcome. The second line belongs to another worker,
            // the third to no worker.
            #expect(try lost.recordAll(lines.map { Sample.ending($0) }, edgeBatches: []) == (3, 1))
            #expect(try await fixture.fleet.batch(named: "n").counts == [.success: 1, .failure: 1])
        }

        // MARK: Dependencies

        /// `d` needs `c`, which needs `a` and `b`; `e` needs `a` alone.
        private static let diamond = [
            Fixture.get("a"), Fixture.get("b"), Fixture.get("c", after: ["a", "b"]), Fixture.get("d", after: ["c"]),
            Fixture.get("e", after: ["a"]),
        ]

        @Test func dependentBecomesReadyWhenAllHaveSucceeded() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit(Self.diamond, named: "n")
            let store = try fixture.worker()
            let lines = try store.claim(store.openBatch(), 9)
            #expect(Set(lines.map(\.id)) == ["a", "b"])
            let a = lines.filter { $0.id == "a" }
            try store.record(a, hasEdges: true)
            try store.record(a, hasEdges: true)
            #expect(try await fixture.ids(in: "ready") == ["e"])
            #expect(try await fixture.ids(in: "blocked") == ["c", "d"])
            try store.record(lines.filter { $0.id == "b" }, hasEdges: true)
            #expect(try await fixture.ids(in: "ready") == ["c", "e"])
            try await fixture.expectOrder()
        }

        @Test(arguments: [
            (ResultLine.Outcome.failure, "\"b\" failed"), (.cancelled, "\"b\" was cancelled"),
            (.unknown, "the outcome of \"b\" is unknown"),
        ])
        func allDependentsOfAnUnsuccessfulLineAreSkipped(
            outcome: ResultLine.Outcome, reason: String
        ) async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit(Self.diamond, named: "n")
            let store = try fixture.worker()
            let lines = try store.claim(store.openBatch(), 9)
            try store.record(lines.filter { $0.id == "b" }, outcome, hasEdges: true)
            #expect(try await fixture.outcomes("n") == ["b": outcome.rawValue, "c": "skipped", "d": "skipped"])
            try store.record(lines.filter { $0.id == "a" }, hasEdges: true)
            #expect(try await fixture.ids(in: "ready") == ["e"])
            let texts = try await fixture.rows("SELECT line FROM bluebonnet.results WHERE outcome = 'skipped'")
            for text in texts {
                let line = try JSONDecoder().decode(ResultLine.self, from: Data(text[0].utf8))
                #expect(line.outcome == .skipped && line.error?.code == .dependencyFailed)
                #expect(line.error?.message == "not started: \(reason)")
            }
            #expect(texts.count == 2)
            try await fixture.expectOrder()
        }

        @Test func resultIsKeptWhereTheEncodingLacksItsCharacters() async throws {
            let fixture = try await Fixture(encoding: "LATIN1")
            try await fixture.fleet.submit([Fixture.get("é"), Fixture.get("b", after: ["é"])], named: "n")
            let store = try fixture.worker()
            let line = try #require(store.claim(store.openBatch(), 1).first)
            var result = ResultLine(id: "é", outcome: .failure)
            result.error = ResultLine.Failure(code: .unacceptableStatus, message: "€ 😀")
            let ending = LineEnding(
                claim: line.claim, batch: line.batch, position: line.position, outcome: .failure, byteCount: 0,
                line: result.encodedLine().dropLast(), body: nil)
            // The second call repeats the first, as if its answer was lost.
            for _ in 0..<2 { #expect(try store.record([ending], edgeBatches: [line.batch]) == 1) }
            let texts = try await fixture.rows("SELECT line FROM bluebonnet.results ORDER BY position")
            let lines = try texts.map { try JSONDecoder().decode(ResultLine.self, from: Data($0[0].utf8)) }
            #expect(lines.map(\.id) == ["é", "b"])
            #expect(
                lines.map(\.error?.message) == [
                    "€ 😀", "not started: \"é\" failed with unacceptableStatus: € 😀",
                ])
        }

        @Test(arguments: [UInt64(1), 2])
        func twoWorkersRecordTheTwoDependenciesAtOnce(seed: UInt64) async throws {
            let fixture = try await Fixture()
            let count = 300
            let lines = (0..<count).flatMap { number in
                var (a, b) = (Fixture.get("a\(number)", "http://a/"), Fixture.get("b\(number)", "http://b/"))
                (a.priority, b.priority) = (.high, .high)
                return [
                    a, b, Fixture.get("c\(number)", after: ["a\(number)", "b\(number)"]),
                    Fixture.get("d\(number)", after: ["c\(number)", "a\((number + 1) % count)"]),
                ]
            }
            try await fixture.fleet.submit(lines, named: "n")
            // Each worker has one of the two dependencies. The workers record in groups, in opposite orders.
            _ = try await onThreads(2) { index in
                let store = try fixture.worker()
                let batch = try store.openBatch()
                let lane = try #require(batch.lanes.first { $0.value.hasPrefix("http://\(index == 0 ? "a" : "b")") })
                    .key
                let mine = try store.claim(
                    batch, .init(count: count, countPerLane: 0, laneCounts: [lane: count]), firstLane: 0)
                try #require(mine.count == count)
                var rest = index == 0 ? mine : mine.reversed()
                while !rest.isEmpty {
                    let group = Array(rest.prefix(3))
                    rest.removeFirst(group.count)
                    let outcomes = group.map { line in
                        Sample.ending(line, Self.fails(line.id, seed) ? .failure : .success)
                    }
                    try store.record(outcomes, edgeBatches: [batch.number])
                }
            }
            let outcomes = try await fixture.outcomes("n")
            let ready = try await fixture.ids(in: "ready")
            for number in 0..<count {
                let isBad = Self.fails("a\(number)", seed) || Self.fails("b\(number)", seed)
                #expect(outcomes["c\(number)"] == (isBad ? "skipped" : nil))
                #expect(ready.contains("c\(number)") == !isBad)
                let isLost = isBad || Self.fails("a\((number + 1) % count)", seed)
                #expect(outcomes["d\(number)"] == (isLost ? "skipped" : nil))
            }
            try await fixture.expectOrder()
        }

        private static func fails(_ id: String, _ seed: UInt64) -> Bool {
            guard let number = UInt64(id.dropFirst()) else { return false }
            return (number &* 7 &+ seed) % (id.hasPrefix("a") ? 5 : 4) == 0
        }

        // MARK: Lines given back

        @Test func unsentLinesWaitAgain() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit((0..<4).map { Fixture.get("\($0)") }, named: "n")
            let store = try fixture.worker()
            let batch = try store.openBatch()
            let lines = try store.claim(batch, 4)
            for _ in 0..<2 {
                try store.giveBack(lines[0].claim, batch: batch.number, [lines[0].position, lines[1].position])
            }
            #expect(try await fixture.ids(in: "ready") == ["0", "1"])
            try await fixture.expectOrder()
            // All lines of a claim that the worker does not know of.
            try store.giveBack(claim: lines[0].claim)
            #expect(try await fixture.ids(in: "ready").count == 4)
            #expect(try store.claims().isEmpty)
            try store.record(lines)
            #expect(try await fixture.outcomes("n").isEmpty)
            try await fixture.expectOrder()
        }

        @Test func linesReturnedToACancelledBatchAreCancelled() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit(Self.diamond, named: "n")
            let store = try fixture.worker()
            let batch = try store.openBatch()
            let lines = try store.claim(batch, 2)
            try await fixture.fleet.cancel("n")
            #expect(try store.cancelledBatches() == [batch.number])
            try store.giveBack(lines[0].claim, batch: batch.number, lines.map(\.position))
            let outcomes = try await fixture.outcomes("n")
            #expect(outcomes.count == 5 && outcomes.values.allSatisfy { $0 == "cancelled" })
            #expect(try await fixture.fleet.batch(named: "n").isComplete)
            try await fixture.expectOrder()
        }
    }
}
