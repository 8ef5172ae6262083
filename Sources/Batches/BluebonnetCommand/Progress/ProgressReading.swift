// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// All that a picture of a run's progress shows.
struct ProgressReading: Sendable {
    /// A transfer under way.
    struct Transfer: Sendable {
        let id: String
        let receivedByteCount: Int64
        /// Nil when unknown.
        let expectedByteCount: Int64?
        /// Nil when unknown.
        let bytesPerSecond: Double?
    }

    /// An origin to which nothing is sent for a time.
    struct HeldOrigin: Sendable {
        let origin: String
        let secondsLeft: Double
        let waitingCount: Int
    }

    let finishedCount: Int
    let totalCount: Int
    /// Whether all lines have been read.
    let isTotalKnown: Bool
    let failureCount: Int
    let receivedByteCount: Int64
    /// Seconds since the start.
    let elapsed: Double
    /// Nil when unknown.
    let requestsPerSecond: Double?
    /// The largest ones.
    let transfers: [Transfer]
    /// The number of requests that wait for their next attempt.
    var waitingRetryCount = 0
    var heldOrigins: [HeldOrigin] = []
}

extension ProgressReading {
    /// The part of the requests that ended, from 0 to 1; nil when their number is not known yet.
    var fraction: Double? {
        guard isTotalKnown else { return nil }
        return totalCount == 0 ? 1 : Double(finishedCount) / Double(totalCount)
    }

    /// The seconds that are left: until the last request would end at the present rate, or the slowest of the large
    /// transfers, whichever is later. Nil when that cannot be said.
    var secondsLeft: Double? {
        guard isTotalKnown, let requestsPerSecond else { return nil }
        let transferTimes = transfers.compactMap(\.secondsLeft)
        let otherCount = Double(totalCount - finishedCount - transferTimes.count)
        let times = transferTimes + [otherCount > 0 ? otherCount / requestsPerSecond : 0]
        return times.max().flatMap { $0.isFinite ? $0 : nil }
    }
}

extension ProgressReading.Transfer {
    /// The part that arrived, from 0 to 1; nil when the size is not known.
    var fraction: Double? {
        guard let expectedByteCount, expectedByteCount > 0 else { return nil }
        return min(1, Double(receivedByteCount) / Double(expectedByteCount))
    }

    /// The seconds until its end at the present rate; nil when that cannot be said.
    var secondsLeft: Double? {
        guard let expectedByteCount, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return Double(max(0, expectedByteCount - receivedByteCount)) / bytesPerSecond
    }
}
