// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

// The order itself: a list whose nodes carry growing labels, so that two nodes are compared at once.
extension GraphOrder {
    /// Whether `a` comes before `b`.
    func comes(_ a: Node, before b: Node) -> Bool { places[Int(a)].label < places[Int(b)].label }

    mutating func insertAtEnd(_ node: Node) {
        link(node, between: last, and: Self.none)
        let before = places[Int(node)].before
        places[Int(node)].label = before == Self.none ? 0 : places[Int(before)].label + Self.gap
    }

    mutating func moveToEnd(_ node: Node) {
        unlink(node)
        insertAtEnd(node)
    }

    mutating func moveToFront(_ node: Node) {
        unlink(node)
        link(node, between: Self.none, and: first)
        let after = places[Int(node)].after
        places[Int(node)].label = after == Self.none ? 0 : places[Int(after)].label - Self.gap
    }

    /// Moves a node to directly behind another one.
    mutating func move(_ node: Node, behind other: Node) {
        unlink(node)
        guard places[Int(other)].after != Self.none else { return insertAtEnd(node) }
        if room(behind: other) < 2 { spreadLabels(around: other) }
        let label = places[Int(other)].label + room(behind: other) / 2
        link(node, between: other, and: places[Int(other)].after)
        places[Int(node)].label = label
    }

    /// How far the labels of a node and of the one behind it are apart.
    private func room(behind node: Node) -> Int64 {
        places[Int(places[Int(node)].after)].label - places[Int(node)].label
    }

    mutating func unlink(_ node: Node) {
        let place = places[Int(node)]
        if place.before == Self.none { first = place.after } else { places[Int(place.before)].after = place.after }
        if place.after == Self.none { last = place.before } else { places[Int(place.after)].before = place.before }
    }

    private mutating func link(_ node: Node, between before: Node, and after: Node) {
        places[Int(node)].before = before
        places[Int(node)].after = after
        if before == Self.none { first = node } else { places[Int(before)].after = node }
        if after == Self.none { last = node } else { places[Int(after)].before = node }
    }

    /// Spreads the labels in the smallest range around a node that is thinly enough settled: the larger the range, the
    /// thinner it has to be, which keeps the work for an insertion logarithmic on average.
    private mutating func spreadLabels(around node: Node) {
        let label = places[Int(node)].label
        var (start, end, count) = (node, node, Int64(1))
        var (width, capacity) = (Int64(1), 1.0)
        while true {
            width *= 2
            capacity *= 4.0 / 3
            let low = label & ~(width - 1)
            while let before = neighbour(places[Int(start)].before), places[Int(before)].label >= low {
                start = before
                count += 1
            }
            while let after = neighbour(places[Int(end)].after), places[Int(after)].label < low + width {
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
            places[Int(node)].label = low + index * step
            node = places[Int(node)].after
        }
    }
}
