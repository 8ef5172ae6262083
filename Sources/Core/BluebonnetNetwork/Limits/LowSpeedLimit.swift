// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The minimum speed of a transfer: a number of bytes a second, averaged over a duration.
///
/// A slower transfer fails with `timedOut`, and `NetworkingError.timeLimit` is `lowSpeed`. Bytes of bodies count in
/// both directions, before decoding. The measurement starts when the request is sent, and waiting for the response
/// counts. Time does not count while the operation is paused, while a stream or a file of the program accepts no bytes,
/// or while a limit of bytes a second delays the transfer. The measurement restarts afterwards.
public struct LowSpeedLimit: Sendable, Hashable, Codable {
    /// The minimum number of bytes a second; 1 or more.
    public var bytesPerSecond: Int
    /// The duration over which the speed is averaged; more than zero. The transfer fails up to an eighth of the
    /// duration later.
    public var duration: Duration

    /// Makes a limit, like `curl --speed-limit --speed-time`.
    public init(bytesPerSecond: Int, duration: Duration) {
        (self.bytesPerSecond, self.duration) = (bytesPerSecond, duration)
    }

    package var isValid: Bool { bytesPerSecond > 0 && duration > .zero }
}

/// Measures the speed of one transfer in eighths of the limit's duration. A value without a clock: instants are
/// nanoseconds of `MonotonicClock`.
struct LowSpeedMeter: Sendable, Equatable {
    private static let eighths = 8

    private let leastByteCount: Int64
    private let eighth: UInt64
    /// The byte counts of the last eighths, the oldest first.
    private var moved: [Int64] = []
    /// The byte count at the last check.
    private var totalByteCount: Int64 = 0
    /// When to check next; `UInt64.max` while nothing is measured.
    private(set) var nextLook = UInt64.max

    init(_ limit: LowSpeedLimit) {
        leastByteCount = Int64(min((Double(limit.bytesPerSecond) * limit.duration.seconds).rounded(.up), 1e18))
        eighth = max(1, limit.duration.nanoseconds / UInt64(Self.eighths))
    }

    /// Starts or restarts the measurement.
    mutating func begin(now: UInt64) {
        moved.removeAll()
        nextLook = now + eighth
    }

    /// Suspends the measurement until `begin`.
    mutating func suspend() { nextLook = .max }

    /// Restarts the byte count at 0, because the request is sent again.
    mutating func startAgain() { totalByteCount = 0 }

    /// Returns whether fewer bytes have moved than the limit requires. A late check covers all the time since the check
    /// before it.
    ///
    /// - Parameter byteCount: the number of bytes of the transfer so far.
    mutating func checkTooSlow(now: UInt64, byteCount: Int64) -> Bool {
        guard now >= nextLook else { return false }
        // libcurl restarts its counts at 0 when it sends the request again by itself.
        moved.append(byteCount < totalByteCount ? byteCount : byteCount - totalByteCount)
        totalByteCount = byteCount
        nextLook = now + eighth
        if moved.count > Self.eighths { moved.removeFirst() }
        return moved.count == Self.eighths && moved.reduce(0, +) < leastByteCount
    }
}
