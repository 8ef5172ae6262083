// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Watches the signs of all workers, and finds those that are lost. A value with instants handed in.
///
/// A worker is lost when this one has seen no sign of it for the length of its lease, on its own clock, without a gap:
/// clocks of several machines are not compared. After a store was away, or when this worker itself has not looked for
/// long, everybody has a whole lease to come back.
struct WorkerWatch {
    typealias Instant = ContinuousClock.Instant

    private struct Sight {
        var beat: Int
        var since: Instant
    }

    /// Between two looks there is no more than this, or what was seen before counts no longer.
    private let longestGap: Duration
    private var sights: [Int: Sight] = [:]
    private var lastLook: Instant?

    init(longestGap: Duration) { self.longestGap = longestGap }

    /// Forgets what it has seen: the store was away.
    mutating func interrupt() { sights = [:] }

    /// Takes the signs of all workers; gives those that are lost.
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

/// A worker's share of what a fleet is allowed. A value.
struct FleetShare: Equatable {
    /// The number of workers.
    let count: Int
    /// The worker's place among them, from 0.
    let index: Int
    /// Whether all others count the worker: before that it has no share, so that all shares together are never more
    /// than the whole.
    let isActive: Bool

    /// - Parameter signs: all workers, in the order of their numbers.
    init(of worker: Int, among signs: [WorkerSign]) {
        count = max(1, signs.count)
        index = signs.firstIndex { $0.number == worker } ?? 0
        isActive = signs.allSatisfy { $0.number == worker || $0.knownWorker >= worker }
    }

    /// The share of a number of transfers: all shares together are the number.
    func transfers(of limit: Int) -> Int { isActive ? part(of: limit) : 0 }

    /// The share as soon as all other workers count the worker.
    func part(of limit: Int) -> Int { limit / count + (index < limit % count ? 1 : 0) }
}
