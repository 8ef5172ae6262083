// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetHTTP
internal import Foundation

/// The limits that the batches of a fleet set for origins, and a worker's share of these limits. A value type.
struct FleetLimits: Equatable {
    /// The maximum number of concurrent transfers to an origin, of all workers together.
    private(set) var transfers: [String: Int] = [:]
    /// The rate at which transfers to an origin may begin, of all workers together.
    private(set) var rates: [String: RateLimit] = [:]

    /// Combines the limits of batches: for each origin, the smallest limit applies.
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

    /// Returns how many transfers a worker may run at each origin.
    func transfers(_ share: FleetShare) -> [String: Int] { transfers.mapValues { share.transfers(of: $0) } }

    /// Returns how many transfers a worker may run at each origin as soon as all other workers count it.
    func parts(_ share: FleetShare) -> [String: Int] { transfers.mapValues { share.part(of: $0) } }

    /// Returns the rate at which a worker's transfers to each origin may begin.
    func rates(_ share: FleetShare) -> [String: RateLimit] {
        rates.mapValues { rate in
            RateLimit(rate.count, per: rate.period * share.count, burst: max(1, rate.burst / share.count))
        }
    }

    /// Returns the origins with a rate limit if the worker has no share yet: the worker must not use them.
    func closedOrigins(_ share: FleetShare) -> Set<String> { share.isActive ? [] : Set(rates.keys) }
}

extension OriginLimits {
    /// Creates the limits of one worker for an origin.
    init(_ rate: RateLimit?, transfers count: Int) {
        self.init(rateLimit: rate)
        maximumConcurrentTransferCount = count
    }
}

/// The pauses of origins, as a worker knows them. A value type; the caller passes the current instant.
struct OriginPauses {
    typealias Instant = ContinuousClock.Instant

    /// A pause that grows by less than this is not reported to other workers again.
    private static let leastGrowth = Duration.milliseconds(500)

    private var ends: [String: Instant] = [:]

    /// Returns the paused origins, and forgets pauses that are over.
    mutating func origins(now: Instant) -> Set<String> {
        ends = ends.filter { $0.value > now }
        return Set(ends.keys)
    }

    /// Returns the paused origins, and when each pause ends.
    func running(now: Instant) -> [String: Instant] { ends.filter { $0.value > now } }

    /// The origins that were paused at the last call of `origins(now:)`, or since then.
    var known: Set<String> { Set(ends.keys) }

    /// When the next pause ends; nil without a pause.
    var nextEnd: Instant? { ends.values.min() }

    /// Records a pause. Returns whether other workers are to be notified.
    mutating func recordPause(of origin: String, for length: Duration, now: Instant) -> Bool {
        let end = now + length
        if let known = ends[origin], known > now, end - known < Self.leastGrowth { return false }
        ends[origin] = end
        return true
    }
}
