// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetHTTP
internal import Foundation

/// What the batches of a fleet allow at single origins, and a worker's share of that. A value.
struct FleetLimits: Equatable {
    /// The most transfers to an origin, of all workers together.
    private(set) var transfers: [String: Int] = [:]
    /// How many transfers to an origin may begin in a time, of all workers together.
    private(set) var rates: [String: RateLimit] = [:]

    /// The limits of some batches: at each origin the smallest one counts.
    init(_ batches: some Sequence<OpenBatch>) {
        for batch in batches {
            if let limit = batch.settings.maximumConcurrentTransferCountPerOrigin {
                for lane in batch.lanes.values { transfers[lane] = min(limit, transfers[lane] ?? limit) }
            }
            if let rate = batch.settings.rateLimitPerOrigin {
                for lane in batch.lanes.values { rates[lane] = rates[lane].map { Self.lower($0, rate) } ?? rate }
            }
        }
    }

    private static func lower(_ one: RateLimit, _ other: RateLimit) -> RateLimit {
        Double(one.count) * (other.period / one.period) <= Double(other.count) ? one : other
    }

    /// How many transfers a worker may run at each origin.
    func transfers(_ share: FleetShare) -> [String: Int] { transfers.mapValues { share.transfers(of: $0) } }

    /// How many transfers a worker may run at each origin as soon as all others count it.
    func parts(_ share: FleetShare) -> [String: Int] { transfers.mapValues { share.part(of: $0) } }

    /// At what rate a worker's transfers to each origin may begin.
    func rates(_ share: FleetShare) -> [String: RateLimit] {
        rates.mapValues { rate in
            RateLimit(rate.count, per: rate.period * share.count, burst: max(1, rate.burst / share.count))
        }
    }

    /// The origins with a rate, of which a worker without a share uses none.
    func closedOrigins(_ share: FleetShare) -> Set<String> { share.isActive ? [] : Set(rates.keys) }
}

extension OriginLimits {
    /// The most that a worker does at an origin.
    init(_ rate: RateLimit?, transfers count: Int) {
        self.init(rateLimit: rate)
        maximumConcurrentTransferCount = count
    }
}

/// Holds of origins, as a worker knows them. A value with instants handed in.
struct OriginHolds {
    typealias Instant = ContinuousClock.Instant

    /// A hold that grows by less is not told to others again.
    private static let leastGrowth = Duration.milliseconds(500)

    private var ends: [String: Instant] = [:]

    /// The origins that are held.
    mutating func origins(now: Instant) -> Set<String> {
        ends = ends.filter { $0.value > now }
        return Set(ends.keys)
    }

    /// The origins that were held when `origins(now:)` was asked last, and since then.
    var known: Set<String> { Set(ends.keys) }

    /// When the next hold ends.
    var nextEnd: Instant? { ends.values.min() }

    /// Notes a hold; whether others are to be told.
    mutating func note(_ origin: String, for length: Duration, now: Instant) -> Bool {
        let end = now + length
        if let known = ends[origin], known > now, end - known < Self.leastGrowth { return false }
        ends[origin] = end
        return true
    }
}
