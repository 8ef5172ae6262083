// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What is ready in a queue, the first in rank first, in lines that do not hold up one another: one for each admission
/// that has to have a place, and one for what needs no place. A value; the queue's books know whether a rank still stands
/// for an operation.
struct ReadyLanes: Sendable {
    struct Rank: Comparable {
        let priority: Int
        let virtualTime: UInt64
        let number: UInt64
        let index: QueueState.Index
        /// Tells the place in line from one that the entry had before.
        let rankCount: UInt32

        static func < (a: Rank, b: Rank) -> Bool {
            (-a.priority, a.virtualTime, a.number) < (-b.priority, b.virtualTime, b.number)
        }
    }

    private struct Lane: Sendable {
        /// Nil where no place is needed.
        let services: NetworkServices?
        var ranks = Heap<Rank>()
        /// For this priority, and lower ones, there was no place.
        var blockedPriority: Int?
        /// How many places there were, for which priority, and how many were taken since then.
        var availableSlots: (priority: Int, count: Int)?
        var takenCount = 0

        /// Nil where there is no place.
        var first: Rank? {
            guard let first = ranks.first else { return nil }
            return blockedPriority.map { first.priority <= $0 } ?? false ? nil : first
        }
    }

    /// Few: as many as managers have shared the queue since it was empty, and one.
    private var lanes: [Lane] = []

    /// Whether it is worth beginning anew when all are empty.
    var hasManyLanes: Bool { lanes.count > 4 }

    var isEmpty: Bool { lanes.allSatisfy(\.ranks.isEmpty) }

    /// Whether anything may be taken, as far as it is known.
    var mayHaveOne: Bool { lanes.contains { $0.first != nil } }

    mutating func insert(_ rank: Rank, services: NetworkServices?) {
        if let index = lanes.firstIndex(where: { $0.services === services }) {
            lanes[index].ranks.insert(rank)
        } else {
            lanes.append(Lane(services: services))
            lanes[lanes.count - 1].ranks.insert(rank)
        }
    }

    /// The first of those that may be taken, and its line.
    var first: (rank: Rank, lane: Int)? {
        var first: (rank: Rank, lane: Int)?
        for lane in lanes.indices {
            guard let rank = lanes[lane].first, first.map({ rank < $0.rank }) ?? true else { continue }
            first = (rank, lane)
        }
        return first
    }

    mutating func removeFirst(of lane: Int) { _ = lanes[lane].ranks.popFirst() }
}

// MARK: - Places

extension ReadyLanes {
    /// What admissions say from now on is not what they said before.
    mutating func beginTaking() {
        clearBlockedPriorities()
        for lane in lanes.indices { (lanes[lane].availableSlots, lanes[lane].takenCount) = (nil, 0) }
    }

    /// Takes a place for the first of a line. If there is none, the line is passed over until `clearBlockedPriorities`, but for
    /// what has a higher priority.
    ///
    /// - Parameter count: how many places there are for the first's priority, besides those that were taken.
    mutating func takeSlot(lane: Int, priority: Int, count: () -> Int) -> Bool {
        let availableSlots = lanes[lane].availableSlots.flatMap { $0.priority == priority ? $0.count : nil } ?? count()
        lanes[lane].availableSlots = (priority, availableSlots)
        guard lanes[lane].takenCount < availableSlots else {
            lanes[lane].blockedPriority = priority
            return false
        }
        lanes[lane].takenCount += 1
        return true
    }

    mutating func clearBlockedPriorities() {
        for lane in lanes.indices { lanes[lane].blockedPriority = nil }
    }
}
