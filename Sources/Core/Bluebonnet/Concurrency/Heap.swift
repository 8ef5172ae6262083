// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A priority queue. Finding the first element takes constant time, insertion and removal take logarithmic time.
///
/// Nearly all elements are inserted in ascending order. Such an element is appended to a list in constant time. Only an
/// element that sorts before the end of that list is inserted into a binary heap.
struct Heap<Element: Comparable> {
    private var ordered: [Element] = []
    /// The start of the ordered list; earlier elements have been removed.
    private var orderedStart = 0
    private var sorted: [Element] = []

    var first: Element? {
        guard let next = orderedFirst else { return sorted.first }
        guard let other = sorted.first else { return next }
        return other < next ? other : next
    }

    var count: Int { ordered.count - orderedStart + sorted.count }

    var isEmpty: Bool { orderedStart == ordered.count && sorted.isEmpty }

    mutating func insert(_ element: Element) {
        guard let last = ordered.last, orderedStart < ordered.count, element < last else {
            return ordered.append(element)
        }
        insertSorted(element)
    }

    mutating func popFirst() -> Element? {
        if ordered.count == 1, sorted.isEmpty { return ordered.popLast() }  // the common case: a single element
        guard let next = orderedFirst else { return popSorted() }
        if let other = sorted.first, other < next { return popSorted() }
        orderedStart += 1
        if orderedStart == ordered.count || orderedStart > 1024 && orderedStart > ordered.count / 2 {
            ordered.removeFirst(orderedStart)
            orderedStart = 0
        }
        return next
    }

    private var orderedFirst: Element? { orderedStart < ordered.count ? ordered[orderedStart] : nil }
}

extension Heap: Sendable where Element: Sendable {}

extension Heap {
    /// All elements, in unspecified order.
    var unordered: some Sequence<Element> { [ordered[orderedStart...], sorted[...]].joined() }
}

// MARK: - The binary heap

extension Heap {
    private mutating func insertSorted(_ element: Element) {
        sorted.append(element)
        var index = sorted.count - 1
        while index > 0, sorted[index] < sorted[(index - 1) / 2] {
            sorted.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func popSorted() -> Element? {
        guard let last = sorted.popLast() else { return nil }
        guard let first = sorted.first else { return last }
        sorted[0] = last
        siftDown()
        return first
    }

    private mutating func siftDown() {
        var index = 0
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2] where child < sorted.count {
                if sorted[child] < sorted[smallest] { smallest = child }
            }
            if smallest == index { return }
            sorted.swapAt(index, smallest)
            index = smallest
        }
    }
}
