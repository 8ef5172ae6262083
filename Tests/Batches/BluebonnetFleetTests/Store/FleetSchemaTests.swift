// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// Tables of version 2 are migrated while a fleet works.
    @Suite struct FleetSchemaTests {
        private typealias Fixture = StoreFixture

        /// Creates a store of an older version with ready lines, as a program of version 2 stores them.
        private static func makeOldStore(lineCount: Int, version: Int = 2) async throws -> Fixture {
            let fixture = try await Fixture()
            try FleetSchema.prepare(fixture.connect(), to: version)
            _ = try await fixture.rows(
                """
                INSERT INTO bluebonnet.batches (name, digest, settings, line_count, has_edges, key_seed)
                VALUES ('n', '', '\(FleetSettings().encoded())', \(lineCount), false, 'seed');
                INSERT INTO bluebonnet.lanes (batch, lane, origin, line_count) VALUES (1, 0, 'http://a', \(lineCount));
                INSERT INTO bluebonnet.lines (batch, position, id, lane, rank, kind, is_read, line)
                SELECT 1, p, p::text, 0, 2, 0, false, '{"url":"http://a/"}' FROM generate_series(0, \(lineCount - 1)) p;
                INSERT INTO bluebonnet.ready (batch, lane, rank, position)
                SELECT 1, 0, 2, p FROM generate_series(0, \(lineCount - 1)) p
                """)
            return fixture
        }

        /// Claims a line as a worker of version 2 does.
        private static func claimOldWay(_ connection: PostgreSQLConnection) throws -> Int {
            try connection.transaction { () throws(FleetError) in
                try connection.query("SELECT number FROM bluebonnet.batches WHERE number = $1 FOR SHARE", [.integer(1)])
                return try connection.query(
                    """
                    DELETE FROM bluebonnet.ready WHERE (batch, lane, rank, position) IN (
                        SELECT batch, lane, rank, position FROM bluebonnet.ready WHERE batch = $1
                        ORDER BY position LIMIT 1 FOR UPDATE SKIP LOCKED)
                    """, [.integer(1)]
                ).changedCount
            }
        }

        @Test func migrationLeavesTheRowsWhereTheyAre() async throws {
            let fixture = try await Self.makeOldStore(lineCount: 50)
            let file = try await fixture.rows("SELECT pg_relation_filenode('bluebonnet.ready')")
            try FleetSchema.prepare(fixture.connect())
            #expect(try await fixture.rows("SELECT pg_relation_filenode('bluebonnet.ready')") == file)
            // A program of version 2 adds lines without an entry. Their entries are times, in microseconds.
            _ = try await fixture.rows(
                """
                UPDATE bluebonnet.batches SET line_count = 51;
                INSERT INTO bluebonnet.lines (batch, position, id, lane, rank, kind, is_read, line)
                VALUES (1, 50, '50', 0, 2, 0, false, '{"url":"http://a/"}');
                INSERT INTO bluebonnet.ready (batch, lane, rank, position) VALUES (1, 0, 2, 50)
                """)
            #expect(
                try await fixture.number(
                    """
                    SELECT count(*) FROM bluebonnet.ready
                    WHERE position = 50 AND abs(entry / 1000000.0 - extract(epoch FROM now())) < 3600
                    """) == 1)
            let store = try fixture.worker()
            var (claimed, known): ([Int], [Int: OpenBatch]) = ([], [:])
            while let batch = try store.openBatches(known: known).first {
                known[batch.number] = batch
                let lines = try store.claim(batch, 8)
                #expect(!lines.isEmpty)
                claimed += lines.map(\.position)
                try store.record(lines)
            }
            #expect(claimed.sorted() == Array(0...50) && claimed.last == 50)
            try await fixture.expectOrder()
        }

        @Test func oldWorkersClaimWhileTheMigrationWaitsForAReader() async throws {
            let fixture = try await Self.makeOldStore(lineCount: 5)
            let (reader, worker) = (try fixture.connect(), try fixture.connect())
            try reader.query("BEGIN")
            try reader.query("SELECT count(*) FROM bluebonnet.ready WHERE batch > $1", [.integer(0)])
            async let migration: [Void] = onThreads(1) { _ in try FleetSchema.prepare(fixture.connect()) }
            try await becomes(true) {
                try await fixture.number("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation IS NOT NULL") > 0
            }
            for _ in 0..<3 { #expect(try Self.claimOldWay(worker) == 1) }
            #expect(try FleetSchema.version(fixture.connect()) == 2)
            try reader.query("COMMIT")
            _ = try await migration
            #expect(try FleetSchema.version(fixture.connect()) == FleetSchema.version)
            #expect(try await fixture.number("SELECT count(*) FROM bluebonnet.ready") == 2)
        }

        /// A program that only reads and changes batches upgrades nothing.
        @Test func batchOfVersionThreeIsRetriedAndRemovedWithoutKeys() async throws {
            let fixture = try await Self.makeOldStore(lineCount: 1, version: 3)
            _ = try await fixture.rows(
                """
                DELETE FROM bluebonnet.ready;
                INSERT INTO bluebonnet.results (batch, position, outcome, bytes, line)
                VALUES (1, 0, 'failure', 0, '{"id":"0","outcome":"failure"}');
                INSERT INTO bluebonnet.tallies (batch, worker, outcome, count, bytes) VALUES (1, 0, 'failure', 1, 0)
                """)
            #expect(try await fixture.fleet.retryFailed("n") == 1)
            #expect(try await fixture.ids(in: "ready") == ["0"])
            try await fixture.fleet.cancel("n")
            try await fixture.fleet.remove("n")
            #expect(try await fixture.number("SELECT count(*) FROM bluebonnet.lines") == 0)
            #expect(try FleetSchema.version(fixture.connect()) == 3)
        }

        @Test func workerTriesTheMigrationAgainWithItsNextConnection() async throws {
            let fixture = try await Self.makeOldStore(lineCount: 1)
            let reader = try fixture.connect()
            try reader.query("BEGIN")
            try reader.query("SELECT count(*) FROM bluebonnet.ready WHERE batch > $1", [.integer(0)])
            var access = StoreAccess(fixture.url, FleetWorker.Configuration())
            do throws(FleetError) {
                _ = try access.open()
                Issue.record("the tables were migrated while a transaction used them")
            } catch {
                #expect(error.isConflict && !access.isRefusal(error))
                #expect(error.message.contains("cannot be brought to version \(FleetSchema.version)"))
                access.lose(error)
                #expect(access.problem == error)
            }
            #expect(try FleetSchema.version(fixture.connect()) == 2)
            try reader.query("COMMIT")
            while try access.open() == nil { try await Task.sleep(until: access.nextAttempt) }
            #expect(access.problem == nil)
            #expect(try FleetSchema.version(fixture.connect()) == FleetSchema.version)
            access.leave()
        }

        /// A worker that waits for the tables handles its events.
        @Test func workerThatWaitsForTheTablesCanBeDrained() async throws {
            let fixture = try await Self.makeOldStore(lineCount: 1)
            let reader = try fixture.connect()
            try reader.query("BEGIN")
            try reader.query("SELECT count(*) FROM bluebonnet.ready WHERE batch > $1", [.integer(0)])
            let worker = FleetWorker(store: fixture.url)
            async let run: Void = worker.run()
            await becomes(true) { worker.summary.problem?.isConflict == true }
            worker.drain()
            try await run
            #expect(try FleetSchema.version(fixture.connect()) == 2)
            try reader.query("ROLLBACK")
        }
    }
}
