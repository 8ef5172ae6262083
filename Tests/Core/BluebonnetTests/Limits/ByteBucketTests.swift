// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct ByteBucketTests {
    private static let second: UInt64 = 1_000_000_000
    private static let start: UInt64 = 5_000_000_000

    /// The consumed bytes and their times in milliseconds after the start, and when the bucket opens afterwards.
    private struct Row {
        let rate: Int
        let takes: [(at: UInt64, byteCount: Int)]
        let opensAt: UInt64
    }

    private static let rows = [
        // Capacity for a tenth of a second is saved.
        Row(rate: 1000, takes: [(0, 100)], opensAt: 0),
        Row(rate: 1000, takes: [(0, 1000)], opensAt: 900),
        Row(rate: 1000, takes: [(0, 600), (500, 600)], opensAt: 1100),
        // A closed bucket refuses nothing: the consumed bytes add up.
        Row(rate: 1000, takes: [(0, 1000), (0, 1000)], opensAt: 1900),
        // Earlier unused capacity is lost.
        Row(rate: 1000, takes: [(0, 100), (10_000, 1000)], opensAt: 10_900),
        // A late timer costs nothing.
        Row(rate: 1000, takes: [(0, 1100), (1050, 1000)], opensAt: 2000),
        Row(rate: 1, takes: [(0, 2)], opensAt: 1900),
        Row(rate: 1 << 30, takes: [(0, 1 << 30)], opensAt: 900),
    ]

    @Test(arguments: rows.indices) func bucketOpensWhenConsumedBytesArePaidFor(index: Int) {
        let row = Self.rows[index]
        var bucket = ByteBucket(bytesPerSecond: row.rate)
        for (at, byteCount) in row.takes { bucket.consume(byteCount, now: Self.start + at * 1_000_000) }
        #expect(bucket.opensAt == Self.start + row.opensAt * 1_000_000)
    }

    @Test func manyPiecesTakeAsLongAsTheirSum() {
        var bucket = ByteBucket(bytesPerSecond: 100_000)
        var now = Self.start
        for _ in 0..<100 {
            bucket.consume(16_384, now: now)
            now = max(now, bucket.opensAt) + 3_000_000  // the timer is late
        }
        let seconds = Double(bucket.opensAt - Self.start) / 1e9
        #expect(abs(seconds - (16.384 - 0.1)) < 0.001)
    }

    @Test func returnedBytesCostNothing() {
        var bucket = ByteBucket(bytesPerSecond: 1000)
        bucket.consume(1000, now: Self.start)
        let opensAt = bucket.opensAt
        bucket.consume(700, now: Self.start)
        bucket.giveBack(700)
        #expect(bucket.opensAt == opensAt)
        // Returning more than was consumed saves a tenth of a second, as always.
        bucket.giveBack(.max)
        bucket.consume(1000, now: Self.start)
        #expect(bucket.opensAt == opensAt)
    }

    @Test func hugeCountsDoNotOverflow() {
        var bucket = ByteBucket(bytesPerSecond: 1)
        for _ in 0..<10 { bucket.consume(.max, now: Self.start) }
        #expect(bucket.opensAt > Self.start + 100_000_000 * Self.second)
    }

    @Test(arguments: [(1, 256), (1000, 256), (8192, 1024), (1 << 20, 131_072)])
    func pieceIsAnEighthOfASecond(rate: Int, byteCount: Int) {
        #expect(ByteBucket(bytesPerSecond: rate).pieceByteCount == byteCount)
    }
}
