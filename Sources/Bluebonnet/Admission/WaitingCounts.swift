// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// How many of one queue's operations wait for admission, by line (of an origin) and priority. An object, which their
/// tickets share. Network thread only.
final class WaitingCounts {
    private struct LaneCounts {
        let lane: Int
        /// From `veryLow` to `veryHigh`.
        private var counts = SIMD8<Int32>()

        init(lane: Int) { self.lane = lane }

        var isEmpty: Bool { counts == SIMD8() }

        mutating func note(_ priority: Int, _ change: Int) {
            counts[Self.index(of: priority)] += Int32(change)
        }

        func count(from priority: Int) -> Int {
            (Self.index(of: priority)..<counts.scalarCount).reduce(0) { $0 + Int(counts[$1]) }
        }

        /// Foundation's priorities are four apart (`Operation.QueuePriority`).
        private static func index(of priority: Int) -> Int { min(max((priority + 8) / 4, 0), 4) }
    }

    /// Most have the origin of the one before.
    private var recent = LaneCounts(lane: -1)
    private var others: [Int: LaneCounts] = [:]

    var isEmpty: Bool { recent.isEmpty && others.isEmpty }

    /// One came, or left.
    func note(lane: Int, priority: Int, _ change: Int) {
        if lane != recent.lane {
            if !recent.isEmpty { others[recent.lane] = recent }
            recent = others.removeValue(forKey: lane) ?? LaneCounts(lane: lane)
        }
        recent.note(priority, change)
    }

    /// How many with this priority or a higher one their origins would let in.
    ///
    /// - Parameters:
    ///   - limit: the most that matter.
    ///   - room: how many more the origin of a line may have on the wire; less than none is none.
    func admissibleCount(from priority: Int, limit: Int, availableSlotCount: (Int) -> Int) -> Int {
        func count(_ lane: LaneCounts) -> Int {
            lane.isEmpty ? 0 : max(0, min(lane.count(from: priority), availableSlotCount(lane.lane)))
        }
        var sum = count(recent)
        for lane in others.values {
            if sum >= limit { break }
            sum += count(lane)
        }
        return min(sum, limit)
    }
}

@available(*, unavailable)
extension WaitingCounts: Sendable {}
