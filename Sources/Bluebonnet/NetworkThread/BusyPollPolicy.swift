// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Decides whether the network thread, with nothing to do, looks again and again for a moment before it goes to sleep.
///
/// Going to sleep and being woken takes longer than a server close by takes to answer. It is worth trying after a wait
/// that was short, and given up for longer and longer when nothing comes, so that it costs next to nothing where
/// servers are far away. It is for few small answers, because many are better taken together, and for none at all,
/// because the next request often follows an answer.
struct BusyPollPolicy {
    /// In nanoseconds: how short the last wait has to have been, and how long to wait awake. Being woken counts in the
    /// first.
    var shortWait: UInt64 = 400_000
    var time: UInt64 = 200_000
    /// For so many transfers at most.
    var transferLimit = 16
    /// While other threads prepare requests on all the others, this thread's processor is needed.
    var processorCount = 2

    private static let failureLimit = 10
    private var lastTurnEnd: UInt64 = 0
    private var wasWaitShort = false
    /// How often in a row nothing came, and how many times are left out because of it.
    private var failureCount = 0
    private var skipCount = 0

    /// With one processor, whoever is waited for could not run in the meantime.
    static var usual: BusyPollPolicy {
        var usual = BusyPollPolicy()
        usual.processorCount = ProcessInfo.processInfo.activeProcessorCount
        if usual.processorCount < 2 { usual.shortWait = 0 }
        return usual
    }

    mutating func turnBegins(now: UInt64) { wasWaitShort = now - lastTurnEnd < shortWait }

    mutating func turnEnds(now: UInt64) { lastTurnEnd = now }

    /// Whether to wait awake this time; `ended` has to say what became of it.
    ///
    /// - Parameters:
    ///   - smallResponseCount: how many of the transfers have a small answer, as far as anybody knows.
    ///   - busyCount: how many other threads may be at work for this one.
    mutating func begins(transferCount: Int, smallResponseCount: Int, busyCount: Int = 0) -> Bool {
        guard wasWaitShort, transferCount == smallResponseCount, transferCount <= transferLimit else { return false }
        guard busyCount == 0 || busyCount + 1 < processorCount else { return false }
        guard skipCount == 0 else {
            skipCount -= 1
            return false
        }
        return true
    }

    /// Notes whether anything came. After one failure two waits are left out, after the next one four, up to a
    /// thousand.
    mutating func ended(wasOfUse: Bool) {
        failureCount = wasOfUse ? 0 : min(failureCount + 1, Self.failureLimit)
        skipCount = wasOfUse ? 0 : 1 << failureCount
    }
}
