// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Elements that leave in the order in which they came. Removing the first takes constant time on average, where an
/// array moves all others.
struct FirstInFirstOut<Element> {
    private var storage: [Element?] = []
    private var head = 0

    init() {}

    init(_ first: Element) { storage = [first] }

    var count: Int { storage.count - head }
    var isEmpty: Bool { head == storage.count }
    var first: Element? { isEmpty ? nil : storage[head] }

    /// The element at a position from the first one, which has 0.
    subscript(position: Int) -> Element {
        _read {
            precondition(position >= 0, "the element was removed")
            yield storage[head + position]!
        }
        _modify {
            precondition(position >= 0, "the element was removed")
            yield &storage[head + position]!
        }
    }

    mutating func append(_ element: Element) { storage.append(element) }

    /// - Precondition: there is an element.
    @discardableResult
    mutating func removeFirst() -> Element {
        guard let element = storage[head].take() else { preconditionFailure("there is no element") }
        head += 1
        if head == storage.count {
            storage.removeAll(keepingCapacity: head <= 16)
            head = 0
        } else if head >= 16, head > storage.count / 2 {
            storage.removeFirst(head)
            head = 0
        }
        return element
    }
}

extension FirstInFirstOut: Sendable where Element: Sendable {}
