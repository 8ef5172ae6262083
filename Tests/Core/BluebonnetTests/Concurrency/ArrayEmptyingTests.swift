// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite struct ArrayEmptyingTests {
    private final class Item {
        let number: Int

        init(_ number: Int) { self.number = number }
    }

    @Test func elementsComeInOrder() {
        var numbers = Array(1...5)
        var seen: [Int] = []
        numbers.empty(keepingRoomFor: 10) { seen.append($0) }
        #expect(seen == [1, 2, 3, 4, 5] && numbers.isEmpty)
    }

    @Test func itemIsReleasedBeforeTheNextIsVisited() {
        var items: [Item] = []
        var whenGone: [WeakItem] = []
        for number in 0..<3 {
            items.append(Item(number))
            whenGone.append(WeakItem(item: items[number]))
        }
        var gone: [Int] = []
        items.empty(keepingRoomFor: 10) { _ in gone.append(whenGone.count { $0.item == nil }) }
        #expect(gone == [0, 1, 2])
    }

    @Test(arguments: [(8, true), (7, false)])
    func capacityIsKeptUpToTheLimit(keptCount: Int, stays: Bool) {
        var numbers = Array(0..<8)
        numbers.empty(keepingRoomFor: keptCount) { _ in }
        #expect((numbers.capacity >= 8) == stays)
    }

    private struct WeakItem {
        weak var item: Item?
    }
}
