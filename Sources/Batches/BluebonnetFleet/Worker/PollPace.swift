// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides when a worker asks the store for news if no notification can reach it. A value type; the caller passes the
/// current instant.
///
/// The interval begins with 50 ms, grows by half each time there is nothing to do, and ends at 30 s; while the worker
/// has lines, at 1 s, so that it notices a cancellation.
struct PollPace: Equatable {
    typealias Instant = ContinuousClock.Instant

    static let shortest = Duration.milliseconds(50)
    static let longest = Duration.seconds(30)
    static let longestWithLines = Duration.seconds(1)

    private var interval = PollPace.shortest
    /// When the worker asks next.
    private(set) var next: Instant

    init(now: Instant) { next = now }

    /// Records that the worker asks now.
    mutating func asked(hasLines: Bool, now: Instant) {
        next = now + min(interval, hasLines ? Self.longestWithLines : Self.longest)
        interval = min(Self.longest, interval * 3 / 2)
    }

    /// Records that there was something to do: more may follow soon.
    mutating func foundWork(now: Instant) {
        interval = Self.shortest
        next = min(next, now + interval)
    }
}
