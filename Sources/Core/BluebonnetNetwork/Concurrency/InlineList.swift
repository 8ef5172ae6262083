// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A list for at most one element in most cases. It allocates memory only for a second element.
@usableFromInline
package struct InlineList<Element> {
    @usableFromInline var first: Element?
    @usableFromInline var others: [Element] = []

    @inlinable
    package init() {}

    @inlinable
    package mutating func append(_ element: Element) {
        if first == nil { first = element } else { others.append(element) }
    }

    @inlinable
    package var isEmpty: Bool { first == nil }

    @inlinable
    package var count: Int { first == nil ? 0 : 1 + others.count }

    /// All elements, in order.
    @inlinable
    package var all: [Element] { first.map { [$0] + others } ?? [] }

    /// Calls `body` with each element, in order.
    @inlinable
    package func visit(_ body: (Element) -> Void) {
        if let first { body(first) }
        for element in others { body(element) }
    }
}

extension InlineList: Sendable where Element: Sendable {}
