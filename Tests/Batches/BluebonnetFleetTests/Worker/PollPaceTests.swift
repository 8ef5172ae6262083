// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetFleet

/// A worker behind a pooler asks less and less often while there is nothing to do.
@Suite struct PollPaceTests {
    private static let start = ContinuousClock.now

    @Test func intervalGrowsFromFiftyMillisecondsToThirtySeconds() {
        var (pace, now) = (PollPace(now: Self.start), Self.start)
        var intervals: [Duration] = []
        for _ in 0..<20 {
            pace.asked(hasLines: false, now: now)
            intervals.append(pace.next - now)
            now = pace.next
        }
        #expect(intervals[0] == .milliseconds(50) && intervals[1] == .milliseconds(75))
        #expect(intervals == intervals.sorted() && intervals.last == .seconds(30))
    }

    @Test func workerWithLinesAsksEachSecond() {
        var pace = PollPace(now: Self.start)
        for _ in 0..<20 { pace.asked(hasLines: true, now: Self.start) }
        #expect(pace.next == Self.start + .seconds(1))
    }

    @Test func workBringsTheShortestIntervalBack() {
        var pace = PollPace(now: Self.start)
        for _ in 0..<20 { pace.asked(hasLines: false, now: Self.start) }
        pace.foundWork(now: Self.start)
        #expect(pace.next == Self.start + .milliseconds(50))
        pace.asked(hasLines: false, now: pace.next)
        #expect(pace.next == Self.start + .milliseconds(100))
    }
}
