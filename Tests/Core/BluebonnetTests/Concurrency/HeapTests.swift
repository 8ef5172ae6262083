// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetLocks
import BluebonnetTestServer
import TestSupport
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct HeapTests {
    @Test func emptyHeapHasNoFirstElement() {
        var heap = Heap<Int>()
        #expect(heap.isEmpty)
        #expect(heap.first == nil)
        #expect(heap.popFirst() == nil)
    }

    @Test func smallestElementComesFirst() {
        for order in [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]] {
            #expect(drained(order) == [1, 2, 3])
        }
    }

    @Test func equalElementsAreAllKept() {
        #expect(drained([2, 1, 2, 1, 2]) == [1, 1, 2, 2, 2])
    }

    @Test func peekingDoesNotRemoveTheElement() {
        var heap = Heap<Int>()
        heap.insert(7)
        #expect(heap.first == 7)
        #expect(!heap.isEmpty)
        #expect(heap.popFirst() == 7)
        #expect(heap.isEmpty)
    }

    @Test(arguments: 1...20) func randomOperationsMatchASortedList(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var heap = Heap<Int>()
        var model: [Int] = []
        for _ in 0..<500 {
            if Int.random(in: 0..<3, using: &random) == 0 {
                #expect(heap.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            } else {
                let element = Int.random(in: 0..<50, using: &random)
                heap.insert(element)
                model.insert(element, at: model.firstIndex { $0 > element } ?? model.count)
            }
            #expect(heap.first == model.first)
        }
    }

    @Test func insertAndPopCompareAlongOnePath() {
        let counter = ComparisonCounter()
        var heap = Heap<CountedElement>()
        let count = 1 << 14
        for value in (0..<count).reversed() { heap.insert(CountedElement(value: value, counter: counter)) }
        // 14 levels: at most one comparison per level on the way up. Reversed order makes this way the longest.
        #expect(counter.count <= count * 14)
        counter.reset()
        while heap.popFirst() != nil {}
        // At most two comparisons per level on the way down.
        #expect(counter.count <= count * 28)
    }

    private func drained(_ elements: [Int]) -> [Int] {
        var heap = Heap<Int>()
        for element in elements { heap.insert(element) }
        var result: [Int] = []
        while let first = heap.popFirst() { result.append(first) }
        return result
    }
}

/// Counts comparisons.
private final class ComparisonCounter: Sendable {
    private let comparisons = Mutex(0)
    var count: Int { comparisons.withLock { $0 } }
    func increment() { comparisons.withLock { $0 += 1 } }
    func reset() { comparisons.withLock { $0 = 0 } }
}

private struct CountedElement: Comparable, Sendable {
    let value: Int
    let counter: ComparisonCounter

    static func < (a: CountedElement, b: CountedElement) -> Bool {
        a.counter.increment()
        return a.value < b.value
    }

    static func == (a: CountedElement, b: CountedElement) -> Bool { a.value == b.value }
}
