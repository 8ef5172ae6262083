// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// Order maintenance: a linked list of nodes with ascending labels, so that comparing two nodes takes constant time.
extension TopologicalOrder {
    /// Whether `a` comes before `b`.
    func comes(_ a: Node, before b: Node) -> Bool { nodeLinks[Int(a)].label < nodeLinks[Int(b)].label }

    mutating func insertAtEnd(_ node: Node) {
        link(node, between: last, and: Self.none)
        let before = nodeLinks[Int(node)].before
        nodeLinks[Int(node)].label = before == Self.none ? 0 : nodeLinks[Int(before)].label + Self.gap
    }

    mutating func moveToEnd(_ node: Node) {
        unlink(node)
        insertAtEnd(node)
    }

    mutating func moveToFront(_ node: Node) {
        unlink(node)
        link(node, between: Self.none, and: first)
        let after = nodeLinks[Int(node)].after
        nodeLinks[Int(node)].label = after == Self.none ? 0 : nodeLinks[Int(after)].label - Self.gap
    }

    /// Moves a node to directly behind another one.
    mutating func move(_ node: Node, behind other: Node) {
        unlink(node)
        guard nodeLinks[Int(other)].after != Self.none else { return insertAtEnd(node) }
        if labelGap(behind: other) < 2 { spreadLabels(around: other) }
        let label = nodeLinks[Int(other)].label + labelGap(behind: other) / 2
        link(node, between: other, and: nodeLinks[Int(other)].after)
        nodeLinks[Int(node)].label = label
    }

    /// The difference between the labels of a node and its successor.
    private func labelGap(behind node: Node) -> Int64 {
        nodeLinks[Int(nodeLinks[Int(node)].after)].label - nodeLinks[Int(node)].label
    }

    mutating func unlink(_ node: Node) {
        let ownLinks = nodeLinks[Int(node)]
        if ownLinks.before == Self.none {
            first = ownLinks.after
        } else {
            nodeLinks[Int(ownLinks.before)].after = ownLinks.after
        }
        if ownLinks.after == Self.none {
            last = ownLinks.before
        } else {
            nodeLinks[Int(ownLinks.after)].before = ownLinks.before
        }
    }

    private mutating func link(_ node: Node, between before: Node, and after: Node) {
        nodeLinks[Int(node)].before = before
        nodeLinks[Int(node)].after = after
        if before == Self.none { first = node } else { nodeLinks[Int(before)].after = node }
        if after == Self.none { last = node } else { nodeLinks[Int(after)].before = node }
    }

    /// Spreads the labels in the smallest sufficiently sparse range around a node. The required density falls with the
    /// size of the range, which keeps an insertion logarithmic on average.
    private mutating func spreadLabels(around node: Node) {
        let label = nodeLinks[Int(node)].label
        var (start, end, count) = (node, node, Int64(1))
        var (width, capacity) = (Int64(1), 1.0)
        while true {
            width *= 2
            capacity *= 4.0 / 3
            let low = label & ~(width - 1)
            while let before = neighbour(nodeLinks[Int(start)].before), nodeLinks[Int(before)].label >= low {
                start = before
                count += 1
            }
            while let after = neighbour(nodeLinks[Int(end)].after), nodeLinks[Int(after)].label < low + width {
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
            nodeLinks[Int(node)].label = low + index * step
            node = nodeLinks[Int(node)].after
        }
    }
}
