// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import Testing

@testable import BluebonnetCommand

@Suite struct LogHistogramTests {
    /// A generator with a seed, so that a failure can be repeated.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    @Test(arguments: [1, 2, 7, 100, 1000, 20_000])
    func percentilesAreWithinTheStatedError(count: Int) {
        var generator = Generator(state: UInt64(count))
        for spread in [1.0, 4, 10] {
            let samples = (0..<count).map { _ in 1e-5 * exp(Double.random(in: 0...spread, using: &generator)) }.sorted()
            var histogram = LogHistogram()
            for sample in samples.shuffled(using: &generator) { histogram.record(sample) }
            for fraction in [0.01, 0.5, 0.9, 0.95, 0.99, 1] {
                let exact = samples[max(1, Int((fraction * Double(count)).rounded(.up))) - 1]
                let error = abs(histogram.percentile(fraction) - exact) / exact
                #expect(error <= LogHistogram.relativeError, "\(fraction) of \(count): \(error)")
            }
            #expect(histogram.count == count && histogram.largest == samples.last)
        }
    }

    @Test func extremeDurationsAreCounted() {
        var histogram = LogHistogram()
        for sample in [0, 1e-9, 1e12] { histogram.record(sample) }
        #expect(histogram.percentile(0.5) <= 1e-6)
        #expect(histogram.count == 3 && histogram.largest == 1e12)
        #expect(LogHistogram().percentile(0.5) == 0)
    }

    @Test func sumCountsBoth() {
        var (first, second, both) = (LogHistogram(), LogHistogram(), LogHistogram())
        for number in 1...100 {
            first.record(Double(number) / 1000)
            second.record(Double(number))
            both.record(Double(number) / 1000)
            both.record(Double(number))
        }
        first.add(second)
        for fraction in [0.1, 0.5, 0.99] { #expect(first.percentile(fraction) == both.percentile(fraction)) }
        #expect(first.count == 200 && first.largest == 100)
    }
}
