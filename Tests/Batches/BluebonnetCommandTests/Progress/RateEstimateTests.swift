// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetCommand

@Suite struct RateEstimateTests {
    @Test func rateIsUnknownBeforeTwoMeasurements() {
        var rate = RateEstimate()
        #expect(rate.perSecond == nil)
        rate.record(10, at: 0)
        #expect(rate.perSecond == nil)
    }

    @Test func steadyGrowthGivesItsRateFromTheStart() throws {
        var rate = RateEstimate()
        for step in 0...50 {
            rate.record(Double(step) * 10, at: Double(step) * 0.1)
            if step > 0 { #expect(abs(try #require(rate.perSecond) - 100) < 0.001) }
        }
    }

    @Test func changeIsFollowedWithinSeconds() throws {
        var rate = RateEstimate()
        for step in 0...10 { rate.record(Double(step) * 100, at: Double(step)) }
        rate.record(1000, at: 12)
        #expect(try #require(rate.perSecond) < 40)
        rate.record(1000, at: 22)
        #expect(try #require(rate.perSecond) < 1)
    }

    @Test func secondMeasurementAtTheSameInstantChangesNothing() {
        var rate = RateEstimate()
        rate.record(0, at: 1)
        rate.record(10, at: 1)
        #expect(rate.perSecond == nil)
    }
}
