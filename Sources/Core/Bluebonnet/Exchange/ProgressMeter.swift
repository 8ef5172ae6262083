// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides when progress is reported: at most ten times per second, and at the end. A value without a clock.
struct ProgressMeter {
    private static let interval: UInt64 = 100_000_000
    private(set) var total: Int64 = 0
    private var toldTotal: Int64 = 0
    private var nextInstant: UInt64 = 0

    /// Adds bytes. Returns the number of bytes to report now; nil to report later.
    mutating func advance(by byteCount: Int, now: UInt64) -> Int64? {
        total += Int64(byteCount)
        guard now >= nextInstant else { return nil }
        nextInstant = now + Self.interval
        return takeUntold()
    }

    /// Returns the number of bytes that were not reported yet, and marks them as reported; nil if there are no such
    /// bytes.
    mutating func takeUntold() -> Int64? {
        guard total != toldTotal else { return nil }
        defer { toldTotal = total }
        return total - toldTotal
    }

    /// Restarts at another count, for a body that starts over or continues after a pause.
    mutating func restart(at total: Int64) {
        self.total = total
        toldTotal = total
    }
}
