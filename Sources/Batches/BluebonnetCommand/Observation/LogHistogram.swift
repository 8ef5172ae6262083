// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// Counts durations in buckets of equal ratio, for percentiles in bounded memory. A percentile is at most 2 % wrong;
/// one below 1 µs is 1 µs.
struct LogHistogram: Sendable {
    /// The largest relative error of a percentile.
    static let relativeError = 0.02
    /// The ratio of a bucket's bounds. A percentile is the geometric mean of the bounds, which differs from a value in
    /// the bucket by the root of the ratio, 1.98 %, at most.
    private static let ratio = 1.04
    private static let smallest = 1e-6
    /// Reaches to about ten years.
    private static let bucketLimit = 850

    private var buckets: [UInt32] = []
    private(set) var count = 0
    private(set) var largest = 0.0
    private var least = Double.infinity

    /// Counts a duration in seconds.
    mutating func record(_ seconds: Double) {
        let index = min(
            Self.bucketLimit, seconds <= Self.smallest ? 0 : 1 + Int(log(seconds / Self.smallest) / Self.step))
        if index >= buckets.count { buckets += Array(repeating: 0, count: index + 1 - buckets.count) }
        buckets[index] += 1
        count += 1
        (largest, least) = (max(largest, seconds), min(least, seconds))
    }

    /// Adds the counts of another histogram.
    mutating func add(_ other: LogHistogram) {
        if other.buckets.count > buckets.count {
            buckets += Array(repeating: 0, count: other.buckets.count - buckets.count)
        }
        for (index, number) in other.buckets.enumerated() { buckets[index] += number }
        count += other.count
        (largest, least) = (max(largest, other.largest), min(least, other.least))
    }

    /// Returns the smallest duration that the fraction of all durations does not exceed (nearest rank); 0 without
    /// durations.
    func percentile(_ fraction: Double) -> Double {
        let rank = max(1, Int((fraction * Double(count)).rounded(.up)))
        var seen = 0
        for (index, number) in buckets.enumerated() {
            seen += Int(number)
            guard seen >= rank else { continue }
            let middle = index == 0 ? Self.smallest : Self.smallest * exp((Double(index) - 0.5) * Self.step)
            return min(max(middle, least), largest)
        }
        return 0
    }

    private static let step = log(ratio)
}
