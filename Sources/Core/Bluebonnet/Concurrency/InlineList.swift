// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A list for at most one element in most cases. It allocates memory only for a second element.
struct InlineList<Element> {
    private var first: Element?
    private var others: [Element] = []

    mutating func append(_ element: Element) {
        if first == nil { first = element } else { others.append(element) }
    }

    var isEmpty: Bool { first == nil }

    var count: Int { first == nil ? 0 : 1 + others.count }

    /// All elements, in order.
    var all: [Element] { first.map { [$0] + others } ?? [] }

    /// Calls `body` with each element, in order.
    func visit(_ body: (Element) -> Void) {
        if let first { body(first) }
        for element in others { body(element) }
    }
}

extension InlineList: Sendable where Element: Sendable {}
