// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// How many transfers may begin in a time: a value for an origin, or for a `Governor` as a whole.
///
/// Transfers are spaced evenly: `RateLimit(100, per: .seconds(60))` lets one begin every 0.6 s. With a burst, that many
/// transfers may begin at once after a time without transfers; the mean stays the same.
public struct RateLimit: Sendable, Hashable, Codable {
    /// The number of transfers in a period.
    public let count: Int
    /// The length of the period.
    public let period: Duration
    /// The most transfers that begin at once.
    public let burst: Int

    /// Makes a limit. A count or burst below 1, or a period that is not longer than zero, traps.
    ///
    /// - Parameters:
    ///   - count: the number of transfers in a period.
    ///   - period: default one second.
    ///   - burst: the most transfers that begin at once. Default 1.
    public init(_ count: Int, per period: Duration = .seconds(1), burst: Int = 1) {
        precondition(count > 0 && burst > 0 && period > .zero, "a rate needs a count, a burst and a period above zero")
        (self.count, self.period, self.burst) = (count, period, burst)
    }

    private enum CodingKeys: CodingKey { case count, period, burst }

    /// Makes a limit as it was encoded.
    ///
    /// - Throws: `DecodingError`, also when count, burst or period are not above zero.
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

    /// Transfers a second.
    var perSecond: Double { Double(count) / period.seconds }
}

/// Lets transfers begin at a rate. A token bucket, kept as the instant at which everything that was taken is paid for;
/// a value without a clock: instants are nanoseconds of a monotonic clock.
///
/// A timer is always late. What a transfer lost by that, the next one gets back, up to the time between two transfers:
/// without that the mean would be below the rate.
struct RateBucket: Equatable {
    /// The most time that is got back, but for very high rates, where it is the least.
    private static let longestSavedTime: UInt64 = 20_000_000
    private static let shortestSavedTime: UInt64 = 2_000_000
    private static let longestInterval = 1e17  // some three years
    /// A burst that would take longer is a smaller one.
    private static let longestTolerance: UInt64 = 9_000_000_000_000_000_000

    /// Between two transfers.
    private var interval: UInt64 = 1
    private var burst: UInt64
    private var paidAt: UInt64 = 0

    init(perSecond: Double, burst: Int = 1) {
        self.burst = UInt64(max(1, burst))
        setRate(perSecond)
    }

    init(_ limit: RateLimit) { self.init(perSecond: limit.perSecond, burst: limit.burst) }

    /// When the next transfer may begin; `now` or earlier when it may begin now.
    var opensAt: UInt64 {
        let (product, isTooMuch) = interval.multipliedReportingOverflow(by: burst - 1)
        let tolerance = isTooMuch ? Self.longestTolerance : min(product, Self.longestTolerance)
        return paidAt - min(paidAt, tolerance)
    }

    /// Whether nothing that was taken is still to be paid for: then the whole burst is there.
    func isPaid(now: UInt64) -> Bool { paidAt <= now }

    mutating func setRate(_ perSecond: Double) { interval = UInt64(max(1, min(1e9 / perSecond, Self.longestInterval))) }

    mutating func take(now: UInt64) {
        let saved = max(Self.shortestSavedTime, min(interval, Self.longestSavedTime))
        let (sum, isTooMuch) = max(paidAt, now - min(now, saved)).addingReportingOverflow(interval)
        paidAt = isTooMuch ? .max : sum
    }

    /// A transfer that was let begin has not begun.
    mutating func giveBack() { paidAt -= min(paidAt, interval) }
}
