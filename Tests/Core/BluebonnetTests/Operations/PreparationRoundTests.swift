// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// Work outside the thread of an event loop. The test turns the event loop.
@Suite(.timeLimit(.minutes(1))) struct PreparationRoundTests {
    private let turned = TurnedLoop()
    private let round: PreparationRound

    init() { round = PreparationRound(loop: turned.loop) }

    /// Adds items in one round. `body` receives the number of its item, on the preparation queue.
    private func run(
        _ folders: [Substring?], _ body: @escaping @Sendable (Int) -> Void, then: @escaping @Sendable (Int) -> Void
    ) {
        for (number, folder) in folders.enumerated() {
            round.add(to: folder.map(PreparationRound.Group.files(in:)) ?? .quick) {
                body(number)
                return { then(number) }
            }
        }
    }

    @Test func unresponsiveFolderDoesNotDelayOthers() {
        let answer = Gate()
        let (others, all) = (Observed(0), Observed(0))
        run(["dead", "dead", "a", nil, "a", nil, "dead"]) { number in
            if number == 0 { answer.waitBlocking() }
        } then: { number in
            all.increment()
            if [2, 3, 4, 5, 6].contains(number) { others.increment() }
        }
        turned.turn { others.value == 5 }
        #expect(all.value == 5)
        #expect(turned.loop.inbox.expectedCount == 1)
        answer.open()
        turned.turn { all.value == 7 }
        #expect(turned.loop.inbox.expectedCount == 0)
    }

    @Test func filesOfOneFolderRunInGroupsOfFour() {
        let answer = Gate()
        let back = Observed(0)
        run(Array(repeating: "fours", count: 21)) { number in
            if number == 0 { answer.waitBlocking() }
        } then: { _ in
            back.increment()
        }
        turned.turn { back.value >= 17 }
        #expect(back.value == 17)
        #expect(turned.loop.inbox.expectedCount == 1)
        answer.open()
        turned.turn { back.value == 21 }
    }

    @Test(arguments: [1, 8, 9, 100])
    func itemsRunOnceAndReturn(count: Int) {
        let (done, back) = (Observed(0), Observed(0))
        run(Array(repeating: "same", count: count)) { _ in
            done.increment()
        } then: { _ in
            back.increment()
        }
        turned.turn { turned.loop.inbox.expectedCount == 0 && back.value >= count }
        #expect(done.value == count)
        #expect(back.value == count)
    }

    @Test func userCodeRunsAloneAndImmediately() {
        let (answer, back) = (Gate(), Observed(0))
        for number in 0..<3 {
            round.add(to: .alone) {
                if number == 0 { answer.waitBlocking() }
                return { back.increment() }
            }
        }
        #expect(turned.loop.inbox.expectedCount == 0)
        turned.turn { back.value == 2 }
        answer.open()
        turned.turn { back.value == 3 }
    }
}
