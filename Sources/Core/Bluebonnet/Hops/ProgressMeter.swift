// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides when progress is reported: at most ten times per second, and at the end. A value without a clock.
struct ProgressMeter {
    private static let interval: UInt64 = 100_000_000
    private(set) var total: Int64 = 0
    private var reportedTotal: Int64 = 0
    private var nextInstant: UInt64 = 0

    /// Adds bytes. Returns the number of bytes to report now; nil to report later.
    mutating func advance(by byteCount: Int, now: UInt64) -> Int64? {
        total += Int64(byteCount)
        guard now >= nextInstant else { return nil }
        nextInstant = now + Self.interval
        return consumeUnreported()
    }

    /// Returns the number of bytes that were not reported yet, and marks them as reported; nil if there are no such
    /// bytes.
    mutating func consumeUnreported() -> Int64? {
        guard total != reportedTotal else { return nil }
        defer { reportedTotal = total }
        return total - reportedTotal
    }

    /// Restarts at another count, for a body that starts over or continues after a pause.
    mutating func restart(at total: Int64) {
        self.total = total
        reportedTotal = total
    }
}
