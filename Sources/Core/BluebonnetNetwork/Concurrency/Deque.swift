// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A first-in, first-out queue. Removing the first element takes constant time on average; an array would move all
/// other elements.
@usableFromInline
package struct Deque<Element> {
    @usableFromInline var storage: [Element?] = []
    @usableFromInline var head = 0

    @inlinable
    package init() {}

    @inlinable
    package init(_ first: Element) { storage = [first] }

    @inlinable
    package var count: Int { storage.count - head }
    @inlinable
    package var isEmpty: Bool { head == storage.count }
    @inlinable
    package var first: Element? { isEmpty ? nil : storage[head] }

    /// The element at a position, counted from the first element, which has position 0.
    @inlinable
    package subscript(position: Int) -> Element {
        _read {
            precondition(position >= 0, "the element was removed")
            yield storage[head + position]!
        }
        _modify {
            precondition(position >= 0, "the element was removed")
            yield &storage[head + position]!
        }
    }

    @inlinable
    package mutating func append(_ element: Element) { storage.append(element) }

    /// - Precondition: the queue is not empty.
    @discardableResult
    @inlinable
    package mutating func removeFirst() -> Element {
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

extension Deque: Sendable where Element: Sendable {}
