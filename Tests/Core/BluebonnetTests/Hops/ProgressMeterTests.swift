// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct ProgressMeterTests {
    private static let millisecond: UInt64 = 1_000_000

    @Test func firstBytesAreReportedAtOnce() {
        var meter = ProgressMeter()
        #expect(meter.advance(by: 10, now: 5) == 10)
        #expect(meter.total == 10)
    }

    @Test func bytesWithinATenthOfASecondAreReportedTogether() {
        var meter = ProgressMeter()
        #expect(meter.advance(by: 1, now: 0) == 1)
        #expect(meter.advance(by: 2, now: 1) == nil)
        #expect(meter.advance(by: 4, now: 99 * Self.millisecond) == nil)
        #expect(meter.advance(by: 8, now: 100 * Self.millisecond) == 14)
        #expect(meter.total == 15)
        #expect(meter.advance(by: 16, now: 199 * Self.millisecond) == nil)
        #expect(meter.advance(by: 32, now: 200 * Self.millisecond) == 48)
    }

    @Test func unreportedProgressIsReturnedOnce() {
        var meter = ProgressMeter()
        _ = meter.advance(by: 1, now: 0)
        _ = meter.advance(by: 2, now: 1)
        #expect(meter.consumeUnreported() == 2)
        #expect(meter.consumeUnreported() == nil)
    }

    @Test func progressOfNoBytesIsNotReported() {
        var meter = ProgressMeter()
        #expect(meter.consumeUnreported() == nil)
        #expect(meter.advance(by: 0, now: 0) == nil)
    }

    @Test func deltasAddUpToTheTotal() {
        var meter = ProgressMeter()
        var told: Int64 = 0
        for step in 0..<1_000 { told += meter.advance(by: step, now: UInt64(step) * 7 * Self.millisecond) ?? 0 }
        told += meter.consumeUnreported() ?? 0
        #expect(told == 499_500)
        #expect(meter.total == 499_500)
    }

    @Test func restartedBodyCountsFromItsNewOffset() {
        var meter = ProgressMeter()
        _ = meter.advance(by: 100, now: 0)
        _ = meter.advance(by: 50, now: 1)
        meter.restart(at: 40)
        #expect(meter.consumeUnreported() == nil)
        #expect(meter.advance(by: 10, now: 200 * Self.millisecond) == 10)
        #expect(meter.total == 50)
    }
}
