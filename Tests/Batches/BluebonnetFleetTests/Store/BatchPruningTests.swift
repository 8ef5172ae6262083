// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// Complete batches are removed when they have been kept long enough.
    @Suite struct BatchPruningTests {
        private typealias Fixture = FleetFixture

        private static func names(_ fixture: StoreFixture) async throws -> [String] {
            try await fixture.fleet.batches().map(\.name)
        }

        /// Moves the end of a batch into the past.
        private static func age(_ fixture: StoreFixture, _ name: String, _ time: String) async throws {
            _ = try await fixture.rows(
                "UPDATE bluebonnet.batches SET completed = now() - interval '\(time)' WHERE name = '\(name)'")
        }

        @Test func batchIsKeptForItsOwnTimeOrElseForTheGivenOne() async throws {
            try await Fixture.with { fixture in
                for (name, days) in [("short", 1), ("long", 9), ("none", 0)] {
                    try await fixture.submit([StoreFixture.get("a", "a")], named: name) {
                        $0.retention = days > 0 ? .seconds(days * 86_400) : nil
                    }
                }
                try await fixture.run(fixture.worker())
                try await fixture.submit([StoreFixture.get("a", "a")], named: "open") { $0.retention = .zero }
                try await fixture.submit([StoreFixture.get("a", "a")], named: "cancelled") { $0.retention = .zero }
                try await fixture.store.fleet.cancel("cancelled")
                #expect(try await fixture.store.fleet.prune() == ["cancelled"])
                for name in ["short", "long", "none"] { try await Self.age(fixture.store, name, "8 days") }
                #expect(try await fixture.store.fleet.prune() == ["short"])
                #expect(try await fixture.store.fleet.prune(keeping: .seconds(9 * 86_400)).isEmpty)
                #expect(try await fixture.store.fleet.prune(keeping: .seconds(7 * 86_400)) == ["none"])
                #expect(try await Self.names(fixture.store) == ["long", "open"])
                try await fixture.store.expectOrder()
            }
        }

        /// The time of retention begins before the worker ends, and not with the next worker.
        @Test func workerThatEndsRecordsCompleteBatches() async throws {
            let fixture = try await StoreFixture()
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "done")
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "paused")
            try await fixture.fleet.pause("paused")
            let store = try fixture.worker()
            try store.record(store.claim(store.openBatch(), 1))
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "cancelled")
            try await fixture.fleet.cancel("cancelled")
            try store.leave()
            let complete = "SELECT name FROM bluebonnet.batches WHERE completed IS NOT NULL ORDER BY name"
            #expect(try await fixture.rows(complete).isEmpty)
            var configuration = FleetWorker.Configuration()
            configuration.endsWhenIdle = true
            try await FleetWorker(store: fixture.url, configuration: configuration).run()
            #expect(try await fixture.rows(complete) == [["cancelled"], ["done"]])
        }

        @Test func workersRemoveOldBatches() async throws {
            try await Fixture.with { fixture in
                try await fixture.submit([StoreFixture.get("a", "a")], named: "old")
                try await fixture.submit([StoreFixture.get("a", "a")], named: "kept") { $0.retention = .seconds(9_999) }
                var configuration = FleetWorker.Configuration()
                (configuration.retention, configuration.pruningInterval) = (.zero, .milliseconds(20))
                let worker = FleetWorker(store: fixture.store.url, configuration: configuration)
                async let work: Void = worker.run()
                try await becomes(["kept"]) { try await Self.names(fixture.store) }
                try await becomes(true) { try await fixture.batch("kept").isSuccess }
                worker.drain()
                try await work
                #expect(fixture.requests(to: "/a").count == 2)
            }
        }

        /// Times that do not fit into PostgreSQL's count as the longest possible one.
        @Test func endlessRetentionKeepsOneBatchAndStopsNothing() async throws {
            let fixture = try await StoreFixture()
            for (name, retention) in [("ever", Duration.seconds(Int64.max)), ("old", .zero), ("due", .seconds(-5))] {
                var settings = FleetSettings()
                settings.retention = retention
                try await fixture.fleet.submit([StoreFixture.get("a")], named: name, settings: settings)
                try await fixture.fleet.cancel(name)
            }
            let stored = "SELECT keep::bigint FROM bluebonnet.batches WHERE name = 'ever'"
            #expect(try await fixture.number(stored) == 1_000_000_000)
            // As an earlier version has stored it.
            _ = try await fixture.rows("UPDATE bluebonnet.batches SET keep = 9e18 WHERE name = 'ever'")
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "silent")
            try await fixture.fleet.cancel("silent")
            let removed = try await fixture.fleet.prune(keeping: .seconds(Int64.max))
            #expect(Set(removed) == ["old", "due"])
            #expect(try await fixture.fleet.prune().isEmpty)
            try await Self.age(fixture, "ever", "50 years")
            try await Self.age(fixture, "silent", "50 years")
            #expect(try await fixture.fleet.prune() == ["ever"])
        }

        @Test func workerReportsThatPruningFails() async throws {
            let fixture = try await StoreFixture()
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "n")
            try await fixture.fleet.cancel("n")
            var configuration = FleetWorker.Configuration()
            configuration.pruningInterval = .milliseconds(20)
            let worker = FleetWorker(store: fixture.url, configuration: configuration)
            let problems = Observed<[FleetError?]>([])
            _ = try await fixture.rows("ALTER TABLE bluebonnet.turns RENAME TO elsewhere")
            async let work: Void = worker.run { problems.append($0) }
            await problems.becomes { $0.contains { $0?.message.contains("turns") == true } }
            #expect(worker.summary.problem?.code == .failed)
            _ = try await fixture.rows("ALTER TABLE bluebonnet.elsewhere RENAME TO turns")
            await problems.becomes { $0.last == .some(nil) }
            worker.drain()
            try await work
        }

        /// The batch is locked while its lines run again and end. Pruning has seen it as it was before.
        @Test func batchThatEndsAgainMeanwhileIsKept() async throws {
            let fixture = try await StoreFixture()
            var settings = FleetSettings()
            settings.retention = .seconds(86_400)
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "n", settings: settings)
            try await fixture.fleet.cancel("n")
            #expect(try await fixture.fleet.prune().isEmpty)
            try await Self.age(fixture, "n", "8 days")
            let holder = try fixture.connect()
            try holder.query("BEGIN")
            try holder.query("UPDATE bluebonnet.batches SET completed = now() WHERE name = $1", [.text("n")])
            async let pruned = fixture.fleet.prune()
            try await becomes(true) { try await fixture.number("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0 }
            try holder.query("COMMIT")
            #expect(try await pruned.isEmpty)
            #expect(try await Self.names(fixture) == ["n"])
        }

        @Test func oneWorkerAtATimeHasTheTurn() async throws {
            let fixture = try await StoreFixture()
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "n")
            let one = PruningTurn(try fixture.connect(), length: .seconds(60))
            let other = PruningTurn(try fixture.connect(), length: .seconds(60))
            #expect(try one.acquire())
            #expect(try other.acquire() == false)
            let end = "SELECT extract(epoch FROM until - now())::integer FROM bluebonnet.turns"
            #expect((1...60).contains(try await fixture.number(end)))
            try one.extend(for: .seconds(600))
            #expect((601...660).contains(try await fixture.number(end)))
            #expect(try other.acquire() == false)
            #expect(throws: PruningTurn.lost) { () throws in try other.extend() }
            _ = try await fixture.rows("UPDATE bluebonnet.turns SET until = now()")
            #expect(try other.acquire())
            #expect(throws: PruningTurn.lost) { () throws in try one.extend() }
            try other.extend()
        }

        /// A worker that has lost its turn, or ends, stops within a removal. The next removal does the rest.
        @Test func removalStopsBetweenSlices() async throws {
            let fixture = try await StoreFixture()
            try await fixture.fleet.submit((0..<40).map { StoreFixture.get("\($0)") }, named: "n")
            try await fixture.fleet.cancel("n")
            try BatchCompletion.record(nil, fixture.connect())
            var sliceCount = 0
            let removal = BatchRemoval(connection: try fixture.connect(), sliceLength: 7) { () throws(FleetError) in
                sliceCount += 1
                if sliceCount == 4 { throw PruningTurn.lost }
            }
            #expect(throws: PruningTurn.lost) { () throws in try removal.remove("n") }
            let rest = "SELECT count(*) FROM bluebonnet.lines"
            #expect(try await Self.names(fixture).isEmpty)
            #expect(try await fixture.number("SELECT count(*) FROM bluebonnet.results") == 26)
            #expect(try await fixture.number(rest) == 40)
            #expect(try await fixture.fleet.prune().isEmpty, "no other batch is due")
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "m")
            try await fixture.fleet.cancel("m")
            try await fixture.fleet.remove("m")
            #expect(try await fixture.number(rest) == 0)
        }

        @Test func workerEndsAfterItsPruning() async throws {
            let fixture = try await StoreFixture()
            try await fixture.fleet.submit([StoreFixture.get("a")], named: "n")
            try await fixture.fleet.cancel("n")
            let holder = try fixture.connect()
            try holder.query("BEGIN")
            try holder.query("SELECT FROM bluebonnet.results WHERE batch > $1 FOR UPDATE", [.integer(0)])
            var configuration = FleetWorker.Configuration()
            (configuration.retention, configuration.pruningInterval) = (.zero, .milliseconds(20))
            let (worker, hasEnded) = (FleetWorker(store: fixture.url, configuration: configuration), Observed(false))
            async let work: Void = {
                try await worker.run()
                hasEnded.update { $0 = true }
            }()
            try await becomes(true) { try await fixture.number("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0 }
            worker.drain()
            try await becomes(true) { try await fixture.fleet.members().isEmpty }
            #expect(!hasEnded.value)
            try holder.query("COMMIT")
            try await work
            #expect(
                try await fixture.number(
                    """
                    SELECT count(*) FROM bluebonnet.turns WHERE until <= now() + interval '1 minute'
                    """) == 1, "no other worker waits for long")
        }
    }
}
