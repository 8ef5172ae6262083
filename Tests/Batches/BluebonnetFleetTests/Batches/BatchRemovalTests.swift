// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import RealServers
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// Batches that are no longer needed are removed as a whole.
    @Suite struct BatchRemovalTests {
        private typealias Fixture = StoreFixture

        private static let tables = [
            "batches", "lanes", "lines", "ready", "blocked", "edges", "claims", "losses", "results", "tallies",
        ]

        /// The tables that have rows of a batch.
        private static func tables(_ fixture: Fixture, with batch: Int) async throws -> Set<String> {
            var found: Set<String> = []
            for table in tables {
                let column = table == "batches" ? "number" : "batch"
                let count = try await fixture.number(
                    "SELECT count(*) FROM bluebonnet.\(table) WHERE \(column) = \(batch)")
                if count > 0 { found.insert(table) }
            }
            return found
        }

        private static func lines(_ count: Int) -> [RequestLine] {
            (0..<count).map { Fixture.get("\($0)", after: $0 % 2 == 1 ? ["\($0 - 1)"] : []) }
        }

        /// Submits a batch and works it off. Every table except those for unfinished work then has rows of the batch.
        /// Returns its number.
        private static func submitAndWorkOff(
            _ name: String, _ count: Int, _ fixture: Fixture
        ) async throws -> Int {
            try await fixture.fleet.submit(lines(count), named: name)
            let number = try await fixture.number("SELECT number FROM bluebonnet.batches WHERE name = '\(name)'")
            let (lost, store) = (try fixture.worker("lost"), try fixture.worker())
            _ = try lost.claim(lost.openBatch(), 1)
            #expect(try store.reap(lost.worker, beat: 0))
            while let batch = try store.openBatches(known: [:]).first {
                try store.record(store.claim(batch, 100), hasEdges: true)
            }
            try store.leave()
            return number
        }

        @Test func removedBatchLeavesNothingAndOthersStay() async throws {
            let fixture = try await Fixture()
            let (gone, kept) = (
                try await Self.submitAndWorkOff("n", 40, fixture), try await Self.submitAndWorkOff("m", 6, fixture)
            )
            #expect(
                try await Self.tables(fixture, with: gone)
                    == ["batches", "lanes", "lines", "edges", "losses", "results", "tallies"])
            let before = try await Self.tables(fixture, with: kept)
            try BatchRemoval(connection: fixture.connect(), sliceLength: 7).remove("n")
            #expect(try await Self.tables(fixture, with: gone) == [])
            #expect(try await Self.tables(fixture, with: kept) == before)
            #expect(try await fixture.fleet.batches().map(\.name) == ["m"])
            await #expect(throws: FleetError.noBatch("n")) { try await fixture.fleet.remove("n") }
            #expect(try await fixture.fleet.submit(Self.lines(4), named: "n"), "the name is free")
            try await fixture.expectOrder()
        }

        @Test func largeCancelledBatchIsRemoved() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit(Self.lines(22_001), named: "n")
            try await fixture.fleet.cancel("n")
            try await fixture.fleet.remove("n")
            for table in Self.tables {
                #expect(try await fixture.number("SELECT count(*) FROM bluebonnet.\(table)") == 0, "\(table)")
            }
        }

        @Test func unfinishedBatchIsNotRemoved() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit([Fixture.get("a"), Fixture.get("b")], named: "n")
            let open = FleetError(
                .notPossible,
                "the batch n cannot be removed, because 2 of its lines have not ended: cancel it, or wait until it is "
                    + "complete")
            await #expect(throws: open) { try await fixture.fleet.remove("n") }
            try await fixture.fleet.pause("n")
            await #expect(throws: open) { try await fixture.fleet.remove("n") }
            try await fixture.fleet.resume("n")
            let store = try fixture.worker()
            let lines = try store.claim(store.openBatch(), 1)
            let claimed = FleetError(
                .notPossible,
                "the batch n cannot be removed while workers have 1 of its lines: cancel it, or wait until these "
                    + "lines have ended")
            await #expect(throws: claimed) { try await fixture.fleet.remove("n") }
            try await fixture.fleet.cancel("n")
            let cancelled = FleetError(
                .notPossible,
                "the batch n cannot be removed while workers have 1 of its lines: wait until these lines have ended")
            await #expect(throws: cancelled) { try await fixture.fleet.remove("n") }
            #expect(try await fixture.fleet.batch(named: "n").lineCount == 2)
            try store.giveBack(lines[0].claim, batch: lines[0].batch, [lines[0].position])
            try await fixture.fleet.remove("n")
            #expect(try await fixture.fleet.batches().isEmpty)
        }

        @Test func interruptedRemovalIsFinishedByTheNext() async throws {
            let fixture = try await Fixture()
            let gone = try await Self.submitAndWorkOff("n", 10, fixture)
            _ = try await fixture.rows(
                """
                DELETE FROM bluebonnet.batches WHERE name = 'n';
                DELETE FROM bluebonnet.results WHERE position < 5
                """)
            #expect(try await Self.tables(fixture, with: gone).contains("lines"))
            await #expect(throws: FleetError.noBatch("m")) { try await fixture.fleet.remove("m") }
            #expect(try await Self.tables(fixture, with: gone) == [])
        }

        @Test func workersContinueWithOtherBatchesDuringRemoval() async throws {
            let fixture = try await Fixture()
            let names = ["a", "b", "c"]
            for name in names { _ = try await Self.submitAndWorkOff(name, 60, fixture) }
            try await fixture.fleet.submit(Self.lines(600), named: "n")
            async let work: [Void] = onThreads(2) { _ in
                let store = try fixture.worker()
                while let batch = try store.openBatches(known: [:]).first {
                    try store.record(store.claim(batch, 5), hasEdges: true)
                }
            }
            for name in names { try BatchRemoval(connection: fixture.connect(), sliceLength: 3).remove(name) }
            _ = try await work
            let batch = try #require(try await fixture.fleet.batches().first)
            #expect(batch.name == "n" && batch.isSuccess)
            try await fixture.expectOrder()
        }
    }
}
