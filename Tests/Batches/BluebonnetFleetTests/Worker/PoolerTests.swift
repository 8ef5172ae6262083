// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import RealServers
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// A pgbouncer between workers and their store.
    @Suite(.enabled(if: PgBouncer.isAvailable)) struct PoolerTests {
        private typealias Fixture = FleetFixture

        private static func withPooler(
            _ mode: PgBouncer.PoolMode, connectionCount: Int = 1,
            _ body: (_ fixture: Fixture, _ url: String) async throws -> Void
        ) async throws {
            try await Fixture.with { fixture in
                let pooler = try await PgBouncer.start(
                    before: fixture.store.server, mode, connectionCount: connectionCount)
                try await body(
                    fixture, fixture.store.server.tcpURL(database: fixture.store.database, port: pooler.port))
                await pooler.stop()
            }
        }

        @Test func poolerIsDetected() async throws {
            try await Self.withPooler(.transaction) { fixture, url in
                let own = fixture.store.url
                let found = try [url, url + "?pooler=session", own, own + "&pooler=transaction"].map { target in
                    try PostgreSQLConnection(target, name: "test").isPooled
                }
                #expect(found == [true, false, false, true])
            }
        }

        /// Both workers, and every other connection, share one session of the server.
        @Test(arguments: [PgBouncer.PoolMode.transaction, .session])
        func workersShareABatch(mode: PgBouncer.PoolMode) async throws {
            let count = mode == .transaction ? 1 : 10
            try await Self.withPooler(mode, connectionCount: count) { fixture, url in
                var settings = FleetSettings()
                settings.baseURL = fixture.server.url("/")
                let fleet = Fleet(store: url)
                let lines = (0..<60).map { number in
                    number % 3 == 2
                        ? StoreFixture.post("\(number)", "\(number)", after: ["\(number - 1)"])
                        : StoreFixture.get("\(number)", "\(number)")
                }
                try await fleet.submit(lines, named: "n", settings: settings)
                try await fixture.run(
                    fixture.worker("one", at: url, concurrency: 4), fixture.worker("two", at: url, concurrency: 4))
                #expect(try await fleet.batch(named: "n").counts == [.success: 60])
                #expect(Set(fixture.counts("POST").values) == [1])
                var ids: Set<String> = []
                for try await line in fleet.results(of: "n") {
                    ids.insert(try JSONDecoder().decode(ResultLine.self, from: line).id)
                }
                #expect(ids.count == 60)
                try await fleet.remove("n")
                try await fixture.store.expectOrder()
            }
        }

        /// No statement, no setting and no lock of the fleet stays with a session that others use.
        @Test func sessionIsLeftAsItWas() async throws {
            try await Self.withPooler(.transaction) { fixture, url in
                let fleet = Fleet(store: url)
                try await fleet.submit([StoreFixture.get("a", fixture.server.url("/").absoluteString)], named: "n")
                try await fixture.run(fixture.worker(at: url))
                try await fleet.remove("n")
                let rows = try await fixture.store.server.query(
                    """
                    SELECT (SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_listening_channels()),
                           (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'),
                           current_setting('enable_seqscan'), current_setting('jit')
                    """, at: url)
                #expect(rows == [["0", "0", "0", "on", "on"]])
            }
        }

        @Test func idleWorkerFindsNewLinesAndACancellation() async throws {
            let gate = Gate()
            try await Fixture.with { request in
                request.path == "/slow"
                    ? Reply([.wait(until: gate)] + Reply.response(body: "late").steps) : .response(body: "hello")
            } _: { fixture in
                let pooler = try await PgBouncer.start(before: fixture.store.server, .transaction, connectionCount: 1)
                let url = fixture.store.server.tcpURL(database: fixture.store.database, port: pooler.port)
                let worker = fixture.worker(at: url, endsWhenIdle: false)
                async let work: Void = worker.run()
                try await fixture.submit([StoreFixture.get("a", "a")])
                try await becomes(true) { try await fixture.batch().isSuccess }
                try await fixture.submit([StoreFixture.get("slow", "slow")], named: "other")
                await becomes(1) { fixture.requests(to: "/slow").count }
                try await fixture.store.fleet.cancel("other")
                try await becomes([.cancelled: 1]) { try await fixture.batch("other").counts }
                gate.open()
                worker.drain()
                try await work
                await pooler.stop()
            }
        }

        /// A pooler of transactions that is said to pool sessions gives a session to several connections.
        @Test func wrongModeIsReported() async throws {
            try await Self.withPooler(.transaction) { fixture, url in
                try await Fleet(store: url).submit([StoreFixture.get("a")], named: "n")
                let wrong = url + "?pooler=session"
                let one = try PostgreSQLConnection(wrong, name: "one")
                let other = try PostgreSQLConnection(wrong, name: "other")
                try one.query("SELECT 1 WHERE $1", [.bool(true)])
                let error = #expect(throws: FleetError.self) { try other.query("SELECT 2 WHERE $1", [.bool(true)]) }
                #expect(error?.message.contains("?pooler=transaction") == true, "\(error?.message ?? "")")
            }
        }
    }
}
