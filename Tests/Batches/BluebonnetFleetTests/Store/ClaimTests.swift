// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// Workers claim lines. Each line goes to one worker.
    @Suite struct ClaimTests {
        private typealias Fixture = StoreFixture

        private static func ids(_ lines: [ClaimedLine]) -> [String] { lines.map(\.id) }

        @Test func claimTakesTheMostUrgentLinesPerLane() async throws {
            let fixture = try await Fixture()
            var lines =
                (0..<6).map { Fixture.get("a\($0)", "http://a/") } + (0..<3).map { Fixture.get("b\($0)", "http://b/") }
            lines[4].priority = .veryHigh
            lines[5].priority = .high
            lines[0].priority = .veryLow
            try await fixture.fleet.submit(lines, named: "n")
            let store = try fixture.worker()
            let batch = try store.openBatch()
            let first = try store.claim(batch, .init(count: 10, countPerLane: 2, laneCounts: [:]), firstLane: 0)
            #expect(Self.ids(first) == ["a4", "a5", "b0", "b1"])
            #expect(first.first?.priority == .veryHigh && first.first?.lane == batch.lanes[0])
            #expect(Set(first.map(\.claim)).count == 1)
            let none = try store.claim(
                batch, .init(count: 10, countPerLane: 2, laneCounts: [0: 0, 1: 0]), firstLane: 0)
            #expect(none.isEmpty)
            let one = try store.claim(batch, .init(count: 10, countPerLane: 0, laneCounts: [0: 1]), firstLane: 0)
            #expect(Self.ids(one) == ["a1"])
            let rest = try store.claim(batch, .init(count: 3, countPerLane: 9, laneCounts: [:]), firstLane: 0)
            #expect(Self.ids(rest).count == 3)
            #expect(try Self.ids(store.claim(batch, 9)).count == 1)
            #expect(try store.claim(batch, 9).isEmpty && store.openBatches(known: [:]).isEmpty)
            #expect(try await fixture.number("SELECT count(*) FROM bluebonnet.claims") == 4)
            try await fixture.expectOrder()
        }

        @Test func concurrentClaimsNeverOverlap() async throws {
            let fixture = try await Fixture()
            let count = 600
            try await fixture.fleet.submit((0..<count).map { Fixture.get("\($0)", "http://h\($0 % 5)/") }, named: "n")
            let batch = try fixture.worker().openBatch()
            let (readyCount, start) = (Observed(0), Gate())
            let taken = try await onThreads(6) { _ in
                let store = try fixture.worker()
                var lines: [Int] = []
                readyCount.increment()
                if readyCount.value == 6 { start.open() }
                start.waitBlocking()
                while try !store.openBatches(known: [batch.number: batch]).isEmpty {
                    lines += try store.claim(
                        batch, .init(count: 7, countPerLane: 3, laneCounts: [:]), firstLane: 0
                    ).map(\.position)
                }
                return lines
            }
            #expect(taken.flatMap { $0 }.sorted() == Array(0..<count))
            #expect(taken.filter { !$0.isEmpty }.count > 1)
            try await fixture.expectOrder()
        }

        @Test func openBatchesHaveLinesAndTheMostUrgentIsFirst() async throws {
            let fixture = try await Fixture()
            for (name, priority) in [("low", -1), ("one", 3), ("two", 3), ("paused", 9), ("empty", 9)] {
                var settings = FleetSettings()
                settings.priority = priority
                let lines = name == "empty" ? [] : [Fixture.get("a")]
                try await fixture.fleet.submit(lines, named: name, settings: settings)
            }
            try await fixture.fleet.pause("paused")
            let store = try fixture.worker()
            let batches = try store.openBatches(known: [:])
            #expect(batches.map(\.name) == ["one", "two", "low"])
            let known = Dictionary(uniqueKeysWithValues: batches.map { ($0.number, $0) })
            #expect(try store.openBatches(known: known) == batches)
            #expect(try await fixture.fleet.batch(named: "empty").isComplete)
        }

        @Test func pausedOrCancelledBatchGivesNoLines() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit([Fixture.get("a"), Fixture.get("b")], named: "n")
            let store = try fixture.worker()
            let batch = try store.openBatch()
            try await fixture.fleet.pause("n")
            #expect(try store.claim(batch, 1).isEmpty)
            try await fixture.fleet.resume("n")
            #expect(try store.claim(batch, 1).count == 1)
            try await fixture.fleet.cancel("n")
            #expect(try store.claim(batch, 1).isEmpty)
        }

        @Test func claimLooksAtALimitedNumberOfLanes() async throws {
            let fixture = try await Fixture()
            let count = WorkerStore.laneLimit + 44
            try await fixture.fleet.submit((0..<count).map { Fixture.get("\($0)", "http://h\($0)/") }, named: "n")
            let store = try fixture.worker()
            let batch = try store.openBatch()
            let limits = WorkerStore.ClaimLimits(count: 1_000, countPerLane: 1, laneCounts: [:])
            #expect(try store.claim(batch, limits, firstLane: count - 10).count == 10)
            #expect(try store.claim(batch, limits, firstLane: 0).count == WorkerStore.laneLimit)
            #expect(try store.claim(batch, limits, firstLane: 0).count == 34)
        }

        @Test func linesCarryWhatAWorkerNeeds() async throws {
            let fixture = try await Fixture()
            var me = Fixture.post("me", "http://b/${login.body.id}", after: ["first"])
            me.priority = .low
            try await fixture.fleet.submit([Fixture.get("first"), Fixture.get("login"), me], named: "n")
            let store = try fixture.worker()
            let batch = try store.openBatch()
            #expect(batch.hasEdges)
            let sources = try store.claim(batch, 9)
            #expect(sources.map(\.isRead) == [false, true] && sources.allSatisfy { $0.needs.isEmpty })
            let endings = sources.map { line in
                LineEnding(
                    claim: line.claim, batch: line.batch, position: line.position, outcome: .success, byteCount: 1,
                    line: Data("{\"id\":\"\(line.id)\"}".utf8), body: line.isRead ? Data([0, 255]) : nil)
            }
            try store.record(endings, edgeBatches: [batch.number])
            let line = try #require(try store.claim(batch, 9).first)
            #expect(line.needs.sorted() == sources.map(\.position).sorted())
            #expect(line.priority == .low && line.kind == .unsafe && line.lossCount == 0 && line.needsMark)
            let parsed = try RequestLineParser().parse(line: line.text, number: 3)
            #expect(parsed?.line == me)
            let rows = try store.sources(batch.number, line.needs)
            #expect(rows.values.map(\.id) == ["login"], "only what is referred to is read")
            #expect(rows.values.first?.body == Data([0, 255]))
        }

        @Test func batchIsUnfinishedWhileLinesWaitOrAreClaimed() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit([Fixture.get("a"), Fixture.get("b", after: ["a"])], named: "n")
            let (store, other) = (try fixture.worker(), try fixture.worker("other"))
            func names(_ store: WorkerStore) throws -> [[String]] {
                let batches = try store.unfinishedBatches(known: [:])
                return [batches.open.map(\.name), batches.others.map(\.name)]
            }
            #expect(try names(store) == [["n"], []])
            let first = try other.claim(other.openBatch(), 1)
            #expect(try names(store) == [[], ["n"]], "one line is with a worker, the other one waits for it")
            try await fixture.fleet.pause("n")
            #expect(try names(store) == [[], ["n"]], "what a worker has goes on")
            try other.record(first, hasEdges: true)
            #expect(try names(store) == [[], []], "of a paused batch nothing comes")
            try await fixture.fleet.resume("n")
            #expect(try names(store) == [["n"], []])
            try other.record(other.claim(other.openBatch(), 1), hasEdges: true)
            #expect(try names(store) == [[], []], "it is complete")
        }
    }
}
