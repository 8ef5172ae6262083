// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Limits how long and how much of a body is read that is not the operation's result. A value without a clock: instants
/// and durations are nanoseconds of `MonotonicClock`.
///
/// Neither a redirect nor an error waits for a body that does not arrive, because the head is sufficient.
struct BodyAllowance: Equatable {
    /// Why the body is read.
    enum Purpose: Equatable {
        /// The body is discarded: it is read so that its connection can be reused.
        case connection
        /// The body of a refused response, which becomes part of the error.
        case error
    }

    /// The maximum number of bytes of a body that are read to keep its connection: reading more would cost more than a
    /// new connection.
    static let byteLimit: Int64 = 64 * 1024
    /// How long a body is read to keep its connection: one round trip around the world, in which the server sends the
    /// bytes that did not fit in the first flight. A new connection with TLS takes two or three round trips.
    static let connectionTime: UInt64 = 250_000_000
    /// How long the body of a refused response may be silent: TCP retransmits a lost segment twice in that time.
    static let silence: UInt64 = 1_000_000_000
    /// The additional time to wait for each received byte, so that 1 KiB per second is sufficient: a body on a slow
    /// line is read, but a server that sends single bytes is not waited for. The wait never ends later than `silence`
    /// after the last bytes, so that an initial burst does not pay for a later trickle.
    static let timePerByte: UInt64 = 1_000_000_000 / 1024
    /// The maximum time to wait for the body of an error, because the caller needs the error soon.
    static let errorTime: UInt64 = 10_000_000_000

    let purpose: Purpose
    /// Whether there is a connection to keep, and a body that is small enough.
    private let isWorthReading: Bool
    private var begin: UInt64
    /// Until when the next bytes of an error's body are awaited.
    private var patienceEnd: UInt64
    private var byteCount: Int64 = 0

    /// - Parameters:
    ///   - length: the length of the body; nil if the head does not state it.
    ///   - endsConnection: whether the connection is closed after the body in any case.
    ///   - now: when the head arrived, or when the decision about it was made.
    init(_ purpose: Purpose, length: Int64?, endsConnection: Bool, now: UInt64) {
        self.purpose = purpose
        isWorthReading = !endsConnection && length ?? 0 <= Self.byteLimit
        begin = now
        patienceEnd = now + Self.silence
    }

    /// Records the arrival of bytes.
    mutating func receive(_ count: Int, now: UInt64) {
        byteCount += Int64(count)
        let earned = patienceEnd + UInt64(count) * Self.timePerByte
        patienceEnd = max(patienceEnd, min(earned, now + Self.silence))  // this clock may be earlier than the head's
    }

    /// Restarts the time, because the transfer was paused or rate-limited. Earlier bytes extend it no further, but
    /// still count against the byte limit.
    mutating func beginAgain(now: UInt64) {
        begin = now
        patienceEnd = now + Self.silence
    }

    /// Whether no further bytes are accepted. An error's body has the limit of every body in memory instead.
    var isUsedUp: Bool { purpose == .connection && byteCount > Self.byteLimit }

    /// When reading the body ends.
    var end: UInt64 {
        switch purpose {
        case .connection: isWorthReading ? begin + Self.connectionTime : begin
        case .error: min(patienceEnd, begin + Self.errorTime)
        }
    }
}

extension BodyAllowance {
    init(_ purpose: Purpose, _ head: ResponseHead, method: String, now: UInt64) {
        let isForConnection = purpose == .connection
        self.init(
            purpose, length: isForConnection && head.hasBody(for: method) ? head.contentLength : nil,
            endsConnection: isForConnection && head.httpVersion.hasPrefix("1")
                && head.closesConnection(after: method), now: now)
    }
}
