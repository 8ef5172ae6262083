// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Until when an origin is left alone, because its server has asked for that. A value without a clock: instants are
/// nanoseconds of a monotonic clock.
///
/// Operations wait for the end of a hold as long as the origin's `maximumHold` allows. A longer hold makes them fail,
/// and after each `maximumHold` one transfer tries whether the server means it. When one probe after another is
/// refused, for longer than `maximumHold`, operations fail until the present hold ends.
struct OriginHold: Equatable {
    /// A probe that is refused is followed by another one after this time at least.
    private static let shortestHold: UInt64 = 1_000_000_000
    /// In a hold that is too long, transfers try the server after this time at least.
    private static let shortestTrialInterval: UInt64 = 60_000_000_000

    /// Zero without a hold, and when a transfer has begun after its end.
    private(set) var until: UInt64 = 0
    /// When the server asked last.
    private var askedAt: UInt64 = 0
    /// How long the server wanted to be left alone, when it said so last; zero when a transfer has succeeded since.
    private var length: UInt64 = 0
    /// The first refusal since the last success.
    private var refusedSince: UInt64?
    /// Whether the server has refused for so long that operations do not wait for the end of the hold.
    private var isGivenUp = false

    /// Whether operations fail instead of waiting. Only for a hold that is not over.
    func isTooLong(_ maximum: Duration, now: UInt64) -> Bool {
        isGivenUp || (until > now && until - now > maximum.nanoseconds)
    }

    /// Whether one transfer may try the server before the hold ends.
    func allowsTrial(_ maximum: Duration, now: UInt64) -> Bool {
        isTooLong(maximum, now: now) && now >= askedAt + max(maximum.nanoseconds, Self.shortestTrialInterval)
    }

    /// Whether operations may wait for the end of a hold that is longer than the governor's limits let them wait.
    var mayBeWaitedFor: Bool { !isGivenUp }

    /// A success says that the server's limit is used up.
    mutating func noteUsedUp(for time: UInt64, now: UInt64) { (until, askedAt) = (max(until, now + time), now) }

    /// The server has refused a transfer.
    ///
    /// - Parameter time: for how long; nil when the server does not say.
    /// - Returns: whether the origin is held for that.
    mutating func noteRefusal(for time: UInt64?, isProbe: Bool, _ maximum: Duration, now: UInt64) -> Bool {
        guard let time = time ?? (isProbe ? max(Self.shortestHold, length) : nil) else { return false }
        (until, askedAt, length) = (max(until, now + time), now, time)
        let since = refusedSince ?? now
        refusedSince = since
        if isProbe { isGivenUp = until - min(until, since) > maximum.nanoseconds }
        return true
    }

    /// A transfer that began after the last refusal has succeeded.
    mutating func noteSuccess() { (length, refusedSince, isGivenUp) = (0, nil, false) }

    /// A transfer begins.
    mutating func noteBegin(now: UInt64) { if until <= now { until = 0 } }

    /// Nobody has to wait any more.
    mutating func lift() { self = OriginHold() }
}
