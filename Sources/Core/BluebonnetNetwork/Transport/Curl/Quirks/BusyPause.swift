// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// While a transfer is paused and libcurl has buffered bytes of its response, libcurl 8.14 asks again and again to be
/// called at once: a paused response over HTTP/2 occupies a processor. 7.88 does not; versions between them have not
/// been examined. Where the quirk is present and a transfer is paused, calls that libcurl wants at once are made at
/// growing intervals. A socket event, a new transfer and a resumed transfer reset the interval.
struct BusyPause: CurlQuirk {
    static let versions = Range.since(8, 0)
    /// The number of calls made at once, because some of them have work to do.
    static let freeTurnCount = 8
    /// The longest interval, in nanoseconds.
    static let longestDelay: UInt64 = 64_000_000

    /// The number of calls since the last event.
    private var turnCount = 0

    /// Whether the next call is delayed, although libcurl wants it at once.
    var isDelaying: Bool { turnCount > Self.freeTurnCount }

    /// Resets the delay, because libcurl may have to act at once.
    mutating func reset() { turnCount = 0 }

    /// Returns the delay of the next call, in nanoseconds.
    mutating func nextDelay() -> UInt64 {
        turnCount += 1
        guard isDelaying else { return 0 }
        return min(1_000_000 << UInt64(min(turnCount - Self.freeTurnCount - 1, 10)), Self.longestDelay)
    }
}
