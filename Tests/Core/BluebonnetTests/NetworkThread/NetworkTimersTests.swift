// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct NetworkTimersTests {
    /// A clock that a test moves.
    private final class Hand: Sendable {
        let now = Atomic<UInt64>(100)
        var clock: TimeSource {
            TimeSource(now: { self.now.load(ordering: .relaxed) }, date: { Date() }, random: { 0 })
        }
    }

    @Test func actionsRunOnceInTheOrderOfTheirInstants() {
        let hand = Hand()
        let timers = NetworkTimers(loop: nil, clock: hand.clock)
        var order: [Int] = []
        for (number, instant) in [(1, 300), (2, 200), (3, 300), (4, 400)] as [(Int, UInt64)] {
            _ = timers.wait(until: instant) { order.append(number) }
        }
        timers.runDue()
        #expect(order.isEmpty)
        hand.now.store(300, ordering: .relaxed)
        timers.runDue()
        timers.runDue()
        #expect(order == [2, 1, 3])
        #expect(timers.count == 1)
    }

    @Test func withdrawnActionDoesNotRun() {
        let hand = Hand()
        let timers = NetworkTimers(loop: nil, clock: hand.clock)
        var order: [Int] = []
        let ticket = timers.wait(until: 200) { order.append(1) }
        _ = timers.wait(until: 200) { order.append(2) }
        timers.withdraw(ticket)
        hand.now.store(200, ordering: .relaxed)
        timers.runDue()
        #expect(order == [2] && timers.count == 0)
    }

    @Test func withdrawnActionsLeaveFewEntries() {
        let hand = Hand()
        let timers = NetworkTimers(loop: nil, clock: hand.clock)
        var order: [UInt64] = []
        _ = timers.wait(until: 5_000) { order.append(5_000) }
        for instant in 1_000..<4_000 as Range<UInt64> {
            timers.withdraw(timers.wait(until: instant) { order.append(instant) })
            #expect(timers.entryCount < 100)
        }
        _ = timers.wait(until: 4_000) { order.append(4_000) }
        hand.now.store(5_000, ordering: .relaxed)
        timers.runDue()
        #expect(order == [4_000, 5_000])
    }

    @Test func actionCanWaitAgain() {
        let hand = Hand()
        let timers = NetworkTimers(loop: nil, clock: hand.clock)
        var count = 0
        _ = timers.wait(until: 100) {
            count += 1
            _ = timers.wait(until: 500) { count += 1 }
        }
        timers.runDue()
        #expect(count == 1 && timers.count == 1)
    }

    @Test func loopWakesForTheEarliestInstant() {
        let turned = TurnedLoop()
        let timers = NetworkTimers(loop: turned.loop)
        var order: [Int] = []
        let now = MonotonicClock.now()
        _ = timers.wait(until: now + 20_000_000) { order.append(2) }
        _ = timers.wait(until: now + 5_000_000) { order.append(1) }
        turned.turn { order.count == 2 }
        #expect(order == [1, 2])
        #expect(MonotonicClock.now() >= now + 20_000_000)
    }
}
