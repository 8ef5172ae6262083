// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// The measures of a run for the conditions of `--fail-if`: counts and durations. A value without a clock.
struct RunMeasures: Sendable {
    private(set) var totalCount = 0
    /// The results that failed or have an unknown outcome.
    private(set) var failedCount = 0
    private(set) var skippedCount = 0
    /// The requests that this run sent.
    private(set) var sentCount = 0
    /// The whole times of successes and failures, in nanoseconds.
    private(set) var durations = LatencyHistogram()
    /// The duration of the run, in seconds.
    var elapsed = 0.0

    mutating func record(_ result: ResultFacts) {
        totalCount += 1
        if result.isFailure { failedCount += 1 }
        if result.outcome == .skipped { skippedCount += 1 }
        guard let seconds = result.seconds else { return }
        if !result.isFromJournal { sentCount += result.requestCount }
        guard result.outcome == .success || result.isFailure else { return }
        durations.record(UInt64(max(0, min(seconds, 1e9)) * 1e9))
    }

    /// Requests per second; zero for a run without duration.
    var rate: Double { elapsed > 0 ? Double(sentCount) / elapsed : 0 }

    /// A percentile in seconds; nil without durations.
    func percentile(_ part: Double) -> Double? { durations.percentile(part).map { Double($0) / 1e9 } }
}
