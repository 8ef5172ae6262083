// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// A transaction of somebody else is open, and no dead row can be removed.
    @Suite struct HeldTransactionTests {
        private typealias Fixture = StoreFixture

        /// Opens a transaction that sees the store as it is.
        private static func hold(_ fixture: Fixture) throws -> PostgreSQLConnection {
            let holder = try fixture.connect()
            try holder.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
            try holder.query("SELECT count(*) FROM bluebonnet.ready WHERE batch > $1", [.integer(0)])
            return holder
        }

        /// Returns how many entries of the indexes of `ready` were read.
        private static func readCount(_ fixture: Fixture) async throws -> Int {
            try await fixture.number(
                """
                SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes
                WHERE schemaname = 'bluebonnet' AND relname = 'ready'
                """)
        }

        @Test func claimsDoNotReadTheRowsOfClaimedLines() async throws {
            let fixture = try await Fixture()
            let count = 3_000
            try await fixture.fleet.submit((0..<count).map { Fixture.get("\($0)", "http://h\($0 % 2)/") }, named: "n")
            let holder = try Self.hold(fixture)
            let before = try await Self.readCount(fixture)
            do {
                let store = try fixture.worker()
                try store.connection.forceIndexScans()
                var known: [Int: OpenBatch] = [:]
                var claimed: Set<Int> = []
                while let batch = try store.openBatches(known: known).first {
                    known[batch.number] = batch
                    let lines = try store.claim(batch, 20)
                    #expect(lines.count == 20)
                    claimed.formUnion(lines.map(\.position))
                    try store.record(lines)
                }
                #expect(claimed.count == count)
            }
            // The end of the session publishes its numbers. Without marks, the claims read some hundred thousand.
            try await becomes(true) { try await Self.readCount(fixture) - before >= count }
            let read = try await Self.readCount(fixture) - before
            #expect(read < 5 * count, "\(read) entries")
            #expect(try await fixture.fleet.batch(named: "n").isSuccess)
            withExtendedLifetime(holder) {}
            try await fixture.expectOrder()
        }

        @Test func talliesUseSeveralRows() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit((0..<600).map { Fixture.get("\($0)") }, named: "n")
            let store = try fixture.worker("w")
            let lines = try store.claim(store.openBatch(), 600)
            for line in lines { try store.record([line]) }
            #expect(try await fixture.number("SELECT count(*) FROM bluebonnet.tallies") == 3)
            #expect(try await fixture.fleet.batch(named: "n").counts == [.success: 600])
            #expect(try await fixture.fleet.members().map(\.endedCount) == [600])
            try await fixture.expectOrder()
        }

        /// The transaction that returns a line began before a search that found nothing.
        @Test func lineBelowTheMarksIsFoundByACompleteSearch() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit([Fixture.get("a"), Fixture.get("b")], named: "n")
            let store = try fixture.worker()
            let batch = try store.openBatch()
            let lines = try store.claim(batch, 2)
            #expect(lines.count == 2)
            #expect(try store.claim(batch, 2).isEmpty)
            _ = try await fixture.rows(
                """
                INSERT INTO bluebonnet.ready (batch, lane, rank, position, entry)
                SELECT batch, lane, rank, position, 1 FROM bluebonnet.lines WHERE id = 'a'
                """)
            try await becomes(true) { try store.openBatches(known: [batch.number: batch]).count == 1 }
            try await becomes(["a"]) { try store.claim(batch, 2).map(\.id) }
        }

        @Test func completeBatchIsNotLookedAtUntilItsLinesRunAgain() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit([Fixture.get("a")], named: "n")
            let store = try fixture.worker()
            try store.record(store.claim(store.openBatch(), 1), .failure)
            #expect(try store.openBatches(known: [:]).isEmpty)
            let completed = "SELECT count(*) FROM bluebonnet.batches WHERE completed IS NOT NULL"
            #expect(try await fixture.number(completed) == 1)
            #expect(try await fixture.fleet.retryFailed("n") == 1)
            #expect(try await fixture.number(completed) == 0)
            #expect(try store.claim(store.openBatch(), 1).map(\.id) == ["a"])
        }
    }
}
