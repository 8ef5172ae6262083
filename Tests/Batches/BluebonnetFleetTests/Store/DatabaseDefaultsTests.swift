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
    /// Databases with unusual defaults, values of unusual forms, and a server that becomes read-only.
    @Suite struct DatabaseDefaultsTests {
        private typealias Fixture = FleetFixture

        @Test(arguments: ["serializable", "repeatable read"])
        func isolationOfTheDatabaseDoesNotMatter(level: String) async throws {
            try await Fixture.with { fixture in
                let database = fixture.store.database
                _ = try await fixture.store.server.query(
                    "ALTER DATABASE \(database) SET default_transaction_isolation = '\(level)'")
                #expect(try await fixture.store.rows("SHOW default_transaction_isolation") == [[level]])
                let found = try fixture.store.connect().query(
                    "SELECT current_setting('transaction_isolation') WHERE $1", [.bool(true)])
                #expect(found.text(0, 0) == "read committed")
                let lines = (0..<200).map { number in
                    number % 2 == 1
                        ? StoreFixture.post("\(number)", "\(number)", after: ["\(number - 1)"])
                        : StoreFixture.get("\(number)", "\(number)")
                }
                try await fixture.submit(lines)
                try await fixture.run(
                    fixture.worker("one", concurrency: 4), fixture.worker("two", concurrency: 4),
                    fixture.worker("three", concurrency: 4))
                #expect(try await fixture.batch().counts == [.success: 200])
                #expect(Set(fixture.counts("POST").values) == [1])
                try await fixture.store.expectOrder()
            }
        }

        @Test func bodyWithNULIsRecordedAndCanBeReferredTo() async throws {
            try await Fixture.with { request in
                request.path == "/a" ? .response(body: "x\u{0}y") : .response(body: "[\"\\u0000\"]")
            } _: { fixture in
                var reader = StoreFixture.post("b", "b")
                reader.body = .text("${a.body}")
                try await fixture.submit([StoreFixture.get("a", "a"), reader])
                try await fixture.run(fixture.worker())
                let results = try await fixture.results()
                #expect(results["a"]?.body == "x\u{0}y" && results["b"]?.outcome == .success)
                #expect(fixture.requests(to: "/b").map(\.body) == [Data("x\u{0}y".utf8)])
                try await fixture.store.expectOrder()
            }
        }

        @Test func idsMayHaveAnyLength() async throws {
            try await Fixture.with { fixture in
                // Random characters, which PostgreSQL cannot compress into the row of an index.
                let id = String((0..<100_000).map { _ in Character(UnicodeScalar(UInt8.random(in: 97...122))) })
                try await fixture.submit(
                    [StoreFixture.get(id, "a"), StoreFixture.get("b", "b", after: [id])])
                try await fixture.run(fixture.worker())
                let ids = try await fixture.results().keys
                #expect(Set(ids) == [id, "b"])
                #expect(try await fixture.batch().isSuccess)
            }
        }

        @Test(arguments: [String(repeating: "é", count: 501), "a\u{0}b"])
        func nameThatCannotBeStoredIsRefused(name: String) async throws {
            let fixture = try await StoreFixture()
            let error = await #expect(throws: FleetError.self) {
                try await fixture.fleet.submit([StoreFixture.get("a")], named: name)
            }
            #expect(error?.code == .notPossible && error?.message.contains("at most 1000 bytes") == true)
        }

        /// The server accepts no changes while a worker runs. Later it does again.
        @Test func workerWaitsForAServerThatIsReadOnly() async throws {
            let gate = Gate()
            try await Fixture.with { _ in
                Reply([.wait(until: gate)] + Reply.response(body: "hello").steps)
            } _: { fixture in
                try await fixture.submit([StoreFixture.post("a", "a")])
                let (worker, database) = (fixture.worker(lease: .seconds(2)), fixture.store.database)
                let problems = Observed<[FleetError?]>([])
                async let work: Void = worker.run { problems.append($0) }
                await fixture.server.waitForRequests(count: 1)
                _ = try await fixture.store.server.query(
                    "ALTER DATABASE \(database) SET default_transaction_read_only = on")
                _ = try await fixture.store.server.query(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database)'")
                await problems.becomes { $0.contains { $0?.message.contains("read_only") == true } }
                #expect(problems.value.allSatisfy { $0.map { [.unreachable, .refused].contains($0.code) } ?? true })
                gate.open()
                _ = try await fixture.store.server.query(
                    "ALTER DATABASE \(database) RESET default_transaction_read_only")
                try await work
                #expect(try await fixture.batch().isSuccess && fixture.requests(to: "/a").count == 1)
            }
        }

        @Test func userWithReadOnlyTransactionsIsRefused() async throws {
            let fixture = try await StoreFixture()
            _ = try await fixture.server.query(
                "ALTER DATABASE \(fixture.database) SET default_transaction_read_only = on")
            let error = await #expect(throws: FleetError.self) {
                try await fixture.fleet.submit([StoreFixture.get("a")], named: "n")
            }
            #expect(error?.code == .refused && error?.message.contains("default_transaction_read_only") == true)
            let end = await #expect(throws: FleetError.self) { try await FleetWorker(store: fixture.url).run() }
            #expect(end?.code == .refused && end?.message.contains("default_transaction_read_only") == true)
        }
    }
}
