// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The ready operations of a queue, ordered by rank, in lanes that do not delay each other: one lane for each admission
/// that has to give a slot, and one for operations that need no slot. A value; the queue's state knows which ranks are
/// stale.
struct ReadyLanes: Sendable {
    struct Rank: Comparable {
        let priority: Int
        let virtualTime: UInt64
        let number: UInt64
        let index: QueueState.Index
        /// Generation; stale heap entries are skipped.
        let rankCount: UInt32

        static func < (a: Rank, b: Rank) -> Bool {
            (-a.priority, a.virtualTime, a.number) < (-b.priority, b.virtualTime, b.number)
        }
    }

    private struct Lane: Sendable {
        /// Nil for operations that need no slot.
        let services: NetworkServices?
        var ranks = Heap<Rank>()
        /// The highest priority for which there was no free slot; nil when there was one.
        var blockedPriority: Int?
        /// The free slots that admission reported, the priority they are for, and the number taken since then.
        var availableSlots: (priority: Int, count: Int)?
        var takenCount = 0

        /// The first rank; nil when there is no slot for it.
        var first: Rank? {
            guard let first = ranks.first else { return nil }
            return blockedPriority.map { first.priority <= $0 } ?? false ? nil : first
        }
    }

    /// Few: one for each manager that has used the queue since it was empty, and one more.
    private var lanes: [Lane] = []

    /// Whether there are so many lanes that an empty queue should drop them.
    var hasManyLanes: Bool { lanes.count > 4 }

    var isEmpty: Bool { lanes.allSatisfy(\.ranks.isEmpty) }

    /// Whether an operation may be taken, as far as is known.
    var mayHaveOne: Bool { lanes.contains { $0.first != nil } }

    mutating func insert(_ rank: Rank, services: NetworkServices?) {
        if let index = lanes.firstIndex(where: { $0.services === services }) {
            lanes[index].ranks.insert(rank)
        } else {
            lanes.append(Lane(services: services))
            lanes[lanes.count - 1].ranks.insert(rank)
        }
    }

    /// The first rank that may be taken, and its lane.
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
    /// Forgets the free slots that admissions reported before.
    mutating func beginTaking() {
        clearBlockedPriorities()
        for lane in lanes.indices { (lanes[lane].availableSlots, lanes[lane].takenCount) = (nil, 0) }
    }

    /// Takes a slot for the first operation of a lane. Without a free slot, operations of this priority and lower ones
    /// in the lane are skipped until `clearBlockedPriorities` is called.
    ///
    /// - Parameter count: the free slots for the priority of the lane's first operation, without those already taken.
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
