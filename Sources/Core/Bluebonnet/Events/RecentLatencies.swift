// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The durations of one manager's recent transfers, by origin. A value without a clock: instants are nanoseconds of
/// `MonotonicClock`.
struct RecentLatencies {
    /// The histograms of one origin: one for each part of the last minute.
    private struct Parts {
        var parts = Array(repeating: LatencyHistogram(), count: RecentLatencies.partCount)
        /// The number of the newest part, counted from the clock's start.
        var newest: UInt64 = 0

        mutating func advance(to part: UInt64) {
            guard part > newest else { return }
            for step in 0..<min(part - newest, UInt64(RecentLatencies.partCount)) {
                parts[Int((part - step) % UInt64(RecentLatencies.partCount))] = LatencyHistogram()
            }
            newest = part
        }
    }

    static let partCount = 6
    /// In nanoseconds.
    private static let partLength: UInt64 = 10_000_000_000
    /// The number of origins whose durations are kept. The origin without a transfer for the longest time goes first.
    private static let originLimit = 256
    private var origins: [Parts] = []
    private var indexOfOrigin: [Origin: Int] = [:]
    /// The origin that was recorded last: the next transfer usually has the same origin.
    private var last: (origin: Origin, index: Int)?

    mutating func record(_ nanoseconds: UInt64, to origin: Origin, now: UInt64) {
        let index = index(of: origin)
        let part = now / Self.partLength
        if origins[index].newest != part { origins[index].advance(to: part) }
        origins[index].parts[Int(part % UInt64(Self.partCount))].record(nanoseconds)
    }

    private mutating func index(of origin: Origin) -> Int {
        if let last, last.origin == origin { return last.index }
        if let index = indexOfOrigin[origin] {
            last = (origin, index)
            return index
        }
        if origins.count == Self.originLimit { removeOldest() } else { origins.append(Parts()) }
        let index = indexOfOrigin.count
        origins[index] = Parts()
        indexOfOrigin[origin] = index
        last = (origin, index)
        return index
    }

    /// Removes the origin that was recorded least recently. The last entry takes its place.
    private mutating func removeOldest() {
        guard let oldest = indexOfOrigin.min(by: { origins[$0.value].newest < origins[$1.value].newest }) else {
            return
        }
        let end = origins.count - 1
        if let moved = indexOfOrigin.first(where: { $0.value == end }) {
            indexOfOrigin[moved.key] = oldest.value
            origins[oldest.value] = origins[end]
        }
        indexOfOrigin[oldest.key] = nil
        last = nil
    }

    /// Returns the durations of each origin's transfers that ended in the last minute.
    func histograms(now: UInt64) -> [Origin: LatencyHistogram] {
        indexOfOrigin.mapValues { index in
            var parts = origins[index]
            parts.advance(to: now / Self.partLength)
            var sum = LatencyHistogram()
            for part in parts.parts { sum.add(part) }
            return sum
        }
    }
}
