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
    /// Results are read as they are recorded, each once.
    @Suite struct FleetReadingTests {
        private typealias Fixture = StoreFixture

        private static func ids(_ lines: [Data]) throws -> [String] {
            try lines.map { try JSONDecoder().decode(ResultLine.self, from: $0).id }
        }

        @Test func pagesHaveEachResultOnce() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit((0..<25).map { Fixture.get("\($0)") }, named: "n")
            let store = try fixture.worker()
            let reading = FleetReading(connection: try fixture.connect())
            var (cursor, ids): (ResultCursor, [String]) = (ResultCursor(), [])
            let empty = try reading.results("n", after: cursor, limit: 4)
            #expect(empty.lines.isEmpty && empty.cursor == cursor && !empty.isLast)
            for size in [3, 11, 11] {
                try store.record(store.claim(store.openBatch(), size))
                while true {
                    let page = try reading.results("n", after: cursor, limit: 4)
                    (cursor, ids) = (page.cursor, try ids + Self.ids(page.lines))
                    #expect(page.isLast == (size == 11 && ids.count == 25 && page.lines.count < 4))
                    if page.lines.count < 4 { break }
                }
            }
            #expect(ids.count == 25 && Set(ids).count == 25)
        }

        @Test func resultCommittedLateIsNotMissed() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit((0..<3).map { Fixture.get("\($0)") }, named: "n")
            let (slow, fast) = (try fixture.worker("slow"), try fixture.worker("fast"))
            let batch = try slow.openBatch()
            let (first, second) = (try slow.claim(batch, 1), try fast.claim(batch, 1))
            let reading = FleetReading(connection: try fixture.connect())
            try slow.connection.query("BEGIN")
            try slow.record(first)
            try fast.record(second)
            var page = try reading.results("n", after: ResultCursor(), limit: 10)
            let seen = try Self.ids(page.lines)
            try slow.connection.query("COMMIT")
            page = try reading.results("n", after: page.cursor, limit: 10)
            #expect(seen + (try Self.ids(page.lines)) == [first[0].id, second[0].id])
            // The last result is visible at once, even during other transactions in the store.
            try slow.connection.query("BEGIN")
            try slow.connection.query("CREATE TABLE other (n integer)")
            try fast.record(fast.claim(batch, 1))
            page = try reading.results("n", after: page.cursor, limit: 10)
            #expect(try Self.ids(page.lines) == ["2"] && page.isLast)
            try slow.connection.query("ROLLBACK")
        }

        @Test func followerGetsEachResultOnceAndEndsWithTheBatch() async throws {
            let fixture = try await Fixture()
            let count = 3_000  // more than a page
            try await fixture.fleet.submit((0..<count).map { Fixture.get("\($0)") }, named: "n")
            let now = try await fixture.fleet.results(of: "n", follows: false).collected()
            #expect(now.isEmpty)
            async let workers: [Void] = onThreads(3) { _ in
                let store = try fixture.worker()
                while let batch = try store.openBatches(known: [:]).first {
                    try store.record(store.claim(batch, 40))
                }
            }
            var ids: [String] = []
            for try await line in fixture.fleet.results(of: "n") { ids += try Self.ids([line]) }
            _ = try await workers
            #expect(ids.count == count && Set(ids).count == count)
            let again = try await Self.ids(fixture.fleet.results(of: "n", follows: false).collected())
            #expect(again == ids, "the order is the same each time")
        }

        @Test func followerWaitsForAnUnreachableStore() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit([Fixture.get("a"), Fixture.get("b")], named: "n")
            let proxy = try await FaultProxy.start(toPort: fixture.server.port)
            let fleet = Fleet(store: fixture.server.tcpURL(database: fixture.database, port: proxy.port))
            let store = try fixture.worker()
            let batch = try store.openBatch()
            try store.record(store.claim(batch, 1))
            let hasFirst = Gate()
            let reading = Task {
                var ids: [String] = []
                for try await line in fleet.results(of: "n") {
                    ids += try Self.ids([line])
                    hasFirst.open()
                }
                return ids
            }
            await hasFirst.wait()
            await proxy.set(.refuse)
            await proxy.cut()
            try store.record(store.claim(batch, 1))
            await proxy.set(.forward)
            #expect(try await reading.value == ["a", "b"])
            await proxy.stop()
        }

        @Test func originsOfAMissingBatchAreAnError() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit([Fixture.get("a")], named: "n")
            await #expect(throws: FleetError.noBatch("m")) { try await fixture.fleet.origins(ofBatch: "m") }
            #expect(try await fixture.fleet.origins(ofBatch: "n").map(\.lineCount) == [1])
        }

        @Test func membersReportClaimedAndEndedLines() async throws {
            let fixture = try await Fixture()
            try await fixture.fleet.submit((0..<9).map { Fixture.get("\($0)") }, named: "n")
            let (one, other) = (try fixture.worker("one"), try fixture.worker("other"))
            let lines = try one.claim(one.openBatch(), 5)
            try one.record(Array(lines.prefix(2)))
            let members = try await fixture.fleet.members()
            #expect(members.map(\.name) == ["one", "other"] && members.map(\.slotCount) == [4, 4])
            #expect(members.map(\.claimedCount) == [3, 0] && members.map(\.endedCount) == [2, 0])
            #expect(members.allSatisfy { $0.secondsSilent >= 0 && $0.started.timeIntervalSinceNow < 60 })
            try other.leave()
            #expect(try await fixture.fleet.members().map(\.name) == ["one"])
            let batch = try await fixture.fleet.batch(named: "n")
            #expect(batch.claimedCount == 3 && batch.waitingCount == 4 && batch.endedCount == 2 && batch.byteCount == 2)
        }
    }
}

extension AsyncThrowingStream where Failure == any Error {
    fileprivate func collected() async throws -> [Element] {
        var all: [Element] = []
        for try await element in self { all.append(element) }
        return all
    }
}
