// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The times of one operation's transfers, and the rest of its time limit. A value without a clock: instants are
/// nanoseconds of `MonotonicClock`.
struct TimeBudget {
    /// When the operation could begin.
    private let began: UInt64
    /// When the operation was first admitted.
    private var admitted: UInt64?
    /// When the current transfer began; below, from when it counts against the time limit, which excludes pauses.
    private var transferBegan: UInt64 = 0
    private var chargedSince: UInt64 = 0
    /// Nil without a limit.
    private var remainingTime: UInt64?
    private var summary = TransferSummary()

    init(began: UInt64) { self.began = began }

    mutating func limitTime(to limit: UInt64?) { remainingTime = limit }

    var wasAdmitted: Bool { admitted != nil }
    /// Whether the time limit allows another transfer.
    var hasTimeLeft: Bool { remainingTime != 0 }
    /// The rest of the time limit, in nanoseconds; nil without a limit.
    var timeLeft: UInt64? { remainingTime }

    /// Records that a transfer begins.
    ///
    /// - Returns: the transfer's deadline.
    mutating func beginTransfer(now: UInt64) -> UInt64 {
        if admitted == nil {
            admitted = now
            summary.timings.nanoseconds.queued = now - began
        }
        transferBegan = now
        summary.transferCount += 1
        return beginCharging(now: now)
    }

    /// Uncounts a transfer that found no file descriptor, because another transfer replaces it.
    mutating func forgetTransfer() { summary.transferCount -= 1 }

    /// Records that a transfer continues after a pause.
    ///
    /// - Returns: the transfer's deadline.
    mutating func beginCharging(now: UInt64) -> UInt64 {
        chargedSince = now
        return remainingTime.map { now + $0 } ?? .max
    }

    /// Records that the transfer continues on another connection.
    mutating func beginAgain(after metrics: TransferMetrics, now: UInt64) {
        record(metrics)
        transferBegan = now
    }

    /// Subtracts the transfer's time from the time limit of the whole request.
    mutating func charge(now: UInt64) {
        charge(now - chargedSince)
    }

    /// Subtracts a time from the time limit of the whole request.
    mutating func charge(_ used: UInt64) {
        guard let remainingTime else { return }
        self.remainingTime = remainingTime > used ? remainingTime - used : 0
    }

    mutating func record(_ metrics: TransferMetrics) {
        charge(metrics.simulatedTime)
        summary.timings.nanoseconds.nameLookup += metrics.nameLookup
        summary.timings.nanoseconds.connect += metrics.connect
        summary.timings.nanoseconds.tls += metrics.tls
        summary.isReused = metrics.isReused
        summary.sharedTLSInformation = metrics.tlsInformation
        if metrics.firstByte > 0, let admitted {
            summary.timings.nanoseconds.firstByte = transferBegan - admitted + metrics.firstByte
        }
    }

    mutating func recordRedirect() { summary.redirectCount += 1 }

    /// Returns the summary of an operation whose transfers have ended.
    func summary(now: UInt64, retries: [RetriedAttempt] = []) -> TransferSummary {
        var summary = summary
        summary.retries = retries
        summary.timings.nanoseconds.total = now - began
        return summary
    }

    /// The summary of an operation that was answered by a cache.
    var summaryOfCacheHit: TransferSummary {
        var summary = summary
        summary.isFromCache = true
        return summary
    }
}
