// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// Pause, resume, cancel and retry of whole batches.
    @Suite struct BatchControlTests {
        private typealias Fixture = StoreFixture

        /// Records every ready line with the outcome given for its id, until no line is ready.
        private static func work(_ fixture: Fixture, _ outcomes: [String: ResultLine.Outcome]) throws {
            let store = try fixture.worker()
            while let batch = try store.openBatches(known: [:]).first {
                for line in try store.claim(batch, 9) {
                    try store.record([line], outcomes[line.id] ?? .success, hasEdges: true)
                }
            }
            try store.leave()
        }

        @Test func pausedBatchGivesNoLinesAndKeepsClaimedOnes() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit([Fixture.get("a"), Fixture.get("b")], named: "n")
            let store = try fixture.worker()
            let lines = try store.claim(store.openBatch(), 1)
            for _ in 0..<2 { try await fixture.fleet.pause("n") }
            #expect(try store.openBatches(known: [:]).isEmpty)
            try store.record(lines)
            var batch = try await fixture.fleet.batch(named: "n")
            #expect(batch.state == .paused && batch.endedCount == 1 && batch.waitingCount == 1 && !batch.isComplete)
            for _ in 0..<2 { try await fixture.fleet.resume("n") }
            try store.record(store.claim(store.openBatch(), 1))
            batch = try await fixture.fleet.batch(named: "n")
            #expect(batch.state == .open && batch.isSuccess)
        }

        @Test func cancelledBatchHasAResultForEachUnclaimedLine() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit(
                [Fixture.get("a"), Fixture.get("b"), Fixture.get("c", after: ["b"]), Fixture.get("d", after: ["a"])],
                named: "n")
            let store = try fixture.worker()
            let lines = try store.claim(store.openBatch(), 1)
            for _ in 0..<2 { try await fixture.fleet.cancel("n") }
            #expect(try await fixture.outcomes("n") == ["b": "cancelled", "c": "cancelled", "d": "cancelled"])
            var batch = try await fixture.fleet.batch(named: "n")
            #expect(batch.state == .cancelled && batch.claimedCount == 1 && !batch.isComplete)
            try store.record(lines, hasEdges: true)
            batch = try await fixture.fleet.batch(named: "n")
            #expect(batch.counts == [.success: 1, .cancelled: 3] && batch.isComplete)
            try await fixture.expectOrder()
            let pause = FleetError(.notPossible, "the batch n was cancelled: it cannot be paused")
            await #expect(throws: pause) { try await fixture.fleet.pause("n") }
            let resume = FleetError(
                .notPossible, "the batch n was cancelled: use retry-failed to run its cancelled lines")
            await #expect(throws: resume) { try await fixture.fleet.resume("n") }
        }

        @Test func retryRunsFailedCancelledAndSkippedLinesAgain() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit(
                [
                    Fixture.get("good"), Fixture.get("bad"), Fixture.get("gone"),
                    Fixture.get("child", after: ["bad", "good"]), Fixture.get("grandchild", after: ["child", "good"]),
                ], named: "n")
            try Self.work(fixture, ["bad": .failure, "gone": .cancelled])
            #expect(
                try await fixture.fleet.batch(named: "n").counts == [
                    .success: 1, .failure: 1, .cancelled: 1, .skipped: 2,
                ])
            #expect(try await fixture.fleet.retryFailed("n") == 4)
            #expect(try await fixture.ids(in: "ready") == ["bad", "gone"])
            let missing = try await fixture.rows(
                "SELECT id, missing FROM bluebonnet.blocked JOIN bluebonnet.lines USING (batch, position) ORDER BY id")
            #expect(missing == [["child", "1"], ["grandchild", "1"]], "what has succeeded is not waited for")
            let batch = try await fixture.fleet.batch(named: "n")
            #expect(batch.counts == [.success: 1] && batch.waitingCount == 4)
            try await fixture.expectOrder()
            try Self.work(fixture, [:])
            #expect(try await fixture.fleet.batch(named: "n").isSuccess)
            #expect(try await fixture.fleet.retryFailed("n") == 0)
            try await fixture.expectOrder()
        }

        @Test func retryReopensACancelledBatch() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit([Fixture.get("a"), Fixture.get("b", after: ["a"])], named: "n")
            try await fixture.fleet.cancel("n")
            #expect(try await fixture.fleet.retryFailed("n") == 2)
            try Self.work(fixture, [:])
            let batch = try await fixture.fleet.batch(named: "n")
            #expect(batch.state == .open && batch.isSuccess)
        }

        @Test func retrySkipsUnknownLinesAndTheirDependentsByDefault() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit(
                [
                    Fixture.post("doubt"), Fixture.get("bad"), Fixture.get("child", after: ["doubt", "bad"]),
                    Fixture.get("grandchild", after: ["child"]), Fixture.get("other", after: ["bad"]),
                ], named: "n")
            try Self.work(fixture, ["doubt": .unknown, "bad": .failure])
            #expect(try await fixture.fleet.retryFailed("n") == 2)
            #expect(try await fixture.ids(in: "ready") == ["bad"])
            #expect(try await fixture.ids(in: "blocked") == ["other"])
            try Self.work(fixture, [:])
            var batch = try await fixture.fleet.batch(named: "n")
            #expect(batch.counts == [.success: 2, .unknown: 1, .skipped: 2] && batch.isComplete)
            #expect(try await fixture.fleet.retryFailed("n") == 0)
            #expect(try await fixture.fleet.retryFailed("n", includesUnknown: true) == 3)
            try Self.work(fixture, [:])
            batch = try await fixture.fleet.batch(named: "n")
            #expect(batch.isSuccess)
            try await fixture.expectOrder()
        }

        /// Workers claim, record and give back lines while `control` pauses, resumes, cancels or retries the batch.
        private static func race(
            _ fixture: Fixture, _ count: Int, _ control: @escaping @Sendable (Fleet) async throws -> Void
        ) async throws {
            let lines = (0..<count).map { number in
                Fixture.get(
                    "\(number)", "http://h\(number % 3)/",
                    after: number % 4 == 3 ? ["\(number - 1)", "\(number - 2)"] : [])
            }
            try await fixture.fleet.submit(lines, named: "n")
            let isStopped = Observed(false)
            let hasBegun = Gate()
            async let workers: [Void] = onThreads(3) { index in
                let store = try fixture.worker()
                var batch: OpenBatch?
                while !isStopped.value {
                    guard let open = try store.openBatches(known: [:]).first ?? batch else { continue }
                    batch = open
                    let lines = try store.claim(open, .init(count: 5, countPerLane: 2, laneCounts: [:]), firstLane: 0)
                    guard !lines.isEmpty else { continue }
                    if lines.count % 2 == 0 {
                        try store.giveBack(lines[0].claim, batch: open.number, [lines[0].position])
                    }
                    try store.record(lines, (lines[0].position + index) % 7 == 0 ? .failure : .success, hasEdges: true)
                    hasBegun.open()
                }
            }
            await hasBegun.wait()
            try await control(fixture.fleet)
            try await becomes(true) { try await fixture.fleet.batch(named: "n").isComplete }
            isStopped.update { $0 = true }
            _ = try await workers
            try await fixture.expectOrder()
            #expect(try await fixture.number("SELECT count(*) FROM bluebonnet.results") == count)
        }

        @Test(arguments: 1...5)
        func cancelDuringClaimsAndRecordsLeavesOneResultPerLine(round: Int) async throws {
            try await Self.race(StoreFixture(), 400) { try await $0.cancel("n") }
        }

        @Test func controlsDuringClaimsAndRecordsLeaveOneResultPerLine() async throws {
            try await Self.race(StoreFixture(), 300) { fleet in
                for _ in 0..<5 {
                    try await fleet.pause("n")
                    try await fleet.resume("n")
                    _ = try await fleet.retryFailed("n")
                    try await fleet.cancel("n")
                    _ = try await fleet.retryFailed("n")
                }
            }
        }
    }
}
