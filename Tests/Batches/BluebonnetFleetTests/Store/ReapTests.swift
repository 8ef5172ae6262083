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
    /// The fate of a lost worker's lines.
    @Suite struct ReapTests {
        private typealias Fixture = StoreFixture

        /// A worker claims the lines, marks the given ones, and is lost.
        private static func lose(_ fixture: Fixture, marking ids: Set<String>) throws {
            let (lost, other) = (try fixture.worker("lost"), try fixture.worker("other"))
            let lines = try lost.claim(lost.openBatch(), 99)
            let marked = lines.filter { ids.contains($0.id) }
            if !marked.isEmpty { _ = try lost.mark(marked) }
            #expect(try other.reap(lost.worker, beat: 0))
            try other.leave()
        }

        /// Lines of each kind: safe, unsafe, repeatable.
        private static let lines: [RequestLine] = {
            var key = Fixture.post("key")
            key.idempotencyKey = .automatic
            return [Fixture.get("safe"), Fixture.post("unsafe"), key]
        }()

        @Test func fateDependsOnTheKindOfLine() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit(Self.lines + [Fixture.post("unsent")], named: "n")
            try Self.lose(fixture, marking: ["unsafe", "key"])
            #expect(try await fixture.outcomes("n") == ["unsafe": "unknown"])
            #expect(try await fixture.ids(in: "ready") == ["safe", "key", "unsent"])
            let losses = try await fixture.rows(
                "SELECT id, count FROM bluebonnet.losses JOIN bluebonnet.lines USING (batch, position) ORDER BY id")
            #expect(losses == [["key", "1"], ["safe", "1"], ["unsafe", "1"]])
            #expect(try await fixture.fleet.members().isEmpty)
            let text = try #require(try await fixture.rows("SELECT line FROM bluebonnet.results").first?.first)
            let line = try JSONDecoder().decode(ResultLine.self, from: Data(text.utf8))
            #expect(line.id == "unsafe" && line.error?.code == .mayHaveBeenSent && line.attempts == 0)
            #expect(line.error?.message.hasPrefix("the worker was lost and may have sent the request") == true)
            try await fixture.expectOrder()
        }

        @Test func lineFailsAfterThreeLostWorkers() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit(
                [Self.lines[0], Self.lines[2], Fixture.get("after", after: ["safe"])], named: "n")
            for round in 1...3 {
                try Self.lose(fixture, marking: round == 1 ? ["key"] : ["key", "safe"])
                #expect(try await fixture.outcomes("n").isEmpty == (round < 3))
            }
            // The safe line is under suspicion after its first loss, which had no mark. It has lost three workers as
            // well.
            #expect(
                try await fixture.outcomes("n") == ["key": "failure", "safe": "failure", "after": "skipped"])
            let codes = try await fixture.rows(
                "SELECT DISTINCT line::json -> 'error' ->> 'code' FROM bluebonnet.results WHERE outcome = 'failure'")
            #expect(codes == [["workerLost"]])
            try await fixture.expectOrder()
        }

        @Test func retryResetsTheLossCount() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit([Self.lines[2]], named: "n")
            for _ in 1...3 { try Self.lose(fixture, marking: ["key"]) }
            #expect(try await fixture.fleet.retryFailed("n") == 1)
            let store = try fixture.worker()
            #expect(try store.claim(store.openBatch(), 1).map(\.lossCount) == [0])
        }

        @Test func workerWithANewSignIsNotLost() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit(Self.lines, named: "n")
            let (one, other) = (try fixture.worker("one"), try fixture.worker("other"))
            let lines = try one.claim(one.openBatch(), 9)
            #expect(try one.beat(knownWorker: other.worker))
            #expect(try other.reap(one.worker, beat: 0) == false)
            #expect(try other.reap(other.worker + 100, beat: 0) == false)
            let signs = try one.workers()
            #expect(signs.map(\.number) == [one.worker, other.worker] && signs.map(\.beat) == [1, 0])
            #expect(signs.map(\.knownWorker) == [other.worker, other.worker], "a new worker counts those before it")
            try one.record(lines)
            #expect(try await fixture.outcomes("n").count == 3)
        }

        @Test func lostWorkerIsReapedByExactlyOneWorker() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit((0..<200).map { Fixture.post("\($0)") }, named: "n")
            let lost = try fixture.worker("lost").worker
            let connection = try fixture.connect()
            let store = WorkerStore(connection: connection, worker: lost)
            let lines = try store.claim(store.openBatch(), 200)
            _ = try store.mark(lines.filter { $0.position % 2 == 0 })
            let reaped = try await onThreads(4) { try fixture.worker("\($0)").reap(lost, beat: 0) }
            #expect(reaped.filter { $0 }.count == 1)
            #expect(try await fixture.fleet.batch(named: "n").counts == [.unknown: 100])
            #expect(try await fixture.ids(in: "ready").count == 100)
            try await fixture.expectOrder()
        }

        @Test func lostLinesOfACancelledBatchAreCancelled() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit(Self.lines, named: "n")
            let (lost, other) = (try fixture.worker("lost"), try fixture.worker("other"))
            let lines = try lost.claim(lost.openBatch(), 9)
            _ = try lost.mark(lines.filter { $0.id == "unsafe" })
            try await fixture.fleet.cancel("n")
            #expect(try other.reap(lost.worker, beat: 0))
            #expect(
                try await fixture.outcomes("n") == ["safe": "cancelled", "key": "cancelled", "unsafe": "unknown"])
            try await fixture.expectOrder()
        }
    }
}

extension StoreTests {
    /// Holds on origins, which workers share.
    @Suite struct HoldTests {
        @Test func longestHoldOfAnOriginApplies() async throws {
            let fixture = try await StoreFixture()
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "n")
            let (one, other) = (try fixture.worker("one"), try fixture.worker("other"))
            try one.pauseOrigin("http://a", for: .seconds(500))
            try one.pauseOrigin("http://a", for: .seconds(5))
            try one.pauseOrigin("http://b", for: .seconds(-1))
            let holds = try other.pausedOrigins()
            #expect(holds.map(\.origin) == ["http://a"])
            #expect(holds[0].length > .seconds(400) && holds[0].length <= .seconds(500))
            let origin = try #require(try other.openBatch().lanes[0])
            try one.pauseOrigin(origin, for: .seconds(60))
            let origins = try await fixture.fleet.origins(ofBatch: "n")
            #expect(origins.map(\.readyCount) == [1])
            #expect(try #require(origins.first?.secondsHeld) > 30)
        }

        @Test func expiredHoldIsRemovedWithTheNextOne() async throws {
            let fixture = try await StoreFixture()
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "n")
            let store = try fixture.worker()
            let origins = "SELECT origin FROM bluebonnet.holds ORDER BY origin"
            for name in ["a", "b", "c"] {
                try store.pauseOrigin("http://\(name)", for: .seconds(name == "b" ? 500 : -1))
            }
            #expect(try await fixture.rows(origins) == [["http://b"], ["http://c"]])
            try store.pauseOrigin("http://c", for: .seconds(400))
            #expect(try await fixture.rows(origins) == [["http://b"], ["http://c"]])
            #expect(Set(try store.pausedOrigins().map(\.origin)) == ["http://b", "http://c"])
        }

        @Test func workerIsIdleWhenBatchesAreCompletePausedOrCancelled() async throws {
            let fixture = try await StoreFixture()
            for name in ["done", "paused", "cancelled", "open"] {
                try await fixture.fleet.submit([StoreFixture.get("a")], named: name)
            }
            let store = try fixture.worker()
            let batches = try store.openBatches(known: [:])
            try await fixture.fleet.pause("paused")
            let done = try #require(batches.first { $0.name == "done" })
            try store.record(store.claim(done, 1))
            let cancelled = try #require(batches.first { $0.name == "cancelled" })
            let claimed = try store.claim(cancelled, 1)
            try await fixture.fleet.cancel("cancelled")
            #expect(try !store.isIdle())
            let open = try #require(batches.first { $0.name == "open" })
            let lines = try store.claim(open, 1)
            #expect(try !store.isIdle(), "a line that a worker has is not done")
            try store.record(lines, .failure)
            #expect(try store.isIdle())
            #expect(try store.hasFailure(open.number) && !store.hasFailure(done.number))
            try store.record(claimed)
        }
    }
}
