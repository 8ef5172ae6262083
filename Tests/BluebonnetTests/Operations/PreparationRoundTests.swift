// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import TestServer
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct PreparationRoundTests {
    /// Adds items in one round of the network thread; `body` gets the number of the item, on the preparation queue.
    private func run(
        _ folders: [Substring?], _ body: @escaping @Sendable (Int) -> Void, then: @escaping @Sendable (Int) -> Void
    ) {
        NetworkThread.shared.submit {
            for (number, folder) in folders.enumerated() {
                PreparationRound.shared.value.add(to: folder.map(PreparationRound.Group.files(in:)) ?? .quick) {
                    body(number)
                    return { then(number) }
                }
            }
        }
    }

    @Test func aFolderThatDoesNotAnswerHoldsUpNoOther() async {
        let answer = Gate()
        let (others, all) = (Observed(0), Observed(0))
        run(["dead", "dead", "a", nil, "a", nil, "dead"]) { number in
            if number == 0 { answer.waitBlocking() }
        } then: { number in
            all.increment()
            if [2, 3, 4, 5, 6].contains(number) { others.increment() }
        }
        await others.becomes(5)
        #expect(others.value == 5)
        #expect(all.value == 5)
        answer.open()
        await all.becomes(7)
        #expect(all.value == 7)
    }

    @Test func filesOfOneFolderGoTogetherFourAtATime() async {
        let answer = Gate()
        let back = Observed(0)
        run(Array(repeating: "fours", count: 21)) { number in
            if number == 0 { answer.waitBlocking() }
        } then: { _ in
            back.increment()
        }
        await back.becomes(17)
        await NetworkThread.shared.catchesUp()
        #expect(back.value == 17)
        answer.open()
        await back.becomes(21)
    }

    @Test(arguments: [1, 8, 9, 100])
    func itemsAreDoneOnceAndComeBack(count: Int) async {
        let (done, back) = (Observed(0), Observed(0))
        run(Array(repeating: "same", count: count)) { _ in
            done.increment()
        } then: { _ in
            NetworkThread.preconditionIsCurrent()
            back.increment()
        }
        await back.becomes { $0 >= count }
        await NetworkThread.shared.catchesUp()
        #expect(done.value == count)
        #expect(back.value == count)
    }
}
