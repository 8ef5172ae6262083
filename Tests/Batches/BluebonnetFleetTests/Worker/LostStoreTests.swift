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
    /// Workers whose store goes away, and workers that are lost.
    @Suite struct LostStoreTests {
        private typealias Fixture = FleetFixture

        /// The problems that a worker reported about its store.
        private final class Tidings: Sendable {
            let problems = Observed<[FleetError?]>([])

            func run(_ worker: FleetWorker) async throws {
                try await worker.run { [problems] in problems.append($0) }
            }

            func isAway() async { await problems.becomes { $0.contains { $0 != nil } } }
        }

        private static func reply(after gate: Gate) -> Reply {
            Reply([.wait(until: gate)] + Reply.response(body: "late").steps)
        }

        private static func lines(_ count: Int) -> [RequestLine] {
            (0..<count).map { number in
                let path = "l\(number)"
                switch number % 4 {
                case 0: return StoreFixture.post(path, path)
                case 1: return StoreFixture.get(path, path)
                case 2: return StoreFixture.post(path, path, after: ["l\(number - 2)"])
                default: return StoreFixture.get(path, path, after: ["l\(number - 2)", "l\(number - 3)"])
                }
            }
        }

        @Test func storeCrashDuringABatchLosesAndRepeatsNothing() async throws {
            let postgres = try await PostgreSQLServer.start()
            do {
                try await Fixture.with(on: postgres) { _ in
                    Reply([.delay(.milliseconds(2))] + Reply.response(body: "hello").steps)
                } _: { fixture in
                    try await fixture.submit(Self.lines(600))
                    async let work: Void = fixture.run(
                        fixture.worker("one", concurrency: 8), fixture.worker("two", concurrency: 8))
                    for count in [100, 250, 400] {
                        await fixture.server.waitForRequests(count: count)
                        try await postgres.restart(.immediate)
                    }
                    try await work
                    let results = try await fixture.results()
                    #expect(results.count == 600 && results.values.allSatisfy { $0.outcome == .success })
                    #expect(fixture.counts("POST").count == 300 && fixture.counts("POST").values.allSatisfy { $0 == 1 })
                    try await fixture.store.expectOrder()
                }
            } catch {
                await postgres.remove()
                throw error
            }
            await postgres.remove()
        }

        @Test func repeatedlyCutConnectionsLoseAndRepeatNothing() async throws {
            try await Fixture.with { fixture in
                let proxy = try await FaultProxy.start(toPort: fixture.store.server.port)
                let url = fixture.store.server.tcpURL(database: fixture.store.database, port: proxy.port)
                try await fixture.submit(Self.lines(600))
                async let work: Void = fixture.run(
                    fixture.worker("one", at: url, concurrency: 8), fixture.worker("two", at: url, concurrency: 8))
                for count in stride(from: 20, to: 580, by: 40) {
                    await fixture.server.waitForRequests(count: count)
                    await proxy.cut()
                }
                try await work
                let results = try await fixture.results()
                #expect(results.count == 600 && results.values.allSatisfy { $0.outcome == .success })
                #expect(fixture.counts("POST").count == 300 && fixture.counts("POST").values.allSatisfy { $0 == 1 })
                try await fixture.store.expectOrder()
                await proxy.stop()
            }
        }

        @Test func outcomesAreRecordedAfterSilenceBeyondTheLease() async throws {
            let gate = Gate()
            try await Fixture.with { _ in
                Self.reply(after: gate)
            } _: { fixture in
                let proxy = try await FaultProxy.start(toPort: fixture.store.server.port)
                let url = fixture.store.server.tcpURL(database: fixture.store.database, port: proxy.port)
                try await fixture.submit([StoreFixture.post("a", "a"), StoreFixture.get("b", "b")])
                let (worker, tidings) = (fixture.worker(at: url, lease: .seconds(1)), Tidings())
                async let work: Void = tidings.run(worker)
                await fixture.server.waitForRequests(count: 2)
                await proxy.set(.stall)
                await tidings.isAway()  // a statement waits longer than the lease
                gate.open()
                await becomes(2) { worker.summary.unrecordedCount }
                await proxy.set(.forward)
                try await work
                #expect(try await fixture.results().mapValues(\.outcome) == ["a": .success, "b": .success])
                #expect(fixture.server.requests.count == 2)
                #expect(tidings.problems.value.last == .some(nil), "the store is available again")
                await proxy.stop()
            }
        }

        @Test func workerReapedByOthersRecordsNothing() async throws {
            let gate = Gate()
            try await Fixture.with { request in
                request.path == "/other" ? .response(body: "hello") : Self.reply(after: gate)
            } _: { fixture in
                let proxy = try await FaultProxy.start(toPort: fixture.store.server.port)
                let url = fixture.store.server.tcpURL(database: fixture.store.database, port: proxy.port)
                try await fixture.submit(
                    [StoreFixture.post("a", "a"), StoreFixture.get("b", "b"), StoreFixture.get("c", "c", after: ["a"])])
                let (cut, tidings) = (fixture.worker("cut", at: url, lease: .seconds(1)), Tidings())
                let other = fixture.worker("other", lease: .seconds(1), endsWhenIdle: false)
                async let work: Void = tidings.run(cut)
                await fixture.server.waitForRequests(count: 2)
                await proxy.set(.stall)
                async let otherWork: Void = other.run()
                try await becomes(["other"]) { try await fixture.members() }
                #expect(try await fixture.store.outcomes("n") == ["a": "unknown", "c": "skipped"])
                await tidings.isAway()
                gate.open()
                try await becomes(true) { try await fixture.batch().isComplete }
                await proxy.set(.forward)
                try await work
                other.drain()
                try await otherWork
                #expect(
                    try await fixture.results().mapValues(\.outcome) == ["a": .unknown, "b": .success, "c": .skipped])
                #expect(fixture.counts("POST") == ["/a": 1] && fixture.requests(to: "/c").isEmpty)
                try await fixture.store.expectOrder()
                await proxy.stop()
            }
        }

        @Test func workerWaitsForAnUnreachableStore() async throws {
            try await Fixture.with { fixture in
                let proxy = try await FaultProxy.start(toPort: fixture.store.server.port)
                let url = fixture.store.server.tcpURL(database: fixture.store.database, port: proxy.port)
                await proxy.set(.refuse)
                try await fixture.submit([StoreFixture.get("a", "a")])
                let (worker, tidings) = (fixture.worker(at: url), Tidings())
                async let work: Void = tidings.run(worker)
                await tidings.isAway()
                #expect(worker.summary.problem?.code == .unreachable)
                await proxy.set(.forward)
                try await work
                #expect(try await fixture.batch().isSuccess && worker.summary.problem == nil)
                await proxy.stop()
            }
        }

        @Test func refusedWorkerFailsAtOnce() async throws {
            let server = try await PostgreSQLServer.shared()
            let worker = FleetWorker(store: server.unixURL(database: "nowhere"))
            let error = await #expect(throws: FleetError.self) { try await worker.run() }
            #expect(error?.code == .refused)
        }

        @Test func claimWithALostAnswerIsReturned() async throws {
            try await Fixture.with { fixture in
                try await fixture.submit([StoreFixture.get("a", "a"), StoreFixture.get("b", "b")])
                let worker = fixture.worker(lease: .seconds(1), endsWhenIdle: false)
                async let work: Void = worker.run()
                try await becomes(true) { try await fixture.batch().isComplete }
                // Gives the worker a claim that it does not know of, as after a statement that it gave up.
                try await fixture.submit([StoreFixture.get("c", "c")], named: "late") { $0.priority = -1 }
                try await becomes(true) { try await fixture.batch("late").isComplete }
                _ = try await fixture.store.rows(
                    """
                    WITH gone AS (
                        DELETE FROM bluebonnet.results
                        WHERE batch = (SELECT number FROM bluebonnet.batches WHERE name = 'late')
                        RETURNING batch, position
                    ), counted AS (
                        UPDATE bluebonnet.tallies SET count = 0, bytes = 0 FROM gone WHERE tallies.batch = gone.batch
                    ), opened AS (
                        UPDATE bluebonnet.batches SET state = 'open' WHERE name = 'late'
                    )
                    INSERT INTO bluebonnet.claims (worker, batch, positions)
                    SELECT (SELECT max(number) FROM bluebonnet.workers), batch, ARRAY[position] FROM gone
                    """)
                try await becomes(true) { try await fixture.batch("late").isSuccess }
                #expect(fixture.requests(to: "/c").count == 2)
                worker.drain()
                try await work
                try await fixture.store.expectOrder()
            }
        }
    }
}
