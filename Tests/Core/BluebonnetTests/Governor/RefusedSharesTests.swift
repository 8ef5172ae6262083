// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite struct RefusedSharesTests {
    /// The transfers a second at one rate, and how many of them are accepted.
    private struct Step {
        let rate, acceptedRate: Double
        var expected: Bool?
    }

    private static let rows: [[Step]] = [
        // A server that accepts 100 a second, however many are sent.
        [Step(rate: 1000, acceptedRate: 100), Step(rate: 400, acceptedRate: 100, expected: true)],
        [Step(rate: 400, acceptedRate: 100), Step(rate: 200, acceptedRate: 100, expected: true)],
        // A server that refuses half.
        [Step(rate: 1000, acceptedRate: 500), Step(rate: 400, acceptedRate: 200, expected: false)],
        // A server that refuses one of twenty. At first the rate has not fallen enough.
        [
            Step(rate: 1000, acceptedRate: 950), Step(rate: 700, acceptedRate: 665),
            Step(rate: 450, acceptedRate: 427.5, expected: false),
        ],
        // The normal cost of a learned rate.
        [Step(rate: 1000, acceptedRate: 990), Step(rate: 400, acceptedRate: 396, expected: true)],
        // A lowered limit: the share of refusals grows.
        [Step(rate: 1000, acceptedRate: 950), Step(rate: 400, acceptedRate: 100)],
        // A higher rate says nothing.
        [Step(rate: 400, acceptedRate: 200), Step(rate: 1000, acceptedRate: 500)],
    ]

    @Test(arguments: rows.indices) func shareAtHalfTheRateShowsDependence(index: Int) {
        var shares = RefusedShares()
        var now: UInt64 = 1_000_000_000
        for step in Self.rows[index] {
            // As many transfers as contain 20 refusals.
            let accepted = Int((20 * step.acceptedRate / (step.rate - step.acceptedRate)).rounded())
            let interval = UInt64(1e9 / step.rate * Double(20 + accepted) / Double(accepted))
            for _ in 0..<accepted {
                shares.recordAccepted(now: now)
                now += interval
            }
            for _ in 0..<20 { shares.recordRefused() }
            #expect(shares.finishBlock(rate: step.rate, now: now) == step.expected, "\(step)")
        }
    }

    @Test func fewRefusalsAreInconclusive() {
        var shares = RefusedShares()
        for step in 1...19 as ClosedRange<UInt64> {
            shares.recordAccepted(now: step)
            shares.recordRefused()
        }
        #expect(shares.finishBlock(rate: 1, now: 20) == nil && shares != RefusedShares())
    }
}
