// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Testing

@Suite struct SpreadTests {
    @Test func medianOfAnOddCountIsTheMiddleValue() {
        let spread = Spread([9, 1, 4])
        #expect((spread.minimum, spread.median, spread.maximum) == (1, 4, 9))
    }

    @Test func medianOfAnEvenCountIsBetweenTheMiddleValues() {
        #expect(Spread([10, 1, 2, 3]).median == 2.5)
    }

    @Test func textHasTheMedianAndTheEnds() {
        #expect(Spread([1.26, 1.24, 1.31]).text(fractionDigits: 1) == "1.3 (1.2–1.3)")
        #expect(Spread([54_012, 52_000, 55_100]).text(fractionDigits: 0) == "54012 (52000–55100)")
    }
}

@Suite struct LatencySummaryTests {
    @Test func percentilesAreTheNearestRanks() {
        // 1 to 200 µs, in an arbitrary order: rank 100 of 200 and rank 198 of 200.
        let summary = LatencySummary(microseconds: (1...200).map { Float(($0 * 77) % 201) })
        #expect(summary?.p50Milliseconds == 0.1)
        #expect(summary?.p99Milliseconds == 0.198)
    }

    @Test func oneValueIsEveryPercentile() {
        let summary = LatencySummary(microseconds: [2500])
        #expect(summary?.p50Milliseconds == 2.5)
        #expect(summary?.p99Milliseconds == 2.5)
    }

    @Test func noValuesHaveNoSummary() {
        #expect(LatencySummary(microseconds: []) == nil)
    }
}

@Suite struct MeasuredTests {
    @Test func ratesAreOfTheMeasuredPart() {
        let measurement = Measured(
            client: .libcurl, requestCount: 500, concurrency: 1, byteCount: 3_000_000, wallSeconds: 0.5,
            cpuSeconds: 0.02,
            latency: nil, peakResidentByteCount: 3 << 20)
        #expect(measurement.requestsPerSecond == 1000)
        #expect(measurement.megabytesPerSecond == 6)
        #expect(measurement.cpuMicrosecondsPerRequest == 40)
        #expect(Metric.peakResidentMebibytes.value(of: measurement) == 3)
        #expect(Metric.allocationsPerRequest.value(of: measurement) == nil)
    }
}
