// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A token bucket of bytes, stored as the instant at which all consumed bytes are paid for. A value without a clock:
/// instants are nanoseconds of `MonotonicClock`.
///
/// From that instant on, any number of bytes may be consumed at once, and the next consumer waits until they are paid
/// for. Unused capacity is saved for a tenth of a second at most, which compensates for late timers.
struct ByteBucket: Sendable, Equatable {
    private static let savedTime: UInt64 = 100_000_000
    private static let longestTime = 1e17  // about three years

    private let bytesPerSecond: Int
    private var paidAt: UInt64 = 0

    /// - Parameter bytesPerSecond: 1 or more.
    init(bytesPerSecond: Int) { self.bytesPerSecond = bytesPerSecond }

    /// The instant from which bytes may be consumed again; `now` or earlier if they may be consumed immediately.
    var opensAt: UInt64 { paidAt }

    mutating func consume(_ byteCount: Int, now: UInt64) {
        paidAt = max(paidAt, now - min(now, Self.savedTime)) + cost(byteCount)
    }

    /// Returns bytes to the bucket that were consumed but not used.
    mutating func giveBack(_ byteCount: Int) { paidAt -= min(paidAt, cost(byteCount)) }

    private func cost(_ byteCount: Int) -> UInt64 {
        UInt64(min(Double(byteCount) * 1e9 / Double(bytesPerSecond), Self.longestTime))
    }

    /// The maximum number of bytes to consume at once, so that bytes flow evenly: the bytes of an eighth of a second,
    /// and at least 256.
    var pieceByteCount: Int { max(256, bytesPerSecond / 8) }
}
