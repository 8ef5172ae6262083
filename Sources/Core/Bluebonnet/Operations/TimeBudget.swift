// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The times of one operation's transfers, and the rest of its time limit. A value without a clock: instants are
/// nanoseconds of `MonotonicClock`.
///
/// A cursor moves through the time of the operation. Each change of the activity attributes the time since the last
/// change, so that the shares add up to the total.
struct TimeBudget {
    /// The activity that an operation spends its time on.
    enum Activity: Equatable {
        case share(TimeShares.Share)
        /// The time is divided among phases when the transfer has ended.
        case transfer
        /// The time is divided among wait reasons when the operation has its slot.
        case slot
    }

    /// When the operation could begin.
    private let began: UInt64
    /// When the operation was first admitted.
    private var admitted: UInt64?
    /// When the current transfer began; below, from when it counts against the time limit, which excludes pauses.
    private var transferBegan: UInt64 = 0
    private var chargedSince: UInt64 = 0
    /// Nil without a limit.
    private var remainingTime: UInt64?
    private(set) var activity = Activity.share(.phase(.preparation))
    /// The instant up to which the time is attributed.
    private(set) var cursor: UInt64
    /// The time of the current transfer so far, without pauses.
    private var transferTime: UInt64 = 0
    private var shares = TimeShares()
    private var summary = TransferSummary()

    init(began: UInt64) { (self.began, cursor) = (began, began) }

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
        change(to: .transfer, now: now)
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
        record(metrics, now: now)
        change(to: .transfer, now: now)
        transferBegan = now
    }

    /// The time of the current transfer so far, without pauses, in nanoseconds; nil without a transfer.
    func timeOfTransfer(now: UInt64) -> UInt64? {
        guard activity == .transfer, now >= cursor else { return nil }
        return transferTime + (now - cursor)
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

    /// Records the measurements of a transfer that has ended.
    mutating func record(_ metrics: TransferMetrics, now: UInt64) {
        charge(metrics.simulatedTime)
        change(to: .share(.phase(.preparation)), now: now)
        shares.addTransfer(
            transferTime, nameLookup: metrics.nameLookup, connect: metrics.connect, tls: metrics.tls,
            firstByte: metrics.firstByte)
        transferTime = 0
        summary.timings.nanoseconds.nameLookup += metrics.nameLookup
        summary.timings.nanoseconds.connect += metrics.connect
        summary.timings.nanoseconds.tls += metrics.tls
        summary.isReused = metrics.isReused
        summary.sharedTLSInformation = metrics.tlsInformation
        summary.sharedTrailers = metrics.trailers
        if metrics.firstByte > 0, let admitted {
            summary.timings.nanoseconds.firstByte = transferBegan - admitted + metrics.firstByte
        }
    }

    mutating func recordRedirect() { summary.redirectCount += 1 }

    /// Returns the summary of an operation whose transfers have ended.
    func summary(now: UInt64, retries: [RetriedAttempt] = []) -> TransferSummary {
        var (shares, summary) = (shares, summary)
        Self.add(now > cursor ? now - cursor : 0, of: activity, to: &shares)
        summary.retries = retries
        summary.timings.nanoseconds.total = shares.total
        summary.timings.nanoseconds.shares = shares
        return summary
    }
}

// MARK: - Shares

extension TimeBudget {
    /// Attributes the time since the last change, and begins another activity.
    mutating func change(to next: Activity, now: UInt64) {
        let elapsed = now > cursor ? now - cursor : 0
        if activity == .transfer { transferTime += elapsed } else { Self.add(elapsed, of: activity, to: &shares) }
        (activity, cursor) = (next, max(now, cursor))
    }

    private static func add(_ elapsed: UInt64, of activity: Activity, to shares: inout TimeShares) {
        switch activity {
        case .share(let share): shares.add(elapsed, to: share)
        case .transfer: shares.add(elapsed, to: .phase(.waiting))  // an end without measurements
        case .slot: shares.add(elapsed, to: .wait(.slot))
        }
    }

    /// Adds time that does not move the cursor: before the operation could begin, or a part of waiting whose rest is
    /// attributed by `change(to:now:)`.
    mutating func add(_ nanoseconds: UInt64, to share: TimeShares.Share) {
        shares.add(nanoseconds, to: share)
    }

    /// Attributes the time since the last change to several reasons.
    ///
    /// - Parameters:
    ///   - parts: the time of each reason; the sum is cut to the time since the last change.
    ///   - rest: the share of the remaining time.
    mutating func divide(_ parts: [(WaitReason.Kind, UInt64)], rest: TimeShares.Share, now: UInt64) {
        for (kind, wanted) in parts {
            let part = min(wanted, now > cursor ? now - cursor : 0)
            add(part, to: .wait(kind))
            cursor += part
        }
        activity = .share(rest)
        change(to: .share(.phase(.preparation)), now: now)
    }
}
