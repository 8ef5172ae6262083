// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Limits the time without a byte sent or received on a connection. Instants and durations are in nanoseconds of
/// `MonotonicClock`.
///
/// libcurl does not report when body bytes leave its buffer. While the buffer may contain bytes, their count is
/// checked several times within the limit, so that the last bytes postpone the end by at most an eighth of the limit.
///
/// A stream on a shared connection may be silent because the server serves other streams first. While the connection
/// receives bytes, the end for the stream is postponed, by up to ten times the limit.
struct IdleLimit {
    private static let looks: UInt64 = 8
    private static let sharedFactor: UInt64 = 10
    /// 0 means no limit.
    private let length: UInt64
    private(set) var lastMovement: UInt64?
    private var lastLook: UInt64 = 0
    private var sentByteCount: Int64 = 0
    /// Bytes of other streams postpone the end until this instant.
    private var sharedEnd: UInt64 = 0

    init(_ length: UInt64) { self.length = length }

    mutating func recordMovement(at instant: UInt64) { lastMovement = instant }

    /// Stops counting until the next movement.
    mutating func suspend() { lastMovement = nil }

    /// Resets the sent bytes, because the body is sent from its start again.
    mutating func startAgain() { sentByteCount = 0 }

    /// Returns the instant at which to call `checkPassed`; `UInt64.max` is never.
    ///
    /// - Parameter bodyByteCount: the length of the body; nil if it is not known.
    func nextLook(bodyByteCount: Int64?) -> UInt64 {
        guard length > 0, let lastMovement else { return .max }
        let end = end(after: lastMovement)
        if let bodyByteCount, sentByteCount >= bodyByteCount { return end }
        return min(end, max(lastMovement, lastLook) + max(1, length / Self.looks))
    }

    /// Returns whether nothing has moved for the duration of the limit.
    ///
    /// - Parameter sentByteCount: the number of body bytes sent.
    mutating func checkPassed(now: UInt64, sentByteCount: Int64) -> Bool {
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

    /// Postpones the end, because the connection has received bytes for any stream. Returns false if the postponed end
    /// has passed too.
    mutating func postpone(afterMovementOfConnection instant: UInt64, now: UInt64) -> Bool {
        guard let lastMovement else { return false }
        let longest = min(length, .max / (2 * Self.sharedFactor)) * Self.sharedFactor
        sharedEnd = min(instant + length, lastMovement + longest)
        return now < sharedEnd
    }
}
