// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// How many of one queue's operations wait for admission, by line (of an origin) and priority. An object, which their
/// tickets share. Network thread only.
final class WaitingCounts {
    private struct LineCounts {
        let line: Int
        /// From `veryLow` to `veryHigh`.
        private var counts = SIMD8<Int32>()

        init(line: Int) { self.line = line }

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
    private var recent = LineCounts(line: -1)
    private var others: [Int: LineCounts] = [:]

    var isEmpty: Bool { recent.isEmpty && others.isEmpty }

    /// One came, or left.
    func note(line: Int, priority: Int, _ change: Int) {
        if line != recent.line {
            if !recent.isEmpty { others[recent.line] = recent }
            recent = others.removeValue(forKey: line) ?? LineCounts(line: line)
        }
        recent.note(priority, change)
    }

    /// How many with this priority or a higher one their origins would let in.
    ///
    /// - Parameters:
    ///   - limit: the most that matter.
    ///   - room: how many more the origin of a line may have on the wire; less than none is none.
    func admissibleCount(from priority: Int, limit: Int, room: (Int) -> Int) -> Int {
        func count(_ line: LineCounts) -> Int {
            line.isEmpty ? 0 : max(0, min(line.count(from: priority), room(line.line)))
        }
        var sum = count(recent)
        for line in others.values {
            if sum >= limit { break }
            sum += count(line)
        }
        return min(sum, limit)
    }
}

@available(*, unavailable)
extension WaitingCounts: Sendable {}
