// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// When a gate was closed, and why: from this, the time of each waiting operation is divided among wait reasons when
/// the wait ends, so that waiting operations cost nothing. A value without a clock; instants are nanoseconds of
/// `MonotonicClock`.
///
/// The history is bounded: of a longer wait, the beginning counts as the oldest known reason.
struct WaitHistory: Sendable {
    private struct Change: Sendable {
        var since: UInt64
        /// Nil while the gate is open.
        var reason: WaitReason.Kind?
    }

    private static let limit = 64
    /// A gate that opens for less than this and closes for the same reason counts as closed: a rate limit lets one
    /// operation pass at a time.
    private static let shortest: UInt64 = 1_000_000
    private var changes: [Change] = []

    var isEmpty: Bool { changes.isEmpty }

    /// Records that the gate is closed for a reason, or open.
    mutating func record(_ reason: WaitReason.Kind?, now: UInt64) {
        guard reason != changes.last?.reason else { return }
        if changes.count > 1, let last = changes.last, now < last.since + Self.shortest,
            changes[changes.count - 2].reason == reason
        {
            changes.removeLast()
            return
        }
        if changes.count == Self.limit { changes.removeFirst() }
        changes.append(Change(since: now, reason: reason))
    }

    /// Calls `add` with the time of each reason between two instants. The remaining time has no reason.
    func divide(from start: UInt64, to end: UInt64, add: (WaitReason.Kind, UInt64) -> Void) {
        var end = end
        for (index, change) in changes.enumerated().reversed() where end > start {
            let isOldestKnown = index == 0 && changes.count == Self.limit
            let since = isOldestKnown ? start : max(start, change.since)
            if since < end, let reason = change.reason { add(reason, end - since) }
            end = min(end, since)
        }
    }
}

/// The time that an operation has waited in its queue.
struct QueueWaits {
    /// Nanoseconds, except for the limit.
    var others: [(WaitReason.Kind, UInt64)] = []
    /// Whether the queue's limit is the reason for the rest of the time.
    var isLimitReached = false
}

/// The time of an operation before it got its first slot. Instants are nanoseconds of `MonotonicClock`.
struct FirstWait {
    /// 0 without a queue.
    let enqueuedAt: UInt64
    /// 0 without a queue.
    let readyAt: UInt64
    /// How long the operation was paused before its start.
    let pausedTime: UInt64

    /// The time for which the operation waited for dependencies, without pauses.
    var dependencyTime: UInt64 { readyAt > enqueuedAt ? readyAt - enqueuedAt - pauseTime : 0 }
    /// The time of pauses before the operation was ready.
    var pauseTime: UInt64 { readyAt > enqueuedAt ? min(pausedTime, readyAt - enqueuedAt) : 0 }
}
