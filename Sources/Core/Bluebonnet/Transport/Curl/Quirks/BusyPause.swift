// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// libcurl 8.14 asks to be called again at once, without an end, while a transfer is paused and libcurl has buffered
/// bytes of its response: a paused response over HTTP/2 takes a processor. 7.88 does not; versions between them have
/// not been examined. Where the quirk is present and a transfer is paused, calls that libcurl wants at once come at
/// growing intervals. An event of a socket, a new transfer and a resumed one end that.
struct BusyPause: CurlQuirk {
    static let versions = Range.since(8, 0)
    /// So many calls come at once, because some of them have work to do.
    static let freeTurnCount = 8
    /// The longest interval, in nanoseconds.
    static let longestDelay: UInt64 = 64_000_000

    /// The calls since the last event.
    private var turnCount = 0

    /// Whether the next call waits, although libcurl wants it at once.
    var isDelaying: Bool { turnCount > Self.freeTurnCount }

    /// Something has happened that libcurl may have to act on at once.
    mutating func reset() { turnCount = 0 }

    /// How long the next call waits, in nanoseconds.
    mutating func nextDelay() -> UInt64 {
        turnCount += 1
        guard isDelaying else { return 0 }
        return min(1_000_000 << UInt64(min(turnCount - Self.freeTurnCount - 1, 10)), Self.longestDelay)
    }
}
