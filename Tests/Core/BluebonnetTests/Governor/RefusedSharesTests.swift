// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite struct RefusedSharesTests {
    /// What is seen at a rate: so many transfers a second, of which so many are accepted.
    private struct Step {
        let rate, acceptedRate: Double
        var expected: Bool?
    }

    private static let rows: [[Step]] = [
        // A server that lets 100 through, whatever is sent.
        [Step(rate: 1000, acceptedRate: 100), Step(rate: 400, acceptedRate: 100, expected: true)],
        [Step(rate: 400, acceptedRate: 100), Step(rate: 200, acceptedRate: 100, expected: true)],
        // A server that refuses half.
        [Step(rate: 1000, acceptedRate: 500), Step(rate: 400, acceptedRate: 200, expected: false)],
        // One of twenty, and the rate has not fallen enough at first.
        [
            Step(rate: 1000, acceptedRate: 950), Step(rate: 700, acceptedRate: 665),
            Step(rate: 450, acceptedRate: 427.5, expected: false),
        ],
        // The price of a learned rate.
        [Step(rate: 1000, acceptedRate: 990), Step(rate: 400, acceptedRate: 396, expected: true)],
        // A limit that was lowered: the share grows.
        [Step(rate: 1000, acceptedRate: 950), Step(rate: 400, acceptedRate: 100)],
        // A higher rate says nothing.
        [Step(rate: 400, acceptedRate: 200), Step(rate: 1000, acceptedRate: 500)],
    ]

    @Test(arguments: rows.indices) func shareAtHalfTheRateTells(index: Int) {
        var shares = RefusedShares()
        var now: UInt64 = 1_000_000_000
        for step in Self.rows[index] {
            // As many transfers as have 20 refusals among them.
            let accepted = Int((20 * step.acceptedRate / (step.rate - step.acceptedRate)).rounded())
            let interval = UInt64(1e9 / step.rate * Double(20 + accepted) / Double(accepted))
            for _ in 0..<accepted {
                shares.noteAccepted(now: now)
                now += interval
            }
            for _ in 0..<20 { shares.noteRefused() }
            #expect(shares.depend(on: step.rate, now: now) == step.expected, "\(step)")
        }
    }

    @Test func fewRefusalsTellNothing() {
        var shares = RefusedShares()
        for step in 1...19 as ClosedRange<UInt64> {
            shares.noteAccepted(now: step)
            shares.noteRefused()
        }
        #expect(shares.depend(on: 1, now: 20) == nil && shares != RefusedShares())
    }
}
