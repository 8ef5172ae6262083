// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch
@testable import BluebonnetCommand

@Suite struct ProgressHistoryTests {
    private func snapshot(finished: Int, _ transfers: (id: String, received: Int64, expected: Int64)...)
        -> RequestLineRunner.Snapshot
    {
        RequestLineRunner.Snapshot(
            totalCount: 10, counts: [.success: finished - 1, .failure: 1], receivedByteCount: 7,
            largestTransfers: transfers.map { transfer in
                RequestLineRunner.Snapshot.Transfer(
                    id: transfer.id, receivedByteCount: transfer.received, expectedByteCount: transfer.expected)
            })
    }

    @Test func ratesComeFromTheDifferencesOfSnapshots() throws {
        var history = ProgressHistory()
        let first = history.reading(of: snapshot(finished: 1, ("a", 100, 1000)), isTotalKnown: true, at: 1)
        #expect(first.requestsPerSecond == nil)
        #expect(first.transfers[0].bytesPerSecond == nil)
        let second = history.reading(of: snapshot(finished: 5, ("a", 300, 1000)), isTotalKnown: true, at: 3)
        #expect(abs(try #require(second.requestsPerSecond) - 2) < 0.001)
        #expect(abs(try #require(second.transfers[0].bytesPerSecond) - 100) < 0.001)
        #expect(second.failureCount == 1)
        #expect(second.receivedByteCount == 7)
        #expect(second.elapsed == 3)
    }

    @Test func unknownSizeIsNil() {
        var history = ProgressHistory()
        let reading = history.reading(of: snapshot(finished: 1, ("a", 100, -1)), isTotalKnown: false, at: 1)
        #expect(reading.transfers[0].expectedByteCount == nil)
        #expect(reading.fraction == nil)
    }

    @Test func returningTransferStartsAnew() {
        var history = ProgressHistory()
        _ = history.reading(of: snapshot(finished: 1, ("a", 100, -1)), isTotalKnown: true, at: 1)
        _ = history.reading(of: snapshot(finished: 1), isTotalKnown: true, at: 2)
        let reading = history.reading(of: snapshot(finished: 1, ("a", 900, -1)), isTotalKnown: true, at: 3)
        #expect(reading.transfers[0].bytesPerSecond == nil)
    }
}
