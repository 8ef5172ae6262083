// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides whether the idle network thread polls for a short time before it sleeps.
///
/// Sleeping and waking takes longer than a nearby server takes to respond. The thread polls after a short sleep. After
/// each failed poll it skips more and more sleeps, so that polling costs little if servers are far away. The thread
/// polls only with 0 to 16 small responses outstanding: more are cheaper in one epoll call; with none, the next
/// request usually arrives at once.
struct BusyPollPolicy {
    /// The longest previous sleep, including the wake-up, after which the thread polls, in nanoseconds. `time` is the
    /// duration of polling, in nanoseconds.
    var shortWait: UInt64 = 400_000
    var time: UInt64 = 200_000
    /// The largest number of running transfers with which the thread polls.
    var transferLimit = 16
    /// The number of processors. The thread does not poll while other threads need all of them to prepare requests.
    var processorCount = 2

    private static let failureLimit = 10
    private var lastTurnEnd: UInt64 = 0
    private var wasWaitShort = false
    /// The number of consecutive polls without an event. `skipCount` is the number of sleeps that still have to be
    /// skipped because of them.
    private var failureCount = 0
    private var skipCount = 0

    /// The default policy. With fewer than two processors it never polls, because no other thread could run meanwhile.
    static var usual: BusyPollPolicy {
        var usual = BusyPollPolicy()
        usual.processorCount = ProcessorQuota.processorCount()
        if usual.processorCount < 2 { usual.shortWait = 0 }
        return usual
    }

    mutating func turnBegins(now: UInt64) { wasWaitShort = now - lastTurnEnd < shortWait }

    mutating func turnEnds(now: UInt64) { lastTurnEnd = now }

    /// Returns whether to poll this time. The caller must call `ended` after polling.
    ///
    /// - Parameters:
    ///   - smallResponseCount: the number of transfers that are expected to have a small response.
    ///   - busyCount: the number of other threads that may be working for the network thread.
    mutating func begin(transferCount: Int, smallResponseCount: Int, busyCount: Int = 0) -> Bool {
        guard wasWaitShort, transferCount == smallResponseCount, transferCount <= transferLimit else { return false }
        guard busyCount == 0 || busyCount + 1 < processorCount else { return false }
        guard skipCount == 0 else {
            skipCount -= 1
            return false
        }
        return true
    }

    /// Records whether an event arrived during polling. After the first failure two sleeps are skipped, after the next
    /// one four, up to a thousand.
    mutating func ended(wasOfUse: Bool) {
        failureCount = wasOfUse ? 0 : min(failureCount + 1, Self.failureLimit)
        skipCount = wasOfUse ? 0 : 1 << failureCount
    }
}
