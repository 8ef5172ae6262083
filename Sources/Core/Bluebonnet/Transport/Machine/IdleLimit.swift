// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Limits the time without a byte sent or received on a connection. Instants and lengths in nanoseconds of
/// `MonotonicClock`.
///
/// Bytes of a body leave libcurl's buffer unannounced. While some may be in there, their count is looked at several
/// times within the limit, so that the last of them put off its end by an eighth of it at most.
///
/// A stream that shares its connection may be silent because the server serves the others first. While the connection
/// moves, the stream's end is put off, up to ten times the limit.
struct IdleLimit {
    private static let looks: UInt64 = 8
    private static let sharedFactor: UInt64 = 10
    /// 0 is none.
    private let length: UInt64
    private(set) var lastMovement: UInt64?
    private var lastLook: UInt64 = 0
    private var sentByteCount: Int64 = 0
    /// Until when bytes of other streams put the end off.
    private var sharedEnd: UInt64 = 0

    init(_ length: UInt64) { self.length = length }

    mutating func noteMovement(at instant: UInt64) { lastMovement = instant }

    /// Stops counting until the next movement.
    mutating func suspend() { lastMovement = nil }

    /// The body is sent from its start again.
    mutating func startAgain() { sentByteCount = 0 }

    /// When to ask `hasPassed`; `UInt64.max` is never.
    ///
    /// - Parameter bodyByteCount: nil when it is not known.
    func nextLook(bodyByteCount: Int64?) -> UInt64 {
        guard length > 0, let lastMovement else { return .max }
        let end = end(after: lastMovement)
        if let bodyByteCount, sentByteCount >= bodyByteCount { return end }
        return min(end, max(lastMovement, lastLook) + max(1, length / Self.looks))
    }

    /// Whether nothing has moved for as long as the limit.
    ///
    /// - Parameter sentByteCount: how much of the body has left.
    mutating func hasPassed(now: UInt64, sentByteCount: Int64) -> Bool {
        guard length > 0, let lastMovement else { return false }
        lastLook = now
        if sentByteCount > self.sentByteCount {
            self.sentByteCount = sentByteCount
            self.lastMovement = now
            return false
        }
        return now >= end(after: lastMovement)
    }

    private func end(after movement: UInt64) -> UInt64 { max(movement + length, sharedEnd) }

    /// Puts the end off because bytes have come over the connection, for any stream; false when that is of no use.
    mutating func continues(afterMovementOfConnection instant: UInt64, now: UInt64) -> Bool {
        guard let lastMovement else { return false }
        let longest = min(length, .max / (2 * Self.sharedFactor)) * Self.sharedFactor
        sharedEnd = min(instant + length, lastMovement + longest)
        return now < sharedEnd
    }
}
