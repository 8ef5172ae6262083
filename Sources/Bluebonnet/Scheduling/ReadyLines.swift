// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// What is ready in a queue, the first in rank first, in lines that do not hold up one another: one for each admission
/// that has to have a place, and one for what needs no place. A value; the queue's books know whether a rank still stands
/// for an operation.
struct ReadyLines: Sendable {
    struct Rank: Comparable {
        let priority: Int
        let turn: UInt64
        let number: UInt64
        let slot: QueueState.Slot
        /// Tells the place in line from one that the entry had before.
        let rankCount: UInt32

        static func < (a: Rank, b: Rank) -> Bool {
            (-a.priority, a.turn, a.number) < (-b.priority, b.turn, b.number)
        }
    }

    private struct Line: Sendable {
        /// Nil where no place is needed.
        let services: NetworkServices?
        var ranks = Heap<Rank>()
        /// For this priority, and lower ones, there was no place.
        var fullPriority: Int?
        /// How many places there were, for which priority, and how many were taken since then.
        var room: (priority: Int, count: Int)?
        var takenCount = 0

        /// Nil where there is no place.
        var first: Rank? {
            guard let first = ranks.first else { return nil }
            return fullPriority.map { first.priority <= $0 } ?? false ? nil : first
        }
    }

    /// Few: as many as managers have shared the queue since it was empty, and one.
    private var lines: [Line] = []

    /// Whether it is worth beginning anew when all are empty.
    var hasManyLines: Bool { lines.count > 4 }

    var isEmpty: Bool { lines.allSatisfy(\.ranks.isEmpty) }

    /// Whether anything may be taken, as far as it is known.
    var mayHaveOne: Bool { lines.contains { $0.first != nil } }

    mutating func insert(_ rank: Rank, services: NetworkServices?) {
        if let index = lines.firstIndex(where: { $0.services === services }) {
            lines[index].ranks.insert(rank)
        } else {
            lines.append(Line(services: services))
            lines[lines.count - 1].ranks.insert(rank)
        }
    }

    /// The first of those that may be taken, and its line.
    var first: (rank: Rank, line: Int)? {
        var first: (rank: Rank, line: Int)?
        for line in lines.indices {
            guard let rank = lines[line].first, first.map({ rank < $0.rank }) ?? true else { continue }
            first = (rank, line)
        }
        return first
    }

    mutating func removeFirst(of line: Int) { _ = lines[line].ranks.popFirst() }
}

// MARK: - Places

extension ReadyLines {
    /// What admissions say from now on is not what they said before.
    mutating func beginTaking() {
        forgetFullness()
        for line in lines.indices { (lines[line].room, lines[line].takenCount) = (nil, 0) }
    }

    /// Takes a place for the first of a line. If there is none, the line is passed over until `forgetFullness`, but for
    /// what has a higher priority.
    ///
    /// - Parameter count: how many places there are for the first's priority, besides those that were taken.
    mutating func takePlace(line: Int, priority: Int, count: () -> Int) -> Bool {
        let room = lines[line].room.flatMap { $0.priority == priority ? $0.count : nil } ?? count()
        lines[line].room = (priority, room)
        guard lines[line].takenCount < room else {
            lines[line].fullPriority = priority
            return false
        }
        lines[line].takenCount += 1
        return true
    }

    mutating func forgetFullness() {
        for line in lines.indices { lines[line].fullPriority = nil }
    }
}
