// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite struct NetworkActivityTests {
    private let start = ContinuousClock.now

    private func activity() -> NetworkActivity {
        NetworkActivity(activationDelay: .seconds(1), completionDelay: .milliseconds(170))
    }

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func shortRequestIsNotSeen() {
        var activity = activity()
        activity.handle(.began, now: at(0))
        #expect(!activity.isActive)
        #expect(activity.nextInstant == at(1000))
        activity.handle(.ended, now: at(999))
        #expect(activity.state == .inactive)
        activity.handle(.timePassed, now: at(1000))
        #expect(activity.state == .inactive)
    }

    @Test func longRequestIsSeenFromTheDelayOn() {
        var activity = activity()
        activity.handle(.began, now: at(0))
        activity.handle(.timePassed, now: at(999))
        #expect(!activity.isActive)
        activity.handle(.timePassed, now: at(1000))
        #expect(activity.state == .active)
        #expect(activity.nextInstant == nil)
    }

    @Test func shortGapIsNotSeen() {
        var activity = activity()
        activity.handle(.began, now: at(0))
        activity.handle(.timePassed, now: at(1000))
        activity.handle(.ended, now: at(2000))
        #expect(activity.isActive)
        #expect(activity.nextInstant == at(2170))
        activity.handle(.began, now: at(2169))
        activity.handle(.timePassed, now: at(2170))
        #expect(activity.state == .active)
    }

    @Test func endIsSeenAfterItsDelay() {
        var activity = activity()
        activity.handle(.began, now: at(0))
        activity.handle(.timePassed, now: at(1000))
        activity.handle(.ended, now: at(2000))
        activity.handle(.timePassed, now: at(2170))
        #expect(activity.state == .inactive)
    }

    @Test func allThatBeganHasToEnd() {
        var activity = activity()
        activity.handle(.began, now: at(0))
        activity.handle(.began, now: at(1))
        activity.handle(.ended, now: at(2))
        activity.handle(.timePassed, now: at(1000))
        #expect(activity.state == .active)
        #expect(activity.count == 1)
    }

    @Test func endOfWhatBeganBeforeTheCountingHasNoEffect() {
        var activity = activity()
        activity.handle(.ended, now: at(0))
        activity.handle(.began, now: at(1))
        #expect(activity.count == 1)
        #expect(activity.state == .delayingStart(until: at(1001)))
    }

    @Test func withoutDelaysEachChangeIsSeenAtOnce() {
        var activity = NetworkActivity(activationDelay: .zero, completionDelay: .zero)
        activity.handle(.began, now: at(0))
        #expect(activity.state == .active)
        activity.handle(.ended, now: at(0))
        #expect(activity.state == .inactive)
    }
}
