// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite struct TimeBudgetTests {
    private static func metrics(connect: UInt64 = 0, firstByte: UInt64 = 0, isReused: Bool = false) -> TransferMetrics {
        var metrics = TransferMetrics()
        (metrics.connect, metrics.firstByte, metrics.isReused) = (connect, firstByte, isReused)
        return metrics
    }

    @Test func singleTransferReportsItsTimes() {
        var account = TimeBudget(began: 100)
        #expect(!account.wasAdmitted)
        #expect(account.beginTransfer(now: 130) == .max)
        #expect(account.wasAdmitted)
        account.record(Self.metrics(connect: 7, firstByte: 20), now: 170)
        let summary = account.summary(now: 180)
        #expect(summary.transferCount == 1)
        #expect(summary.timings.nanoseconds.queued == 30)
        #expect(summary.timings.nanoseconds.connect == 7)
        #expect(summary.timings.nanoseconds.firstByte == 20)
        #expect(summary.timings.nanoseconds.total == 80)
        #expect(
            summary.timings.nanoseconds.shares.phases == [.preparation: 40, .connect: 7, .waiting: 13, .receiving: 20])
    }

    @Test func firstByteCountsFromFirstSlotAndConnectTimesSum() {
        var account = TimeBudget(began: 0)
        _ = account.beginTransfer(now: 10)
        account.record(Self.metrics(connect: 3, firstByte: 5), now: 30)
        account.recordRedirect()
        _ = account.beginTransfer(now: 40)
        account.beginAgain(after: Self.metrics(connect: 4), now: 50)
        account.record(Self.metrics(connect: 5, firstByte: 6, isReused: true), now: 90)
        let summary = account.summary(now: 100)
        #expect((summary.transferCount, summary.redirectCount) == (2, 1))
        #expect(summary.isReused)
        #expect(summary.timings.nanoseconds.queued == 10)
        #expect(summary.timings.nanoseconds.connect == 12)
        #expect(summary.timings.nanoseconds.firstByte == 46)
    }

    @Test func pausesAndWaitsDoNotUseUpTheLimit() {
        var account = TimeBudget(began: 0)
        account.limitTime(to: 100)
        #expect(account.beginTransfer(now: 1000) == 1100)
        account.charge(now: 1030)
        #expect(account.beginCharging(now: 5000) == 5070)
        account.charge(now: 5070)
        #expect(!account.hasTimeLeft)
        #expect(account.beginTransfer(now: 6000) == 6000)
    }

    @Test func overrunLimitIsUsedUp() {
        var account = TimeBudget(began: 0)
        account.limitTime(to: 100)
        _ = account.beginTransfer(now: 0)
        account.charge(now: 99)
        #expect(account.hasTimeLeft)
        account.charge(now: 250)
        #expect(!account.hasTimeLeft)
        account.limitTime(to: nil)
        account.charge(now: 1_000_000)
        #expect(account.hasTimeLeft)
    }

    @Test func requestWithoutTransfersIsPreparationOnly() {
        let summary = TimeBudget(began: 5).summary(now: 25)
        #expect(summary.transferCount == 0)
        #expect(summary.timings.phases == [.preparation: .nanoseconds(20)])
        #expect(summary.timings.total == .nanoseconds(20))
    }

    @Test func waitsAndTransfersAddUpToTheTotal() {
        var account = TimeBudget(began: 100)
        account.add(50, to: .wait(.dependency))
        account.divide([(.hold, 10), (.rate, 500)], rest: .wait(.slot), now: 200)  // cut to the time
        _ = account.beginTransfer(now: 205)
        account.change(to: .share(.wait(.pause)), now: 215)
        account.change(to: .transfer, now: 315)
        account.record(Self.metrics(firstByte: 115), now: 325)
        account.change(to: .share(.wait(.backoff)), now: 325)
        let timings = account.summary(now: 425).timings
        #expect(
            timings.waits.mapValues { $0 / .nanoseconds(1) } == [
                .dependency: 50, .hold: 10, .rate: 90, .pause: 100, .backoff: 100,
            ])
        #expect(timings.phases.mapValues { $0 / .nanoseconds(1) } == [.preparation: 5, .waiting: 20])
        #expect(timings.total == .nanoseconds(375))
    }
}
