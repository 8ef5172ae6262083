// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Keeps numbered nodes in an order and compares two nodes in constant time: a linked list with ascending labels.
struct LabelledList: Sendable {
    typealias Node = TopologicalOrder.Node

    /// A node's label and its neighbours in the order.
    private struct Links {
        /// Increases along the order.
        var label: Int64 = 0
        var before = none
        var after = none
    }

    private static let none = TopologicalOrder.none
    /// The difference between the labels of neighbours at the ends of the order.
    private static let gap: Int64 = 1 << 16

    private var nodes: [Links] = []
    private var first = none
    private var last = none

    /// Returns the node directly before a node; nil for the first node.
    func node(before node: Node) -> Node? { neighbour(nodes[Int(node)].before) }

    /// Returns whether `a` comes before `b`.
    func comes(_ a: Node, before b: Node) -> Bool { nodes[Int(a)].label < nodes[Int(b)].label }

    mutating func insertAtEnd(_ node: Node) {
        if node == nodes.count { nodes.append(Links()) }
        link(node, between: last, and: Self.none)
        let before = nodes[Int(node)].before
        nodes[Int(node)].label = before == Self.none ? 0 : nodes[Int(before)].label + Self.gap
    }

    mutating func moveToEnd(_ node: Node) {
        remove(node)
        insertAtEnd(node)
    }

    mutating func moveToFront(_ node: Node) {
        remove(node)
        link(node, between: Self.none, and: first)
        let after = nodes[Int(node)].after
        nodes[Int(node)].label = after == Self.none ? 0 : nodes[Int(after)].label - Self.gap
    }

    /// Moves a node directly after another node.
    mutating func move(_ node: Node, behind other: Node) {
        remove(node)
        guard nodes[Int(other)].after != Self.none else { return insertAtEnd(node) }
        if labelGap(behind: other) < 2 { spreadLabels(around: other) }
        let label = nodes[Int(other)].label + labelGap(behind: other) / 2
        link(node, between: other, and: nodes[Int(other)].after)
        nodes[Int(node)].label = label
    }

    /// Returns the difference between the labels of a node and its successor.
    private func labelGap(behind node: Node) -> Int64 {
        nodes[Int(nodes[Int(node)].after)].label - nodes[Int(node)].label
    }

    mutating func remove(_ node: Node) {
        let ownLinks = nodes[Int(node)]
        if ownLinks.before == Self.none {
            first = ownLinks.after
        } else {
            nodes[Int(ownLinks.before)].after = ownLinks.after
        }
        if ownLinks.after == Self.none {
            last = ownLinks.before
        } else {
            nodes[Int(ownLinks.after)].before = ownLinks.before
        }
    }

    private mutating func link(_ node: Node, between before: Node, and after: Node) {
        nodes[Int(node)].before = before
        nodes[Int(node)].after = after
        if before == Self.none { first = node } else { nodes[Int(before)].after = node }
        if after == Self.none { last = node } else { nodes[Int(after)].before = node }
    }

    /// Spreads the labels in the smallest sufficiently sparse range around a node. The required density decreases with
    /// the size of the range, so an insertion takes logarithmic time on average.
    private mutating func spreadLabels(around node: Node) {
        let label = nodes[Int(node)].label
        var (start, end, count) = (node, node, Int64(1))
        var (width, capacity) = (Int64(1), 1.0)
        while true {
            width *= 2
            capacity *= 4.0 / 3
            let low = label & ~(width - 1)
            while let before = neighbour(nodes[Int(start)].before), nodes[Int(before)].label >= low {
                start = before
                count += 1
            }
            while let after = neighbour(nodes[Int(end)].after), nodes[Int(after)].label < low + width {
                end = after
                count += 1
            }
            if Double(count) < capacity, width / count >= 4 { return setLabels(from: start, count, low, width / count) }
        }
    }

    private func neighbour(_ node: Node) -> Node? { node == Self.none ? nil : node }

    private mutating func setLabels(from start: Node, _ count: Int64, _ low: Int64, _ step: Int64) {
        var node = start
        for index in 0..<count {
            nodes[Int(node)].label = low + index * step
            node = nodes[Int(node)].after
        }
    }
}
