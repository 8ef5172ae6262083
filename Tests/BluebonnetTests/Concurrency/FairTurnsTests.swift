// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct FairTurnsTests {
    @Test func aShareHasOneTurnAfterTheOther() {
        var turns = FairTurns()
        #expect((0..<4).map { _ in turns.take(share: 1, priority: 0) } == [0, 1, 2, 3])
        #expect((0..<2).map { _ in turns.take(share: 2, priority: 0) } == [0, 1])
    }

    @Test func laterShareJoinsAtTheTurnThatIsServed() {
        var turns = FairTurns()
        let many = (0..<100_000).map { _ in turns.take(share: 1, priority: 0) }
        for turn in many.prefix(500) { turns.serve(turn, priority: 0) }
        #expect(turns.take(share: 2, priority: 0) == 499)
        #expect(turns.take(share: 1, priority: 0) == 100_000)
    }

    @Test func prioritiesHaveTurnsOfTheirOwn() {
        var turns = FairTurns()
        for _ in 0..<1_000 { turns.serve(turns.take(share: 1, priority: 8), priority: 8) }
        #expect(turns.take(share: 2, priority: 0) == 0)
        #expect(turns.take(share: 2, priority: 8) == 999)
    }

    @Test func sharesAreForgottenWhenTheirTurnsHavePassed() {
        var turns = FairTurns()
        for share in 0..<10_000 {
            let turn = turns.take(share: share, priority: 0)
            turns.serve(turn + 1, priority: 0)
        }
        #expect(turns.shareCount < 200)
    }
}
