// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A token bucket of bytes, kept as the instant at which all bytes that were taken are paid for. A value without a
/// clock: instants are nanoseconds of `MonotonicClock`.
///
/// A taker that comes at that instant or later may take any number of bytes, and the next one waits for them. What was
/// not taken is saved for a tenth of a second at most, which makes up for late timers.
struct ByteBucket: Sendable, Equatable {
    private static let savedTime: UInt64 = 100_000_000
    private static let longestTime = 1e17  // some three years

    private let bytesPerSecond: Int
    private var paidAt: UInt64 = 0

    /// - Parameter bytesPerSecond: 1 or more.
    init(bytesPerSecond: Int) { self.bytesPerSecond = bytesPerSecond }

    /// When bytes may be taken again; `now` or earlier when they may be taken now.
    var opensAt: UInt64 { paidAt }

    mutating func take(_ byteCount: Int, now: UInt64) {
        paidAt = max(paidAt, now - min(now, Self.savedTime)) + cost(byteCount)
    }

    /// Gives bytes back that were not used after all.
    mutating func giveBack(_ byteCount: Int) { paidAt -= min(paidAt, cost(byteCount)) }

    private func cost(_ byteCount: Int) -> UInt64 {
        UInt64(min(Double(byteCount) * 1e9 / Double(bytesPerSecond), Self.longestTime))
    }

    /// The most bytes to take at once, so that bytes flow evenly: those of an eighth of a second, and at least 256.
    var pieceByteCount: Int { max(256, bytesPerSecond / 8) }
}
