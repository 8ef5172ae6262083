// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Decides whether the network thread, with nothing to do, looks again and again for a moment before it goes to sleep.
///
/// Going to sleep and being woken takes longer than a server close by takes to answer. Waiting awake costs nothing where
/// the servers are far away, because it takes a wait that was as short before it. It is for few small answers, because
/// many are better taken together, and for none at all, because the next request often follows an answer.
struct Wakefulness {
    /// In nanoseconds: how short the last wait has to have been, and how long to wait awake. Being woken counts in the
    /// first.
    var shortWait: UInt64 = 400_000
    var time: UInt64 = 200_000
    /// For so many transfers at most.
    var transferLimit = 16

    private var lastTurnEnd: UInt64 = 0
    private var wasWaitShort = false

    /// With one processor, whoever is waited for could not run in the meantime.
    static var usual: Wakefulness {
        var usual = Wakefulness()
        if ProcessInfo.processInfo.activeProcessorCount < 2 { usual.shortWait = 0 }
        return usual
    }

    mutating func turnBegins(now: UInt64) { wasWaitShort = now - lastTurnEnd < shortWait }

    mutating func turnEnds(now: UInt64) { lastTurnEnd = now }

    /// Whether to wait awake.
    ///
    /// - Parameter awaitedCount: how many of the transfers have a small answer, as far as anybody knows.
    func isOfUse(transferCount: Int, awaitedCount: Int) -> Bool {
        wasWaitShort && transferCount == awaitedCount && transferCount <= transferLimit
    }
}
