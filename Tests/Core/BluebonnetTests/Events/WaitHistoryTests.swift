// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite struct WaitHistoryTests {
    private static func parts(_ history: WaitHistory, _ start: UInt64, _ end: UInt64) -> [WaitReason.Kind: UInt64] {
        var parts: [WaitReason.Kind: UInt64] = [:]
        history.divide(from: start, to: end) { parts[$0, default: 0] += $1 }
        return parts
    }

    /// In milliseconds: closed for a hold from 10 to 20, open until 30, then rate-limited.
    private static let history: WaitHistory = {
        var history = WaitHistory()
        history.record(.hold, now: 10_000_000)
        history.record(nil, now: 20_000_000)
        history.record(.rate, now: 30_000_000)
        return history
    }()

    @Test(
        arguments: [
            (0, 5, [:]), (0, 15, [.hold: 5]), (12, 18, [.hold: 6]), (15, 35, [.hold: 5, .rate: 5]), (21, 29, [:]),
            (40, 50, [.rate: 10]), (20, 20, [:]),
        ] as [(UInt64, UInt64, [WaitReason.Kind: UInt64])])
    func timeIsDividedAmongReasons(start: UInt64, end: UInt64, expected: [WaitReason.Kind: UInt64]) {
        let parts = Self.parts(Self.history, start * 1_000_000, end * 1_000_000)
        #expect(parts == expected.mapValues { $0 * 1_000_000 })
    }

    @Test func gateThatOpensForAMomentCountsAsClosed() {
        var history = WaitHistory()
        for step in 0..<1_000 as Range<UInt64> {
            history.record(.rate, now: step * 100_000_000)
            history.record(nil, now: step * 100_000_000 + 99_999_000)
        }
        #expect(Self.parts(history, 0, 1_000 * 100_000_000)[.rate] ?? 0 >= 999 * 100_000_000)
    }

    @Test func beginningOfLongWaitCountsAsOldestKnownReason() {
        var history = WaitHistory()
        for step in 0..<1_000 as Range<UInt64> {
            history.record(step % 2 == 0 ? .rate : .hold, now: step * 10_000_000)
        }
        let parts = Self.parts(history, 0, 10_000_000_000)
        #expect(parts.values.reduce(0, +) == 10_000_000_000)
    }
}
