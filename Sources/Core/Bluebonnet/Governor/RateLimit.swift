// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// How many transfers may begin in a period, for one origin or for a `Governor` as a whole.
///
/// Transfers are spaced evenly: `RateLimit(100, per: .seconds(60))` allows one every 0.6 s. With a burst, that many
/// transfers may begin at once after an idle time; the mean rate stays the same.
public struct RateLimit: Sendable, Hashable, Codable {
    /// The number of transfers in a period.
    public let count: Int
    /// The length of the period.
    public let period: Duration
    /// The largest number of transfers that may begin at once.
    public let burst: Int

    /// Creates a limit. A count or burst below 1, or a period that is not above zero, traps.
    ///
    /// - Parameters:
    ///   - count: the number of transfers in a period.
    ///   - period: the length of the period. Default one second.
    ///   - burst: the largest number of transfers that may begin at once. Default 1.
    public init(_ count: Int, per period: Duration = .seconds(1), burst: Int = 1) {
        precondition(count > 0 && burst > 0 && period > .zero, "a rate needs a count, a burst and a period above zero")
        (self.count, self.period, self.burst) = (count, period, burst)
    }

    private enum CodingKeys: CodingKey { case count, period, burst }

    /// Decodes a limit.
    ///
    /// - Throws: `DecodingError`, also if the count, the burst or the period is not above zero.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let (count, burst) = (
            try container.decode(Int.self, forKey: .count), try container.decode(Int.self, forKey: .burst)
        )
        let period = try container.decode(Duration.self, forKey: .period)
        guard count > 0, burst > 0, period > .zero else {
            throw DecodingError.dataCorruptedError(
                forKey: .count, in: container,
                debugDescription: "a rate needs a count, a burst and a period above zero")
        }
        self.init(count, per: period, burst: burst)
    }

    /// Transfers per second.
    var perSecond: Double { Double(count) / period.seconds }
}

/// Paces transfers to a rate. A token bucket, stored as the instant at which all taken tokens are refilled. A value
/// without a clock: instants are nanoseconds of a monotonic clock.
///
/// A timer always fires late. The next transfer is credited with this delay, up to the time between two transfers.
/// Without the credit, the mean rate would be below the limit.
struct RateBucket: Equatable {
    /// The bounds of the credit for a late timer, in nanoseconds. Between these bounds, the credit is the interval.
    private static let longestSavedTime: UInt64 = 20_000_000
    private static let shortestSavedTime: UInt64 = 2_000_000
    private static let longestInterval = 1e17  // about three years
    /// The longest time that a burst covers, in nanoseconds; a longer burst is cut.
    private static let longestTolerance: UInt64 = 9_000_000_000_000_000_000

    /// The nanoseconds between two transfers.
    private var interval: UInt64 = 1
    private var burst: UInt64
    private var paidAt: UInt64 = 0

    init(perSecond: Double, burst: Int = 1) {
        self.burst = UInt64(max(1, burst))
        setRate(perSecond)
    }

    init(_ limit: RateLimit) { self.init(perSecond: limit.perSecond, burst: limit.burst) }

    /// When the next transfer may begin; `now` or earlier if it may begin at once.
    var opensAt: UInt64 {
        let (product, isTooMuch) = interval.multipliedReportingOverflow(by: burst - 1)
        let tolerance = isTooMuch ? Self.longestTolerance : min(product, Self.longestTolerance)
        return paidAt - min(paidAt, tolerance)
    }

    /// Returns whether all taken tokens are refilled, so that the whole burst is available.
    func isPaid(now: UInt64) -> Bool { paidAt <= now }

    mutating func setRate(_ perSecond: Double) { interval = UInt64(max(1, min(1e9 / perSecond, Self.longestInterval))) }

    mutating func consume(now: UInt64) {
        let saved = max(Self.shortestSavedTime, min(interval, Self.longestSavedTime))
        let (sum, isTooMuch) = max(paidAt, now - min(now, saved)).addingReportingOverflow(interval)
        paidAt = isTooMuch ? .max : sum
    }

    /// Returns the token of a transfer that did not begin.
    mutating func giveBack() { paidAt -= min(paidAt, interval) }
}
