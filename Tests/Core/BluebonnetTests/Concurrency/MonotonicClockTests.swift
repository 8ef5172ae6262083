// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct MonotonicClockTests {
    @Test func clockNeverGoesBack() {
        let instants = (0..<1_000).map { _ in MonotonicClock.now() }
        #expect(instants == instants.sorted())
    }

    @Test(
        arguments: [
            (.zero, 0), (.nanoseconds(1), 1), (.microseconds(1), 1_000), (.milliseconds(1_500), 1_500_000_000),
            (.seconds(10), 10_000_000_000), (.seconds(-1), 0), (.milliseconds(-1), 0),
            (Duration(secondsComponent: 0, attosecondsComponent: 999_999_999), 0),
        ] as [(Duration, UInt64)])
    func durationConvertsToWholeNanoseconds(duration: Duration, expected: UInt64) {
        #expect(duration.nanoseconds == expected)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(20_000_000_000)])
    func longDurationIsClampedBelowOverflow(duration: Duration) {
        let (_, isOverflow) = MonotonicClock.now().addingReportingOverflow(duration.nanoseconds)
        #expect(!isOverflow)
        #expect(duration.nanoseconds == UInt64.max / 4)
    }

    @Test func roughClockAgreesWithTheExactClock() {
        let before = MonotonicClock.roughly()
        let now = MonotonicClock.now()
        #expect(before <= now)
        // The rough clock advances with the kernel's tick, every 10 ms at most.
        var rough = MonotonicClock.roughly()
        while rough < now { rough = MonotonicClock.roughly() }
        #expect(rough >= now)
    }

    @Test(
        arguments: [
            (1.5, .milliseconds(1_500)), (0, .zero), (-1, .zero), (.infinity, .zero), (-.infinity, .zero),
            (.nan, .zero), (1e9, .zero), (1e300, .zero), (60, .seconds(60)),
        ] as [(Double, Duration)])
    func secondsBecomeADurationOrNoLimit(seconds: Double, expected: Duration) {
        #expect(Duration(clampingSeconds: seconds) == expected)
        #expect(MonotonicClock.nanoseconds(clampingSeconds: seconds) == expected.nanoseconds)
    }

    @Test func durationSecondsKeepTheirFraction() {
        #expect(Duration.milliseconds(1_500).seconds == 1.5)
        #expect(Duration.milliseconds(-250).seconds == -0.25)
    }
}
