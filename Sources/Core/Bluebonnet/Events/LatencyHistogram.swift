// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Counts durations in buckets, for percentiles in bounded memory. A value; in nanoseconds.
///
/// A bucket is at most a thirty-second part of its duration wide, so a percentile differs from the exact one by at most
/// 1.6 percent.
package struct LatencyHistogram: Sendable, Equatable {
    private static let subBucketBits = 5
    private static let subBucketCount = 1 << subBucketBits
    /// Has the buckets up to the longest duration so far.
    private var counts: [UInt32] = []
    package private(set) var count = 0
    /// The longest duration; 0 without durations.
    package private(set) var longest: UInt64 = 0
    private var shortest = UInt64.max

    package init() {}

    package mutating func record(_ duration: UInt64) {
        let bucket = Self.bucket(of: duration)
        grow(to: bucket + 1)
        counts[bucket] &+= 1
        count += 1
        (shortest, longest) = (min(shortest, duration), max(longest, duration))
    }

    package mutating func add(_ other: LatencyHistogram) {
        grow(to: other.counts.count)
        for (bucket, number) in other.counts.enumerated() { counts[bucket] &+= number }
        count += other.count
        (shortest, longest) = (min(shortest, other.shortest), max(longest, other.longest))
    }

    private mutating func grow(to bucketCount: Int) {
        guard bucketCount > counts.count else { return }
        counts += Array(repeating: 0, count: bucketCount - counts.count)
    }

    /// Returns the shortest duration that a part of the recorded durations does not exceed (nearest rank); nil without
    /// durations.
    ///
    /// - Parameter part: from 0 to 1.
    package func percentile(_ part: Double) -> UInt64? {
        guard count > 0 else { return nil }
        let rank = max(1, min(count, Int((Double(count) * part).rounded(.up))))
        if rank == count { return longest }
        var seen = 0
        for (bucket, number) in counts.enumerated() where number > 0 {
            seen += Int(number)
            if seen >= rank { return min(max(Self.middle(of: bucket), shortest), longest) }
        }
        return longest
    }

    private static func bucket(of duration: UInt64) -> Int {
        guard duration >= subBucketCount else { return Int(duration) }
        let exponent = 63 - duration.leadingZeroBitCount - subBucketBits
        return (exponent << subBucketBits) + Int(duration >> UInt64(exponent))
    }

    private static func middle(of bucket: Int) -> UInt64 {
        guard bucket >= 2 * subBucketCount else { return UInt64(bucket) }
        let exponent = UInt64((bucket >> subBucketBits) - 1)
        let low = UInt64(bucket - (Int(exponent) << subBucketBits)) << exponent
        return low + ((1 << exponent) / 2)
    }
}
