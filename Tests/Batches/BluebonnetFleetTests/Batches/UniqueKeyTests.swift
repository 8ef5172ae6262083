// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import BluebonnetTestServer
import Foundation
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// Keys of which the store has one batch at most.
    @Suite struct UniqueKeyTests {
        private typealias Fixture = FleetFixture

        private static func submit(
            _ fixture: Fixture, _ name: String, key: String = "k", keep: Duration? = nil
        ) async throws -> String {
            var settings = FleetSettings()
            (settings.baseURL, settings.retention) = (fixture.server.url("/"), keep)
            return try await fixture.store.fleet.submit(
                [StoreFixture.post(name, name)], named: name, unique: key, settings: settings)
        }

        @Test func openBatchKeepsItsKey() async throws {
            try await Fixture.with { fixture in
                #expect(try await Self.submit(fixture, "one") == "one")
                #expect(try await Self.submit(fixture, "two") == "one")
                #expect(try await Self.submit(fixture, "one") == "one")
                #expect(try await Self.submit(fixture, "three", key: "other") == "three")
                #expect(try await fixture.store.fleet.batches().map(\.name) == ["one", "three"])
                try await fixture.run(fixture.worker())
                #expect(fixture.counts("POST") == ["/one": 1, "/three": 1])
                // Its lines have ended, and it is not kept.
                #expect(try await Self.submit(fixture, "two") == "two")
                #expect(try await Self.submit(fixture, "four") == "two")
                try await fixture.store.expectOrder()
            }
        }

        @Test func keptBatchKeepsItsKeyForItsTime() async throws {
            try await Fixture.with { fixture in
                #expect(try await Self.submit(fixture, "one", keep: .seconds(86_400)) == "one")
                try await fixture.run(fixture.worker())
                #expect(try await Self.submit(fixture, "two") == "one")
                _ = try await fixture.store.rows(
                    "UPDATE bluebonnet.batches SET completed = now() - interval '25 hours'")
                #expect(try await Self.submit(fixture, "two") == "two")
                #expect(try await fixture.store.fleet.batches().count == 2)
            }
        }

        @Test func removedBatchLeavesItsKey() async throws {
            try await Fixture.with { fixture in
                #expect(try await Self.submit(fixture, "one", keep: .seconds(86_400)) == "one")
                try await fixture.store.fleet.cancel("one")
                #expect(try await Self.submit(fixture, "two") == "one")
                try await fixture.store.fleet.remove("one")
                #expect(try await Self.submit(fixture, "two") == "two")
            }
        }

        @Test func oneOfManySubmissionsAtOnceIsStored() async throws {
            try await Fixture.with { fixture in
                try await fixture.submit([StoreFixture.get("a", "a")], named: "first")
                let names = try await withThrowingTaskGroup(of: String.self) { group in
                    for number in 0..<8 { group.addTask { try await Self.submit(fixture, "n\(number)") } }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(names.count == 1)
                #expect(try await fixture.store.fleet.batches().count == 2)
                try await fixture.store.expectOrder()
            }
        }

        @Test func nameOfAnotherBatchIsStillTaken() async throws {
            try await Fixture.with { fixture in
                try await fixture.submit([StoreFixture.get("a", "a")], named: "one")
                let error = await #expect(throws: FleetError.self) { try await Self.submit(fixture, "one") }
                #expect(error?.code == .nameTaken)
            }
        }

        @Test(arguments: ["", String(repeating: "k", count: 1_001), "a\u{0}b"])
        func impossibleKeyIsRefused(key: String) async throws {
            try await Fixture.with { fixture in
                let error = await #expect(throws: FleetError.self) { try await Self.submit(fixture, "one", key: key) }
                #expect(error?.code == .notPossible)
            }
        }
    }
}
