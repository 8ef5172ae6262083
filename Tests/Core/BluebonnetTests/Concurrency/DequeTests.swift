// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import Bluebonnet

@Suite struct DequeTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func elementsLeaveInArrivalOrder(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (list, model) = (Deque<Int>(), [Int]())
        for number in 0..<2_000 {
            if Bool.random(using: &random) || model.isEmpty {
                list.append(number)
                model.append(number)
            } else if number % 7 == 0 {
                let position = Int.random(in: 0..<model.count, using: &random)
                list[position] += 1
                model[position] += 1
            } else {
                #expect(list.removeFirst() == model.removeFirst())
            }
            #expect(list.count == model.count && list.isEmpty == model.isEmpty && list.first == model.first)
        }
        #expect((0..<list.count).map { list[$0] } == model)
        #expect(!model.isEmpty)
    }

    @Test func removedElementIsReleasedAtOnce() {
        final class Token {}
        var list = Deque<Token>()
        for _ in 0..<3 { list.append(Token()) }
        weak let first = list.first
        #expect(first != nil)
        list.removeFirst()
        #expect(first == nil && list.count == 2)
    }
}
