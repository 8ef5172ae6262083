// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension TopologicalOrder {
    /// Changes the order so that it agrees with a new edge; returns the cycle instead, if the edge would close one.
    mutating func reorder(forEdgeFrom dependent: Node, to dependency: Node) -> [Node]? {
        if comes(dependency, before: dependent) { return nil }
        if nodeLinks[Int(dependency)].firstDependency == Self.none {
            moveToFront(dependency)
            return nil
        }
        if nodeLinks[Int(dependent)].firstDependent == Self.none {
            moveToEnd(dependent)
            return nil
        }
        return search(from: dependent, to: dependency)
    }

    /// Searches from both ends, one edge each in alternation, among the nodes between the two ends in the order; no
    /// other node can be on a path between them. The nodes of the side that is exhausted first move past the other end.
    private mutating func search(from dependent: Node, to dependency: Node) -> [Node]? {
        var up = SearchFrontier(from: dependent, to: dependency, in: self, towards: .dependents)
        var down = SearchFrontier(from: dependency, to: dependent, in: self, towards: .dependencies)
        while true {
            switch up.step(self) {
            case .found: return [dependent] + up.path
            case .exhausted:
                moveBehind(dependency, up.seen)
                return nil
            case .going: break
            }
            switch down.step(self) {
            case .found: return [dependent] + down.path.reversed()
            case .exhausted:
                moveBefore(dependent, down.seen)
                return nil
            case .going: break
            }
        }
    }

    /// Moves nodes behind another one; among themselves they keep their order.
    private mutating func moveBehind(_ node: Node, _ moved: [Node]) {
        for other in moved.sorted(by: { comes($1, before: $0) }) { move(other, behind: node) }
    }

    /// Moves nodes before another one; among themselves they keep their order.
    private mutating func moveBefore(_ node: Node, _ moved: [Node]) {
        var next = node
        for other in moved.sorted(by: { comes($1, before: $0) }) {
            let before = nodeLinks[Int(next)].before
            if before == Self.none { moveToFront(other) } else { move(other, behind: before) }
            next = other
        }
    }
}

/// One side of a search: the nodes that can be reached from a node without passing its goal in the order.
private struct SearchFrontier {
    enum Direction { case dependents, dependencies }
    enum Step { case going, found, exhausted }

    private let start: TopologicalOrder.Node
    private let goal: TopologicalOrder.Node
    private let direction: Direction
    /// The nodes that were reached, in this order.
    private(set) var seen: [TopologicalOrder.Node] = []
    private var origins: [TopologicalOrder.Node: TopologicalOrder.Node] = [:]
    /// For each node that was reached, the next of its edges to follow.
    private var edges: [TopologicalOrder.Edge] = []

    init(
        from start: TopologicalOrder.Node, to goal: TopologicalOrder.Node, in graph: TopologicalOrder,
        towards direction: Direction
    ) {
        (self.start, self.goal, self.direction) = (start, goal, direction)
        visit(start, from: start, graph)
    }

    /// Follows one edge.
    mutating func step(_ graph: TopologicalOrder) -> Step {
        guard let edge = edges.popLast() else { return .exhausted }
        let link = graph.edgeLinks[Int(edge)]
        let isUp = direction == .dependents
        let next = isUp ? link.nextDependent : link.nextDependency
        if next != TopologicalOrder.none { edges.append(next) }
        let (origin, target) = isUp ? (link.dependency, link.dependent) : (link.dependent, link.dependency)
        if target == goal {
            origins[goal] = origin
            return .found
        }
        let isBetween = isUp ? graph.comes(target, before: goal) : graph.comes(goal, before: target)
        if isBetween, origins[target] == nil { visit(target, from: origin, graph) }
        return .going
    }

    private mutating func visit(
        _ node: TopologicalOrder.Node, from origin: TopologicalOrder.Node, _ graph: TopologicalOrder
    ) {
        origins[node] = origin
        seen.append(node)
        let ownLinks = graph.nodeLinks[Int(node)]
        let first = direction == .dependents ? ownLinks.firstDependent : ownLinks.firstDependency
        if first != TopologicalOrder.none { edges.append(first) }
    }

    /// From the goal back to the start.
    var path: [TopologicalOrder.Node] {
        var path = [goal]
        while let last = path.last, last != start, let origin = origins[last] { path.append(origin) }
        return path
    }
}
