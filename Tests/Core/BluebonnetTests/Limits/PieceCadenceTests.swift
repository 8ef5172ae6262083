// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetNetwork

@Suite(.timeLimit(.minutes(1))) struct PieceCadenceTests {
    /// Some reads of one length, with the same time between them.
    struct Reads: Sendable {
        var count = 2 * PieceCadence.windowCount
        var byteCount = 100
        /// In nanoseconds.
        var interval: UInt64
    }

    /// A cadence, and the time of its reads.
    private struct Reader {
        private var cadence = PieceCadence()
        private var now: UInt64 = 1

        /// Returns the number of rests.
        mutating func record(_ reads: Reads) -> Int {
            var count = 0
            for _ in 0..<reads.count {
                now += reads.interval
                if cadence.record(byteCount: reads.byteCount, now: now) { count += 1 }
            }
            return count
        }
    }

    private static let dense = Reads(interval: 100_000)

    @Test func firstWindowNeverRests() {
        var reader = Reader()
        #expect(reader.record(Reads(count: PieceCadence.windowCount, interval: 1)) == 0)
        #expect(reader.record(Reads(count: 10, interval: 1)) == 10)
    }

    @Test(arguments: [
        (Reads(interval: 300_000), true), (Reads(interval: 500_000), false), (Reads(interval: 10_000_000), false),
        (Reads(byteCount: 8 << 10, interval: 100_000), true), (Reads(byteCount: 9 << 10, interval: 100_000), false),
    ])
    func bodyIsDenseIfItsReadsAreShortAndFrequent(_ reads: Reads, _ rests: Bool) {
        var reader = Reader()
        #expect((reader.record(reads) > 0) == rests)
    }

    /// With rests, reads are never closer than a rest.
    @Test(arguments: [
        (Reads(interval: PieceCadence.rest), true), (Reads(interval: 2_000_000), true),
        (Reads(interval: 3_000_000), false), (Reads(byteCount: 16 << 10, interval: 1_000_000), false),
    ])
    func denseBodyRestsUntilItsReadsAreRareOrLong(_ reads: Reads, _ rests: Bool) {
        var reader = Reader()
        #expect(reader.record(Self.dense) > 0)
        _ = reader.record(reads)
        #expect((reader.record(Reads(count: 1, byteCount: reads.byteCount, interval: reads.interval)) == 1) == rests)
    }
}
