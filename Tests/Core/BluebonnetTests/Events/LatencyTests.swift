// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

@Suite struct LatencyTests {
    @Test func percentilesDifferByAtMostTheStatedError() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            let largest = Double.random(in: 3...10, using: &random)
            let samples = (0..<1_000).map { _ in UInt64(pow(10, Double.random(in: 0...largest, using: &random))) }
            var histogram = LatencyHistogram()
            for sample in samples { histogram.record(sample) }
            let sorted = samples.sorted()
            for (part, index) in [(0.5, 499), (0.95, 949), (0.99, 989), (1, 999)] {
                let (exact, found) = (Double(sorted[index]), Double(histogram.percentile(part) ?? 0))
                #expect(abs(found - exact) <= exact * 0.016, "\(found) instead of \(exact)")
            }
        }
    }

    @Test func emptyHistogramHasNoPercentile() { #expect(LatencyHistogram().percentile(0.5) == nil) }

    @Test func extremeDurationsAreCounted() {
        var histogram = LatencyHistogram()
        for duration in [0, 1, .max] as [UInt64] { histogram.record(duration) }
        #expect(histogram.percentile(0.3) == 0 && histogram.percentile(0.5) == 1 && histogram.percentile(1) == .max)
        #expect(histogram.count == 3 && histogram.longest == .max)
    }

    @Test func sumCountsBoth() {
        var (first, second, both) = (LatencyHistogram(), LatencyHistogram(), LatencyHistogram())
        for number in 1...100 as ClosedRange<UInt64> {
            first.record(number * 1_000)
            second.record(number * 1_000_000)
            both.record(number * 1_000)
            both.record(number * 1_000_000)
        }
        first.add(second)
        #expect(first == both && first.count == 200 && first.longest == 100_000_000)
    }

    @Test func durationsOlderThanAMinuteAreForgotten() throws {
        let origin = try #require(Origin(URL(fileURLWithPath: "/")) ?? Origin(plain: "http://a.test/"))
        var latencies = RecentLatencies()
        let second: UInt64 = 1_000_000_000
        latencies.record(5_000_000, to: origin, now: 100 * second)
        latencies.record(5_000_000, to: origin, now: 140 * second)
        #expect(latencies.histograms(now: 140 * second)[origin]?.count == 2)
        #expect(latencies.histograms(now: 160 * second)[origin]?.count == 1)
        #expect(latencies.histograms(now: 900 * second)[origin]?.count == 0)
    }

    @Test func numberOfOriginsIsBounded() throws {
        var latencies = RecentLatencies()
        for number in 0..<1_000 {
            let origin = try #require(Origin(plain: "http://h\(number).test/"))
            latencies.record(5_000_000, to: origin, now: UInt64(number) * 1_000_000_000)
        }
        let histograms = latencies.histograms(now: 999_000_000_000)
        #expect(histograms.count <= 256)
        let last = try #require(Origin(plain: "http://h999.test/"))
        #expect(histograms[last]?.count == 1)
    }
}
