// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

@Suite struct ByteBucketTests {
    private static let second: UInt64 = 1_000_000_000
    private static let start: UInt64 = 5_000_000_000

    /// What is taken when, in milliseconds after the start, and when the bucket opens after that.
    private struct Row {
        let rate: Int
        let takes: [(at: UInt64, byteCount: Int)]
        let opensAt: UInt64
    }

    private static let rows = [
        // A tenth of a second is saved.
        Row(rate: 1000, takes: [(0, 100)], opensAt: 0),
        Row(rate: 1000, takes: [(0, 1000)], opensAt: 900),
        Row(rate: 1000, takes: [(0, 600), (500, 600)], opensAt: 1100),
        // Nobody is held to a bucket that is still closed: what is taken is added.
        Row(rate: 1000, takes: [(0, 1000), (0, 1000)], opensAt: 1900),
        // What was not used before that is lost.
        Row(rate: 1000, takes: [(0, 100), (10_000, 1000)], opensAt: 10_900),
        // A timer that is late costs nothing.
        Row(rate: 1000, takes: [(0, 1100), (1050, 1000)], opensAt: 2000),
        Row(rate: 1, takes: [(0, 2)], opensAt: 1900),
        Row(rate: 1 << 30, takes: [(0, 1 << 30)], opensAt: 900),
    ]

    @Test(arguments: rows.indices) func bucketOpensWhenWhatWasTakenIsPaidFor(index: Int) {
        let row = Self.rows[index]
        var bucket = ByteBucket(bytesPerSecond: row.rate)
        for (at, byteCount) in row.takes { bucket.take(byteCount, now: Self.start + at * 1_000_000) }
        #expect(bucket.opensAt == Self.start + row.opensAt * 1_000_000)
    }

    @Test func manyPiecesTakeAsLongAsTheirSum() {
        var bucket = ByteBucket(bytesPerSecond: 100_000)
        var now = Self.start
        for _ in 0..<100 {
            bucket.take(16_384, now: now)
            now = max(now, bucket.opensAt) + 3_000_000  // the timer is late
        }
        let seconds = Double(bucket.opensAt - Self.start) / 1e9
        #expect(abs(seconds - (16.384 - 0.1)) < 0.001)
    }

    @Test func countsBeyondAnyTimeDoNotOverflow() {
        var bucket = ByteBucket(bytesPerSecond: 1)
        for _ in 0..<10 { bucket.take(.max, now: Self.start) }
        #expect(bucket.opensAt > Self.start + 100_000_000 * Self.second)
    }

    @Test(arguments: [(1, 256), (1000, 256), (8192, 1024), (1 << 20, 131_072)])
    func pieceIsAnEighthOfASecond(rate: Int, byteCount: Int) {
        #expect(ByteBucket(bytesPerSecond: rate).pieceByteCount == byteCount)
    }
}

@Suite struct TransferPacingTests {
    private static let now: UInt64 = 1_000_000_000_000

    private func origin(_ host: String) throws -> Origin { try #require(Origin(plain: "http://\(host)/")) }

    @Test func transferWithoutALimitHasNoPacing() throws {
        #expect(ByteRates(limit: nil, limitPerOrigin: nil).pacing(to: try origin("h"), own: nil, now: 0) == nil)
    }

    @Test func transferWaitsForTheLimitThatOpensLast() throws {
        let rates = ByteRates(limit: 1000, limitPerOrigin: 100)
        let own = SharedByteBucket(bytesPerSecond: 10)
        let one = try #require(rates.pacing(to: try origin("a"), own: own, now: Self.now))
        let sameOrigin = try #require(rates.pacing(to: try origin("a"), own: nil, now: Self.now))
        let other = try #require(rates.pacing(to: try origin("b"), own: nil, now: Self.now))
        #expect(!one.holds(now: Self.now) && one.heldUntil == nil)
        one.take(1000, now: Self.now)
        #expect(one.holds(now: Self.now) && one.heldUntil == Self.now + 99_900_000_000)
        #expect(sameOrigin.holds(now: Self.now) && sameOrigin.heldUntil == Self.now + 9_900_000_000)
        #expect(other.holds(now: Self.now) && other.heldUntil == Self.now + 900_000_000)
        #expect(!other.holds(now: Self.now + 900_000_000) && other.heldUntil == nil)
        #expect(one.pieceByteCount == 256)
    }

    @Test func originsThatHaveNothingToPayAreForgotten() throws {
        let rates = ByteRates(limit: nil, limitPerOrigin: 1000)
        let used = try #require(rates.pacing(to: try origin("used"), own: nil, now: Self.now))
        try #require(rates.pacing(to: try origin("owing"), own: nil, now: Self.now)).take(9_999_999, now: Self.now)
        for number in 0..<1000 { _ = rates.pacing(to: try origin("h\(number)"), own: nil, now: Self.now) }
        #expect(rates.originCount <= 512)
        used.take(1_000_000, now: Self.now)
        for host in ["used", "owing"] {
            let pacing = try #require(rates.pacing(to: try origin(host), own: nil, now: Self.now))
            #expect(pacing.holds(now: Self.now), "\(host)")
        }
    }
}
