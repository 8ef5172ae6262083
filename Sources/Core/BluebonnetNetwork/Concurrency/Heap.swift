// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A priority queue. Finding the first element takes constant time, insertion and removal take logarithmic time.
///
/// Nearly all elements are inserted in ascending order. Such an element is appended to a list in constant time. Only an
/// element that sorts before the end of that list is inserted into a binary heap.
@usableFromInline
package struct Heap<Element: Comparable> {
    @usableFromInline var ordered: [Element] = []
    /// The start of the ordered list; earlier elements have been removed.
    @usableFromInline var orderedStart = 0
    @usableFromInline var heap: [Element] = []

    @inlinable
    package init() {}

    @inlinable
    package var first: Element? {
        guard let next = orderedFirst else { return heap.first }
        guard let other = heap.first else { return next }
        return other < next ? other : next
    }

    @inlinable
    package var count: Int { ordered.count - orderedStart + heap.count }

    @inlinable
    package var isEmpty: Bool { orderedStart == ordered.count && heap.isEmpty }

    @inlinable
    package mutating func insert(_ element: Element) {
        guard let last = ordered.last, orderedStart < ordered.count, element < last else {
            return ordered.append(element)
        }
        insertIntoHeap(element)
    }

    @inlinable
    package mutating func popFirst() -> Element? {
        if ordered.count == 1, heap.isEmpty { return ordered.popLast() }  // the common case: a single element
        guard let next = orderedFirst else { return popHeap() }
        if let other = heap.first, other < next { return popHeap() }
        orderedStart += 1
        if orderedStart == ordered.count || orderedStart > 1024 && orderedStart > ordered.count / 2 {
            ordered.removeFirst(orderedStart)
            orderedStart = 0
        }
        return next
    }

    @inlinable
    var orderedFirst: Element? { orderedStart < ordered.count ? ordered[orderedStart] : nil }
}

extension Heap: Sendable where Element: Sendable {}

extension Heap {
    /// All elements, in unspecified order.
    @inlinable
    package var unordered: some Sequence<Element> { [ordered[orderedStart...], heap[...]].joined() }
}

// MARK: - The binary heap

extension Heap {
    @inlinable
    mutating func insertIntoHeap(_ element: Element) {
        heap.append(element)
        var index = heap.count - 1
        while index > 0, heap[index] < heap[(index - 1) / 2] {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    @inlinable
    mutating func popHeap() -> Element? {
        guard let last = heap.popLast() else { return nil }
        guard let first = heap.first else { return last }
        heap[0] = last
        siftDown()
        return first
    }

    @inlinable
    mutating func siftDown() {
        var index = 0
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if heap[child] < heap[smallest] { smallest = child }
            }
            if smallest == index { return }
            heap.swapAt(index, smallest)
            index = smallest
        }
    }
}
