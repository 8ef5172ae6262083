// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Detects lost workers by their heartbeats. A value type; the caller passes the current instant.
///
/// A worker is lost if this worker has seen no new heartbeat for the length of the other worker's lease, on its own
/// clock and without a gap: clocks of different machines are not compared. After a time without the store, or without
/// checks by this worker, every worker gets a whole lease to return.
struct WorkerWatch {
    typealias Instant = ContinuousClock.Instant

    private struct Sight {
        var beat: Int
        var since: Instant
    }

    /// The longest time between two checks. After a longer gap, earlier observations do not count.
    private let longestGap: Duration
    private var sights: [Int: Sight] = [:]
    private var lastLook: Instant?

    init(longestGap: Duration) { self.longestGap = longestGap }

    /// Forgets all observations, because the store was unreachable.
    mutating func interrupt() { sights = [:] }

    /// Records the heartbeats of all workers, and returns the lost workers.
    mutating func see(_ signs: [WorkerSign], now: Instant) -> [WorkerSign] {
        if let lastLook, now - lastLook > longestGap { interrupt() }
        lastLook = now
        var seen: [Int: Sight] = [:]
        var lost: [WorkerSign] = []
        for sign in signs {
            if let sight = sights[sign.number], sight.beat == sign.beat {
                seen[sign.number] = sight
                if now - sight.since >= .seconds(sign.lease) { lost.append(sign) }
            } else {
                seen[sign.number] = Sight(beat: sign.beat, since: now)
            }
        }
        sights = seen
        return lost
    }
}

/// A worker's share of the limits of a fleet. A value type.
struct FleetShare: Equatable {
    /// The number of workers.
    let count: Int
    /// The worker's index among the workers, from 0.
    let index: Int
    /// Whether all other workers count this worker. Before that it has no share, so that all shares together never
    /// exceed the limit.
    let isActive: Bool

    /// - Parameter signs: all workers, in the order of their numbers.
    init(of worker: Int, among signs: [WorkerSign]) {
        count = max(1, signs.count)
        index = signs.firstIndex { $0.number == worker } ?? 0
        isActive = signs.allSatisfy { $0.number == worker || $0.knownWorker >= worker }
    }

    /// Returns the share of a number of transfers. All shares together equal the number.
    func transfers(of limit: Int) -> Int { isActive ? part(of: limit) : 0 }

    /// Returns the share that applies as soon as all other workers count this worker.
    func part(of limit: Int) -> Int { limit / count + (index < limit % count ? 1 : 0) }
}
