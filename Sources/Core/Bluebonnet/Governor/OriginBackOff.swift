// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The back-off of an origin whose server asked clients to wait. A value without a clock: instants are nanoseconds of a
/// monotonic clock.
///
/// Operations wait for the end of a back-off up to the origin's `maximumHold`. If the back-off is longer, operations
/// fail, and after each `maximumHold` one transfer probes the server. If the server refuses one probe after another for
/// longer than `maximumHold`, operations fail until the current back-off ends.
struct OriginBackOff: Equatable {
    /// The shortest back-off after a refused probe that got no time to wait, in nanoseconds.
    private static let shortestBackOff: UInt64 = 1_000_000_000
    /// The shortest time between probes during a back-off that is too long, in nanoseconds.
    private static let shortestTrialInterval: UInt64 = 60_000_000_000

    /// The end of the back-off; zero without a back-off, and once a transfer has begun after the end.
    private(set) var until: UInt64 = 0
    /// When the server last caused a back-off.
    private var askedAt: UInt64 = 0
    /// The length of the last back-off after a refusal, in nanoseconds; zero after a later success.
    private var length: UInt64 = 0
    /// The first refusal since the last success.
    private var refusedSince: UInt64?
    /// Whether the server has refused for so long that operations do not wait for the end of the back-off.
    private var isGivenUp = false

    /// Returns whether operations fail instead of waiting. Only valid before the end of the back-off.
    func isTooLong(_ maximum: Duration, now: UInt64) -> Bool {
        isGivenUp || (until > now && until - now > maximum.nanoseconds)
    }

    /// Returns whether one transfer may probe the server before the back-off ends.
    func allowsTrial(_ maximum: Duration, now: UInt64) -> Bool {
        isTooLong(maximum, now: now) && now >= askedAt + max(maximum.nanoseconds, Self.shortestTrialInterval)
    }

    /// Whether operations may wait for the end of a back-off that is longer than the governor's limits allow.
    var mayBeWaitedFor: Bool { !isGivenUp }

    /// Records a success that reports an exhausted server limit.
    mutating func recordUsedUp(for time: UInt64, now: UInt64) { (until, askedAt) = (max(until, now + time), now) }

    /// Records a refused transfer.
    ///
    /// - Parameter time: how long the server asks clients to wait, in nanoseconds; nil if the response does not say.
    /// - Returns: whether the refusal causes a back-off.
    mutating func recordRefusal(for time: UInt64?, isProbe: Bool, _ maximum: Duration, now: UInt64) -> Bool {
        guard let time = time ?? (isProbe ? max(Self.shortestBackOff, length) : nil) else { return false }
        (until, askedAt, length) = (max(until, now + time), now, time)
        let since = refusedSince ?? now
        refusedSince = since
        if isProbe { isGivenUp = until - min(until, since) > maximum.nanoseconds }
        return true
    }

    /// Records the success of a transfer that began after the last refusal.
    mutating func recordSuccess() { (length, refusedSince, isGivenUp) = (0, nil, false) }

    /// Records the start of a transfer.
    mutating func recordBegin(now: UInt64) { if until <= now { until = 0 } }

    /// Ends the back-off.
    mutating func lift() { self = OriginBackOff() }
}
