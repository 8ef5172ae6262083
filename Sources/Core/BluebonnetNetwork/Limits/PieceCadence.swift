// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Detects a body that arrives in many small pieces, such as a busy stream of events. Each read costs a turn of the
/// network thread and a wake-up of the consumer, so the transfer rests after a read, and reads several pieces at once.
/// A value without a clock.
struct PieceCadence {
    /// The length of a rest, in nanoseconds: how much later a piece may reach its consumer.
    static let rest: UInt64 = 750_000
    /// The number of reads after which the cadence is determined again.
    static let windowCount = 16
    /// A body is dense if the reads of a window take less time, in nanoseconds.
    private static let dense: UInt64 = 6_000_000
    /// A dense body is sparse again if they take longer.
    private static let sparse: UInt64 = 40_000_000
    /// A longer read belongs to a body that fills the buffer by itself, in bytes.
    private static let longByteCount = 8 << 10

    private var start: UInt64 = 0
    private var readCount = 0
    private(set) var isDense = false

    /// Records a read.
    ///
    /// - Returns: whether the transfer rests before the next read.
    mutating func record(byteCount: Int, now: UInt64) -> Bool {
        guard byteCount <= Self.longByteCount else {
            self = PieceCadence()
            return false
        }
        if readCount == 0 { start = now }
        readCount += 1
        if readCount > Self.windowCount {
            let elapsed = now - min(start, now)
            isDense = elapsed < (isDense ? Self.sparse : Self.dense)
            (start, readCount) = (now, 1)
        }
        return isDense
    }
}
