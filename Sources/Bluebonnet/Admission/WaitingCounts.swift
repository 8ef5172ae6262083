// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Counts one queue's operations that wait for admission, by lane and priority. An object, which the tickets share.
/// Network thread only.
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

    /// Most operations have the origin of the one before.
    private var recent = LaneCounts(lane: -1)
    private var others: [Int: LaneCounts] = [:]

    var isEmpty: Bool { recent.isEmpty && others.isEmpty }

    /// Notes that an operation began or stopped waiting.
    func note(lane: Int, priority: Int, _ change: Int) {
        if lane != recent.lane {
            if !recent.isEmpty { others[recent.lane] = recent }
            recent = others.removeValue(forKey: lane) ?? LaneCounts(lane: lane)
        }
        recent.note(priority, change)
    }

    /// How many waiting operations of this priority or a higher one their origins would admit.
    ///
    /// - Parameters:
    ///   - limit: the most that matter.
    ///   - availableSlotCount: the free slots of a lane's origin; a negative number counts as 0.
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
