// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import Foundation

/// Decides what a worker may send to which origin, by its share of the limits of all workers and by the pauses that
/// servers ask for. Confined to the worker's thread.
struct OriginRules {
    typealias Instant = ContinuousClock.Instant

    /// Enforces rates and pauses on the network thread.
    let governor: Governor
    private(set) var limits = FleetLimits([])
    private(set) var share = FleetShare(of: 0, among: [])
    private var pauses = OriginPauses()
    private let concurrencyPerOrigin: Int

    init(_ configuration: FleetWorker.Configuration, _ inbox: WorkerInbox) {
        concurrencyPerOrigin = configuration.concurrencyPerOrigin
        governor = Governor(OriginLimits(nil, transfers: concurrencyPerOrigin))
        governor.observeBackOffs { [inbox] in inbox.post(.originPaused(origin: $0, length: $1)) }
    }

    /// The paused origins, and when each pause ends.
    var pauseEnds: [String: Instant] { pauses.running(now: .now) }

    /// When the next pause ends; nil without a pause.
    var nextEnd: Instant? { pauses.nextEnd }

    /// Whether the lines of a hand that are in flight fit into the worker's part of the limits.
    func hasKept(_ hand: WorkerHand) -> Bool { hand.keeps(to: limits.parts(share)) }

    /// Sets new limits, or a new share of the limits.
    ///
    /// - Returns: unsent lines of the hand for origins where this worker has no share: other workers run them.
    mutating func set(
        _ newLimits: FleetLimits, _ newShare: FleetShare, _ hand: inout WorkerHand
    ) -> [ClaimedLine] {
        let old = Set(limits.rates.keys).union(limits.transfers.keys)
        (limits, share) = (newLimits, newShare)
        hand.setLimits(limits.transfers(share))
        apply(to: &hand)
        let (rates, transfers) = (limits.rates(share), limits.transfers(share))
        for origin in old.union(rates.keys).union(transfers.keys) {
            guard let url = URL(string: origin) else { continue }
            guard rates[origin] != nil || transfers[origin] != nil else {
                governor.setLimits(nil, for: url)
                continue
            }
            // The hand counts lines when they start; the governor also limits lines that are retried.
            let count = max(1, min(concurrencyPerOrigin, transfers[origin] ?? concurrencyPerOrigin))
            governor.setLimits(OriginLimits(rates[origin], transfers: count), for: url)
        }
        return hand.removeUnsent { [hand] in
            limits.transfers[$0.lane] != nil && hand.limit(ofLane: $0.lane) == 0
        }
    }

    /// Records a pause that a server asks for. Returns whether other workers are to be notified.
    mutating func recordPause(of origin: String, for length: Duration) -> Bool {
        pauses.recordPause(of: origin, for: length, now: .now)
    }

    /// Applies the pauses that other workers have reported.
    mutating func applyPauses(_ reported: [StoredPause], _ hand: inout WorkerHand) {
        for pause in reported where pauses.recordPause(of: pause.origin, for: pause.length, now: .now) {
            if let url = URL(string: pause.origin) { governor.startBackOff(of: url, for: pause.length) }
        }
        apply(to: &hand)
    }

    /// Sets the origins to which a hand sends nothing now.
    mutating func apply(to hand: inout WorkerHand) {
        hand.setPausedLanes(pauses.origins(now: .now).union(limits.closedOrigins(share)))
    }

    /// Returns how many lines of a batch the worker can take, lane by lane.
    func claimLimits(for batch: OpenBatch, _ count: Int, _ hand: WorkerHand) -> WorkerStore.ClaimLimits {
        let closed = pauses.known.union(limits.closedOrigins(share))
        var claim = WorkerStore.ClaimLimits(count: count, countPerLane: 2 * concurrencyPerOrigin, laneCounts: [:])
        let special = hand.lanes.union(closed).union(limits.transfers.keys)
        guard !special.isEmpty else { return claim }
        for (lane, origin) in batch.lanes where special.contains(origin) {
            claim.laneCounts[lane] = closed.contains(origin) ? 0 : hand.capacity(forLane: origin)
        }
        return claim
    }
}
