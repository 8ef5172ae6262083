// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// All values that one update of the progress display shows.
struct ProgressReading: Sendable {
    /// A running transfer.
    struct Transfer: Sendable {
        let id: String
        let receivedByteCount: Int64
        /// The expected number of bytes; nil if unknown.
        let expectedByteCount: Int64?
        /// The rate; nil if unknown.
        let bytesPerSecond: Double?
    }

    /// An origin to which no requests are sent for a time.
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
    /// The time since the start, in seconds.
    let elapsed: Double
    /// The rate of ended requests; nil if unknown.
    let requestsPerSecond: Double?
    /// The largest running transfers.
    let transfers: [Transfer]
    /// The number of requests that wait for their next attempt.
    var waitingRetryCount = 0
    var heldOrigins: [HeldOrigin] = []
}

extension ProgressReading {
    /// The fraction of requests that have ended, from 0 to 1; nil until the total is known.
    var fraction: Double? {
        guard isTotalKnown else { return nil }
        return totalCount == 0 ? 1 : Double(finishedCount) / Double(totalCount)
    }

    /// The estimated time left, in seconds: until the last request ends at the present rate, or until the slowest of
    /// the large transfers ends, whichever is later. Nil if it cannot be estimated.
    var secondsLeft: Double? {
        guard isTotalKnown, let requestsPerSecond else { return nil }
        let transferTimes = transfers.compactMap(\.secondsLeft)
        let otherCount = Double(totalCount - finishedCount - transferTimes.count)
        let times = transferTimes + [otherCount > 0 ? otherCount / requestsPerSecond : 0]
        return times.max().flatMap { $0.isFinite ? $0 : nil }
    }
}

extension ProgressReading.Transfer {
    /// The fraction of bytes received, from 0 to 1; nil if the size is not known.
    var fraction: Double? {
        guard let expectedByteCount, expectedByteCount > 0 else { return nil }
        return min(1, Double(receivedByteCount) / Double(expectedByteCount))
    }

    /// The estimated time until the end of the transfer, in seconds; nil if it cannot be estimated.
    var secondsLeft: Double? {
        guard let expectedByteCount, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return Double(max(0, expectedByteCount - receivedByteCount)) / bytesPerSecond
    }
}
