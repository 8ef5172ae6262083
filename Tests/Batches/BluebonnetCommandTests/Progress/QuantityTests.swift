// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetCommand

@Suite struct QuantityTests {
    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (1_249, "1.2 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
        (12_345_678, "12.3 MB"), (30_000_000, "30.0 MB"), (5_000_000_000, "5.0 GB"), (Int64.max, "9.2 EB"),
    ])
    func bytesHaveAtMostOneDecimalAndDecimalUnits(_ count: Int64, _ text: String) {
        #expect(Quantity.bytes(count) == text)
    }

    @Test(arguments: [
        (0, "0:00"), (6.6, "0:07"), (59.4, "0:59"), (59.6, "1:00"), (62, "1:02"), (3_599, "59:59"), (3_723, "1:02:03"),
        (360_000, "100:00:00"),
    ])
    func durationsShowHoursOnlyWhenNeeded(_ seconds: Double, _ text: String) {
        #expect(Quantity.duration(seconds) == text)
    }

    @Test(arguments: [
        (0.004, "0.00 s"), (0.42, "0.42 s"), (0.997, "1.0 s"), (9.14, "9.1 s"), (59.94, "59.9 s"), (62, "1:02"),
    ])
    func shortTimesHaveDecimals(_ seconds: Double, _ text: String) {
        #expect(Quantity.elapsed(seconds) == text)
    }

    @Test(arguments: [(0, "0.0 req/s"), (7.36, "7.4 req/s"), (9.96, "10 req/s"), (1_234.4, "1234 req/s")])
    func onlySmallRatesHaveADecimal(_ rate: Double, _ text: String) {
        #expect(Quantity.requestsPerSecond(rate) == text)
    }

    @Test func byteRateIsNeverNegative() {
        #expect(Quantity.bytesPerSecond(9_800_000) == "9.8 MB/s")
        #expect(Quantity.bytesPerSecond(-5) == "0 B/s")
    }

    @Test func countOfOneIsSingular() {
        #expect(Quantity.count(1, "request") == "1 request")
        #expect(Quantity.count(0, "request") == "0 requests")
    }
}
