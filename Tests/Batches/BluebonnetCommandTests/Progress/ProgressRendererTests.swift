// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetCommand

@Suite struct ProgressRendererTests {
    @Test func runShowsBarCountsRateBytesAndTimeLeft() {
        let reading = ProgressReading.sample(finished: 30, total: 60, rate: 10, bytes: 12_300_000)
        #expect(
            ProgressRenderer(width: 79).lines(reading) == [
                "[==============>             ] 30/60   50%  10 req/s  12.3 MB  0:03 left"
            ])
    }

    @Test func failuresAreCounted() {
        let reading = ProgressReading.sample(finished: 30, total: 60, rate: 10, bytes: 0, failures: 2)
        #expect(ProgressRenderer.text(reading) == "30/60   50%  2 failed  10 req/s  0 B  0:03 left")
    }

    @Test func progressWithoutTotalHasNoPercentageBarOrTimeLeft() {
        let reading = ProgressReading.sample(finished: 30, total: 60, rate: 10, isTotalKnown: false, elapsed: 62)
        #expect(ProgressRenderer(width: 79).lines(reading) == ["30/60 so far  10 req/s  0 B  1:02"])
    }

    @Test func hundredPercentIsShownOnlyAtTheEnd() {
        #expect(ProgressRenderer.text(.sample(finished: 999, total: 1000)).contains("99%"))
        #expect(ProgressRenderer.text(.sample(finished: 1000, total: 1000)).contains("100%"))
        #expect(ProgressRenderer.text(.sample(finished: 0, total: 0)).contains("100%"))
        #expect(ProgressRenderer.text(.sample(finished: 0, total: 7)).contains("  0%"))
    }

    @Test func transferShowsNameBarBytesAndRate() {
        let transfers = [
            ProgressReading.Transfer(
                id: "film", receivedByteCount: 7_500_000, expectedByteCount: 30_000_000, bytesPerSecond: 1_000_000),
            ProgressReading.Transfer(
                id: "stream", receivedByteCount: 512, expectedByteCount: nil, bytesPerSecond: nil),
        ]
        let lines = ProgressRenderer(width: 80).lines(.sample(finished: 0, total: 2, transfers: transfers))
        #expect(lines[1] == "  film    [=======>                    ]   7.5 MB of  30.0 MB   25%  1.0 MB/s")
        #expect(lines[2] == "  stream     512 B")
    }

    @Test func originsOnHoldAndPendingRetriesAreShown() {
        var reading = ProgressReading.sample(finished: 30, total: 60, rate: 10)
        reading.waitingRetryCount = 4
        reading.heldOrigins = [
            ProgressReading.HeldOrigin(origin: "https://a.test:443", secondsLeft: 61.2, waitingCount: 300),
            ProgressReading.HeldOrigin(origin: "http://b.test:80", secondsLeft: 0.1, waitingCount: 0),
        ]
        #expect(ProgressRenderer.text(reading) == "30/60   50%  4 to retry  10 req/s  0 B  0:03 left")
        let lines = ProgressRenderer(width: 80).lines(reading).dropFirst()
        #expect(
            lines == [
                "  https://a.test:443  on hold for 1:02, 300 requests waiting", "  http://b.test:80  on hold for 0:01",
            ])
        reading.heldOrigins = Array(repeating: reading.heldOrigins[0], count: 9)
        #expect(ProgressRenderer(width: 20).lines(reading).count == 4)
        #expect(ProgressRenderer(width: 20).lines(reading).allSatisfy { TerminalText.columns(of: $0) <= 20 })
    }

    @Test(arguments: [1, 5, 20, 30, 40, 60, 80, 200])
    func noLineIsWiderThanTheTerminal(_ width: Int) {
        let transfers = (0..<9).map { number in
            ProgressReading.Transfer(
                id: String(repeating: number.isMultiple(of: 2) ? "日本" : "name", count: number * 5),
                receivedByteCount: 999_900_000, expectedByteCount: 999_900_000_000, bytesPerSecond: 99_000)
        }
        let lines = ProgressRenderer(width: width).lines(.sample(finished: 5, total: 10, transfers: transfers))
        #expect(lines.count == 6)
        #expect(lines.allSatisfy { TerminalText.columns(of: $0) <= width })
    }

    @Test func controlCharactersInNamesAreReplaced() {
        let transfer = ProgressReading.Transfer(
            id: "a\u{1B}[H\n", receivedByteCount: 1, expectedByteCount: nil, bytesPerSecond: nil)
        let lines = ProgressRenderer(width: 80).lines(.sample(finished: 0, total: 1, transfers: [transfer]))
        #expect(lines[1] == "  a?[H?       1 B")
    }
}

@Suite struct ProgressReadingTests {
    @Test func longTransferDecidesTheTimeLeft() {
        let transfer = ProgressReading.Transfer(
            id: "film", receivedByteCount: 10, expectedByteCount: 110, bytesPerSecond: 2)
        #expect(ProgressReading.sample(finished: 9, total: 10, rate: 5, transfers: [transfer]).secondsLeft == 50)
        #expect(ProgressReading.sample(finished: 0, total: 1001, rate: 5, transfers: [transfer]).secondsLeft == 200)
    }

    @Test func stalledRunHasNoTimeLeft() {
        #expect(ProgressReading.sample(finished: 1, total: 10, rate: 0).secondsLeft == nil)
        #expect(ProgressReading.sample(finished: 10, total: 10, rate: 0).secondsLeft == 0)
        #expect(ProgressReading.sample(finished: 1, total: 10, rate: 5, isTotalKnown: false).secondsLeft == nil)
    }
}

extension ProgressReading {
    /// A reading with defaults for what a test does not set.
    static func sample(
        finished: Int, total: Int, rate: Double? = nil, bytes: Int64 = 0, failures: Int = 0, isTotalKnown: Bool = true,
        elapsed: Double = 0, transfers: [Transfer] = []
    ) -> ProgressReading {
        ProgressReading(
            finishedCount: finished, totalCount: total, isTotalKnown: isTotalKnown, failureCount: failures,
            receivedByteCount: bytes, elapsed: elapsed, requestsPerSecond: rate, transfers: transfers)
    }
}
