// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The speed below which a transfer is given up: fewer bytes a second, on average over a length of time.
///
/// The transfer fails with `timedOut`, and `NetworkingError.timeLimit` is `lowSpeed`. Bytes of bodies count, in both
/// directions, before decoding. The time begins when the request is sent, and waiting for the response counts. Time in
/// which the operation is paused, in which a stream or a file of the program takes no bytes, or in which a limit of
/// bytes a second holds the transfer does not count: the measurement begins anew after it.
public struct LowSpeedLimit: Sendable, Hashable, Codable {
    /// The bytes a second; 1 or more.
    public var bytesPerSecond: Int
    /// The time; more than zero. The end comes up to an eighth of it later.
    public var duration: Duration

    /// Makes a limit, as `curl --speed-limit --speed-time`.
    public init(bytesPerSecond: Int, duration: Duration) {
        (self.bytesPerSecond, self.duration) = (bytesPerSecond, duration)
    }

    var isValid: Bool { bytesPerSecond > 0 && duration > .zero }
}

/// Measures the speed of one transfer in eighths of its limit's time. A value without a clock: instants are nanoseconds
/// of `MonotonicClock`.
struct LowSpeedMeter: Sendable, Equatable {
    private static let eighths = 8

    private let leastByteCount: Int64
    private let eighth: UInt64
    /// The bytes of the last eighths, the oldest first.
    private var moved: [Int64] = []
    /// The bytes up to the last look.
    private var totalByteCount: Int64 = 0
    /// When to look next; `UInt64.max` while nothing is measured.
    private(set) var nextLook = UInt64.max

    init(_ limit: LowSpeedLimit) {
        leastByteCount = Int64(min((Double(limit.bytesPerSecond) * limit.duration.seconds).rounded(.up), 1e18))
        eighth = max(1, limit.duration.nanoseconds / UInt64(Self.eighths))
    }

    /// Begins to measure, or begins anew.
    mutating func begin(now: UInt64) {
        moved.removeAll()
        nextLook = now + eighth
    }

    /// Measures nothing until `begin`.
    mutating func suspend() { nextLook = .max }

    /// The request is sent again, and its bytes are counted from 0.
    mutating func startAgain() { totalByteCount = 0 }

    /// Whether fewer bytes have moved than the limit wants. A look that comes late is for all the time before it.
    ///
    /// - Parameter byteCount: all bytes of the transfer so far.
    mutating func isTooSlow(now: UInt64, byteCount: Int64) -> Bool {
        guard now >= nextLook else { return false }
        // libcurl counts from 0 again when it sends the request again by itself.
        moved.append(byteCount < totalByteCount ? byteCount : byteCount - totalByteCount)
        totalByteCount = byteCount
        nextLook = now + eighth
        if moved.count > Self.eighths { moved.removeFirst() }
        return moved.count == Self.eighths && moved.reduce(0, +) < leastByteCount
    }
}
