// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// The lock order of the page "Locks and waits", and its check in debug builds.
@Suite struct LockOrderTests {
    /// The locks that may be taken under each lock. All other pairs are forbidden.
    private static let permitted: [LockRank: Set<LockRank>] = [
        .operation: [.inbox], .reachability: [.inbox],
    ]
    private static let ranks: [LockRank] = [.leaf, .inbox, .operation, .reachability]

    @Test(arguments: ranks) func ranksMatchTheTable(rank: LockRank) {
        for inner in Self.ranks {
            #expect(rank.permits(inner) == (Self.permitted[rank]?.contains(inner) ?? false), "\(inner) under \(rank)")
        }
    }

    /// No chain of permitted pairs leads from a lock back to itself.
    @Test func lockOrderHasNoCycle() {
        func reaches(_ target: LockRank, from rank: LockRank, _ depth: Int) -> Bool {
            guard depth < Self.ranks.count else { return true }
            return Self.ranks.contains { rank.permits($0) && ($0 == target || reaches(target, from: $0, depth + 1)) }
        }
        for rank in Self.ranks { #expect(!reaches(rank, from: rank, 0), "\(rank)") }
    }

    #if BLUEBONNET_LOCK_ORDER && !BLUEBONNET_SANITIZED
        @Test func lockOutOfOrderTraps() async {
            await #expect(processExitsWith: .failure) {
                let outer = BluebonnetNetwork.Mutex(0)
                let inner = BluebonnetNetwork.Mutex(0)
                outer.withLock { _ in inner.withLock { $0 += 1 } }
            }
        }

        @Test func lockInOrderIsTakenAndReleased() {
            let outer = BluebonnetNetwork.Mutex(0, rank: .operation)
            let inner = BluebonnetNetwork.Mutex(0, rank: .inbox)
            for _ in 0..<3 { outer.withLock { _ in inner.withLock { $0 += 1 } } }
            inner.withLock { #expect($0 == 3) }
            outer.withLock { #expect($0 == 0) }
        }
    #endif
}
