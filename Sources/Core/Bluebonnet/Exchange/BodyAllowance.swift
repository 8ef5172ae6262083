// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// How long a body is read that is not the operation's result, and how much of it. A value without a clock: instants
/// and lengths are nanoseconds of `MonotonicClock`.
///
/// Neither a redirect nor an error waits for a body that does not come: its head has said what there is to know.
struct BodyAllowance: Equatable {
    enum Purpose: Equatable {
        /// Nobody sees the body: it is read so that its connection can be used again.
        case connection
        /// The body of a refused response, which goes into the error.
        case error
    }

    /// The most that is read of a body for its connection: a new one costs less than more.
    static let byteLimit: Int64 = 64 * 1024
    /// How long a body is read for its connection: for one round trip around the world, in which the server sends what
    /// the first flight had no room for. A new connection with TLS takes two or three.
    static let connectionTime: UInt64 = 250_000_000
    /// How long the body of a refused response may be silent: TCP sends a lost segment twice more in that time.
    static let silence: UInt64 = 1_000_000_000
    /// How much longer it is waited for because of each of its bytes, so that 1 KiB a second is enough: a body that
    /// drips is not waited for, one over a slow line is. Never longer than it may be silent from then on: what came at
    /// once does not make up for a drip.
    static let timePerByte: UInt64 = 1_000_000_000 / 1024
    /// How long it is waited for in all: whoever wants the error wants it soon.
    static let errorTime: UInt64 = 10_000_000_000

    let purpose: Purpose
    /// Whether there is a connection to keep, and a body that is not too large for that.
    private let isWorthReading: Bool
    private var begin: UInt64
    /// Until when the next bytes of an error's body are waited for.
    private var patienceEnd: UInt64
    private var byteCount: Int64 = 0

    /// - Parameters:
    ///   - length: nil when the head does not say it.
    ///   - endsConnection: whether the connection ends behind the body in any case.
    ///   - now: when the head came, or was decided about.
    init(_ purpose: Purpose, length: Int64?, endsConnection: Bool, now: UInt64) {
        self.purpose = purpose
        isWorthReading = !endsConnection && length ?? 0 <= Self.byteLimit
        begin = now
        patienceEnd = now + Self.silence
    }

    /// So many bytes have come.
    mutating func receive(_ count: Int, now: UInt64) {
        byteCount += Int64(count)
        let earned = patienceEnd + UInt64(count) * Self.timePerByte
        patienceEnd = max(patienceEnd, min(earned, now + Self.silence))  // the clock may be behind that of the head
    }

    /// The time begins again, because the transfer was paused, or held by a limit of bytes a second. What came before
    /// earns no more of it, and counts for how much is taken.
    mutating func beginAgain(now: UInt64) {
        begin = now
        patienceEnd = now + Self.silence
    }

    /// Whether no more bytes are taken. Those of an error's body have the limit of every body in memory.
    var isUsedUp: Bool { purpose == .connection && byteCount > Self.byteLimit }

    /// When the body is given up.
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
