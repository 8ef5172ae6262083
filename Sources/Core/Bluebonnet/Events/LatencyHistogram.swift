// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Counts durations in buckets, for percentiles in constant memory. A value.
///
/// A bucket is at most a sixteenth of its duration wide, so a percentile differs from the exact one by at most 3.2
/// percent. Durations from a microsecond to more than an hour are told apart.
package struct LatencyHistogram: Sendable, Equatable {
    private static let subBucketCount = 16
    private static let subBucketBits = 4
    private static let bucketCount = (33 - subBucketBits) * subBucketCount
    private var counts: [UInt32] = []
    package private(set) var count = 0

    package init() {}

    package mutating func record(nanoseconds: UInt64) {
        if counts.isEmpty { counts = Array(repeating: 0, count: Self.bucketCount) }
        counts[Self.bucket(of: nanoseconds / 1_000)] &+= 1
        count += 1
    }

    package mutating func add(_ other: LatencyHistogram) {
        if other.counts.isEmpty { return }
        if counts.isEmpty { counts = Array(repeating: 0, count: Self.bucketCount) }
        for index in counts.indices { counts[index] &+= other.counts[index] }
        count += other.count
    }

    /// Returns the duration, in nanoseconds, that a part of the recorded durations does not exceed; nil without
    /// durations.
    ///
    /// - Parameter part: from 0 to 1.
    package func percentile(_ part: Double) -> UInt64? {
        guard count > 0 else { return nil }
        let rank = max(1, min(count, Int((Double(count) * part).rounded(.up))))
        var seen = 0
        for (index, count) in counts.enumerated() where count > 0 {
            seen += Int(count)
            if seen >= rank { return Self.middle(of: index) * 1_000 }
        }
        return nil
    }

    private static func bucket(of microseconds: UInt64) -> Int {
        let value = min(microseconds, UInt64(UInt32.max))
        guard value >= subBucketCount else { return Int(value) }
        let exponent = 63 - value.leadingZeroBitCount - subBucketBits
        return (exponent << subBucketBits) + Int(value >> UInt64(exponent))
    }

    /// The middle of a bucket, in microseconds.
    private static func middle(of bucket: Int) -> UInt64 {
        guard bucket >= 2 * subBucketCount else { return UInt64(bucket) }
        let exponent = (bucket >> subBucketBits) - 1
        let low = UInt64(bucket - exponent << subBucketBits) << UInt64(exponent)
        return low + (1 << UInt64(exponent)) / 2
    }
}
