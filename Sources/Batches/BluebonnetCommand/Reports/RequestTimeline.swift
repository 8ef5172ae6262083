// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The number of requests that ended in each interval of a run. Intervals become longer with the run, so that there are
/// never more than a fixed number.
struct RequestTimeline: Sendable, Equatable {
    struct Interval: Sendable, Equatable {
        var count = 0, failureCount = 0
    }

    static let intervalLimit = 120

    /// The length of an interval, in seconds.
    private(set) var length = 0.1
    /// The intervals from the start of the run to the last request.
    private(set) var intervals: [Interval] = []

    /// Records a request that ended some seconds after the start.
    mutating func record(at seconds: Double, isFailure: Bool) {
        let seconds = max(0, min(seconds, 1e9))
        while Int(seconds / length) >= Self.intervalLimit { merge() }
        let index = Int(seconds / length)
        if index >= intervals.count {
            intervals += Array(repeating: Interval(), count: index + 1 - intervals.count)
        }
        intervals[index].count += 1
        if isFailure { intervals[index].failureCount += 1 }
    }

    /// The highest rate of an interval, in requests per second.
    var highestRate: Double { Double(intervals.map(\.count).max() ?? 0) / length }

    private mutating func merge() {
        intervals = stride(from: 0, to: intervals.count, by: 2).map { first in
            let pair = intervals[first..<min(first + 2, intervals.count)]
            return pair.reduce(into: Interval()) { sum, interval in
                sum.count += interval.count
                sum.failureCount += interval.failureCount
            }
        }
        length *= 2
    }
}
