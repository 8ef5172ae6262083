// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides whether the idle network thread polls for a short time before it sleeps.
///
/// Sleeping and waking takes longer than a near server takes to respond. The thread polls after a short wait; after
/// each failure it skips more and more waits, so that polling costs little when servers are far away. Polls only with 0
/// to 16 small responses outstanding: more are cheaper in one epoll call; with none, the next request usually arrives
/// at once.
struct BusyPollPolicy {
    /// In nanoseconds: the longest previous wait, including the wake-up, after which the thread polls. `time` is how
    /// long it polls.
    var shortWait: UInt64 = 400_000
    var time: UInt64 = 200_000
    /// The most running transfers with which the thread polls.
    var transferLimit = 16
    /// The number of processors: the thread does not poll while other threads need all of them to prepare requests.
    var processorCount = 2

    private static let failureLimit = 10
    private var lastTurnEnd: UInt64 = 0
    private var wasWaitShort = false
    /// The number of consecutive polls without an event; `skipCount` is the number of waits still to skip because of
    /// them.
    private var failureCount = 0
    private var skipCount = 0

    /// The default policy. With less than two processors it never polls, because nothing else could run meanwhile.
    static var usual: BusyPollPolicy {
        var usual = BusyPollPolicy()
        usual.processorCount = ProcessorQuota.processorCount()
        if usual.processorCount < 2 { usual.shortWait = 0 }
        return usual
    }

    mutating func turnBegins(now: UInt64) { wasWaitShort = now - lastTurnEnd < shortWait }

    mutating func turnEnds(now: UInt64) { lastTurnEnd = now }

    /// Whether to poll this time; the caller has to call `ended` after polling.
    ///
    /// - Parameters:
    ///   - smallResponseCount: how many of the transfers are expected to have a small response.
    ///   - busyCount: how many other threads may be working for the network thread.
    mutating func begins(transferCount: Int, smallResponseCount: Int, busyCount: Int = 0) -> Bool {
        guard wasWaitShort, transferCount == smallResponseCount, transferCount <= transferLimit else { return false }
        guard busyCount == 0 || busyCount + 1 < processorCount else { return false }
        guard skipCount == 0 else {
            skipCount -= 1
            return false
        }
        return true
    }

    /// Notes whether an event came while polling. After one failure two waits are skipped, after the next one four, up
    /// to a thousand.
    mutating func ended(wasOfUse: Bool) {
        failureCount = wasOfUse ? 0 : min(failureCount + 1, Self.failureLimit)
        skipCount = wasOfUse ? 0 : 1 << failureCount
    }
}
