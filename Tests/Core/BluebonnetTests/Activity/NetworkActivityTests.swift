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

    @Test func shortRequestDoesNotActivate() {
        var activity = activity()
        activity.handle(.began, now: at(0))
        #expect(!activity.isActive)
        #expect(activity.nextInstant == at(1000))
        activity.handle(.ended, now: at(999))
        #expect(activity.state == .inactive)
        activity.handle(.timePassed, now: at(1000))
        #expect(activity.state == .inactive)
    }

    @Test func longRequestActivatesAfterDelay() {
        var activity = activity()
        activity.handle(.began, now: at(0))
        activity.handle(.timePassed, now: at(999))
        #expect(!activity.isActive)
        activity.handle(.timePassed, now: at(1000))
        #expect(activity.state == .active)
        #expect(activity.nextInstant == nil)
    }

    @Test func shortGapKeepsActive() {
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

    @Test func endDeactivatesAfterDelay() {
        var activity = activity()
        activity.handle(.began, now: at(0))
        activity.handle(.timePassed, now: at(1000))
        activity.handle(.ended, now: at(2000))
        activity.handle(.timePassed, now: at(2170))
        #expect(activity.state == .inactive)
    }

    @Test func manyShortRequestsNeedOnlyOneTimer() {
        var activity = activity()
        var timers: [ContinuousClock.Instant] = []
        for millisecond in 0..<900 {
            activity.handle(millisecond.isMultiple(of: 2) ? .began : .ended, now: at(millisecond))
            if let timer = activity.claimTimer() { timers.append(timer) }
        }
        #expect(timers == [at(1000)])
        activity.handle(.began, now: at(950))
        #expect(activity.claimTimer() == nil, "the first timer looks again")
        activity.timerPassed(at(1000), now: at(1000))
        #expect(!activity.isActive && activity.claimTimer() == at(1950))
        activity.timerPassed(at(1950), now: at(1950))
        #expect(activity.isActive && activity.claimTimer() == nil)
    }

    @Test func earlierEndNeedsItsOwnTimer() {
        var activity = NetworkActivity(activationDelay: .seconds(1), completionDelay: .milliseconds(10))
        activity.handle(.began, now: at(0))
        #expect(activity.claimTimer() == at(1000))
        activity.timerPassed(at(1000), now: at(999))
        #expect(activity.claimTimer() == at(1000), "a timer that is early is set again")
        activity.timerPassed(at(1000), now: at(1000))
        activity.handle(.ended, now: at(1001))
        #expect(activity.claimTimer() == at(1011))
    }

    @Test func staysActiveUntilEveryRequestEnds() {
        var activity = activity()
        activity.handle(.began, now: at(0))
        activity.handle(.began, now: at(1))
        activity.handle(.ended, now: at(2))
        activity.handle(.timePassed, now: at(1000))
        #expect(activity.state == .active)
        #expect(activity.count == 1)
    }

    @Test func endWithoutBeginHasNoEffect() {
        var activity = activity()
        activity.handle(.ended, now: at(0))
        activity.handle(.began, now: at(1))
        #expect(activity.count == 1)
        #expect(activity.state == .delayingStart(until: at(1001)))
    }

    @Test func changesApplyAtOnceWithoutDelays() {
        var activity = NetworkActivity(activationDelay: .zero, completionDelay: .zero)
        activity.handle(.began, now: at(0))
        #expect(activity.state == .active)
        activity.handle(.ended, now: at(0))
        #expect(activity.state == .inactive)
    }
}
