// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides when progress is told: at most ten times a second, and at the end. A value without a clock.
struct ProgressMeter {
    private static let interval: UInt64 = 100_000_000
    private(set) var total: Int64 = 0
    private var toldTotal: Int64 = 0
    private var nextInstant: UInt64 = 0

    /// Adds bytes; gives how many to tell of now, or nil to wait.
    mutating func advance(by byteCount: Int, now: UInt64) -> Int64? {
        total += Int64(byteCount)
        guard now >= nextInstant else { return nil }
        nextInstant = now + Self.interval
        return takeUntold()
    }

    /// The bytes that were not told of yet, or nil when there are none.
    mutating func takeUntold() -> Int64? {
        guard total != toldTotal else { return nil }
        defer { toldTotal = total }
        return total - toldTotal
    }

    /// Counts from another place: a body that started again, or goes on after a pause.
    mutating func restart(at total: Int64) {
        self.total = total
        toldTotal = total
    }
}
