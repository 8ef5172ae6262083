// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

@Suite struct RateLimitTests {
    private static let start: UInt64 = 5_000_000_000

    /// The start times of transfers when another transfer is always waiting, in milliseconds after the start.
    private static func begins(_ limit: RateLimit, count: Int, late: UInt64 = 0) -> [UInt64] {
        var bucket = RateBucket(limit)
        var now = start
        return (0..<count).map { _ in
            if bucket.opensAt > now { now = bucket.opensAt + late * 1_000_000 }
            bucket.consume(now: now)
            return (now - start) / 1_000_000
        }
    }

    private struct Row {
        let limit: RateLimit
        let begins: [UInt64]
        var late: UInt64 = 0
    }

    private static let rows = [
        // The delay of late timers is compensated. The first transfer gets this credit in advance.
        Row(limit: RateLimit(200), begins: [0, 0, 5, 10, 15]),
        Row(limit: RateLimit(200), begins: [0, 0, 6, 11, 16], late: 1),
        Row(limit: RateLimit(1), begins: [0, 980, 1980, 2980]),
        Row(limit: RateLimit(60, per: .seconds(60)), begins: [0, 980, 1980, 2980]),
        Row(limit: RateLimit(10, burst: 3), begins: [0, 0, 0, 80, 180]),
    ]

    @Test(arguments: rows.indices) func transfersBeginAtTheRate(index: Int) {
        let row = Self.rows[index]
        #expect(Self.begins(row.limit, count: row.begins.count, late: row.late) == row.begins)
    }

    @Test func meanRateIsKeptDespiteLateTimers() {
        let begins = Self.begins(RateLimit(200), count: 2001, late: 2)
        #expect((9_900...10_010).contains(begins[2000]))
    }

    @Test func burstRefillsAfterIdleTime() {
        var bucket = RateBucket(RateLimit(10, burst: 3))
        for _ in 0..<3 { bucket.consume(now: Self.start) }
        #expect(bucket.opensAt > Self.start)
        let later = Self.start + 1_000_000_000
        for _ in 0..<3 {
            #expect(bucket.opensAt <= later)
            bucket.consume(now: later)
        }
        #expect(bucket.opensAt > later)
    }

    @Test func returnedTokensCanBeTakenAgain() {
        var bucket = RateBucket(RateLimit(1))
        for _ in 0..<2 { bucket.consume(now: Self.start) }
        #expect(bucket.opensAt > Self.start)
        for _ in 0..<2 { bucket.giveBack() }
        #expect(bucket.opensAt <= Self.start)
    }

    @Test func yearLongPeriodWithLargeBurstIsLimited() {
        var bucket = RateBucket(RateLimit(1, per: .seconds(31_536_000), burst: 1000))
        var count = 0
        while bucket.opensAt <= Self.start, count < 2000 {
            bucket.consume(now: Self.start)
            count += 1
        }
        #expect((200...1001).contains(count), "\(count)")
        for _ in 0..<2000 { bucket.consume(now: Self.start) }
        #expect(bucket.opensAt > Self.start)
    }

    @Test func limitIsEncodedAndValidatedWhenDecoded() throws {
        let limit = RateLimit(10, per: .seconds(60), burst: 4)
        let data = try JSONEncoder().encode(limit)
        #expect(try JSONDecoder().decode(RateLimit.self, from: data) == limit)
        let text = try #require(String(validating: data, as: UTF8.self))
        let broken = Data(text.replacing("\"count\":10", with: "\"count\":0").utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(RateLimit.self, from: broken) }
    }

    @Test func originLimitsAreEncodedAndValidatedWhenDecoded() throws {
        var limits = OriginLimits(rateLimit: RateLimit(3), circuitBreaker: CircuitBreaker(failureCount: 2))
        limits.maximumConcurrentTransferCount = 7
        let data = try JSONEncoder().encode(limits)
        #expect(try JSONDecoder().decode(OriginLimits.self, from: data) == limits)
        let text = try #require(String(validating: data, as: UTF8.self))
        let broken = Data(text.replacing("TransferCount\":7", with: "TransferCount\":0").utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(OriginLimits.self, from: broken) }
    }
}
