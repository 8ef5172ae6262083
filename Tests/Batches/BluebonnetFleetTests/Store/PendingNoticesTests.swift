// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetBatch
import Foundation
import Testing

@testable import BluebonnetFleet

extension StoreTests {
    /// Notifications are sent outside of the transactions that record outcomes, and not more than 20 times a second.
    @Suite struct PendingNoticesTests {
        /// Returns the notifications that a connection has received by the time of another statement.
        private static func heard(_ listener: PostgreSQLConnection) throws -> Set<String> {
            try listener.query("SELECT 1 WHERE $1", [.bool(true)])
            return try listener.notifications(until: .now, wake: -1)
        }

        @Test func recordingLeavesTheNotificationToTheWorker() async throws {
            let fixture = try await StoreFixture()
            try await fixture.fleet.submit(
                [StoreFixture.get("a"), StoreFixture.get("b", after: ["a"])], named: "n")
            let (store, listener) = (try fixture.worker(), try fixture.connect())
            try FleetNotice.listen(listener)
            try store.record(store.claim(store.openBatch(), 9), hasEdges: true)
            #expect(try Self.heard(listener).isEmpty && store.notices.kinds == [.work])
            let lines = try store.claim(store.openBatch(), 9)
            #expect(lines.map(\.id) == ["b"])
            try store.pauseOrigin("http://a", for: .seconds(9))
            try store.giveBack(lines[0].claim, batch: lines[0].batch, [lines[0].position])
            #expect(try Self.heard(listener).isEmpty && store.notices.kinds == [.work, .pause])
            try store.notices.send(store.connection, now: .now + .seconds(1))
            #expect(try Self.heard(listener) == ["work", "hold"] && store.notices.kinds.isEmpty)
        }

        @Test func noticesOfFiftyMillisecondsAreSentTogether() async throws {
            let fixture = try await StoreFixture()
            let (sender, listener) = (try fixture.connect(), try fixture.connect())
            try FleetNotice.listen(listener)
            let start = ContinuousClock.now
            let notices = PendingNotices(now: start)
            #expect(notices.due == nil)
            notices.add(.work)
            #expect(notices.due == start)
            try notices.send(sender, now: start)
            #expect(try Self.heard(listener) == ["work"] && notices.due == nil)
            for _ in 0..<9 { notices.add(.work) }
            notices.add(.cancel)
            try notices.send(sender, now: start + .milliseconds(49))
            #expect(try Self.heard(listener).isEmpty && notices.due == start + .milliseconds(50))
            try notices.send(sender, now: start + .milliseconds(50))
            #expect(try Self.heard(listener) == ["work", "cancel"])
            notices.add(.workers)
            try notices.sendAll(sender)
            #expect(try Self.heard(listener) == ["workers"])
        }
    }
}
