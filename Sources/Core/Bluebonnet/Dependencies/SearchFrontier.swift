// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// One side of a bidirectional search in a `TopologicalOrder`: the nodes that are reachable from a start node without
/// passing the goal in the order.
struct SearchFrontier {
    enum Direction { case dependents, dependencies }
    /// The result of following one edge.
    enum Step { case going, found, exhausted }

    private let start: TopologicalOrder.Node
    private let goal: TopologicalOrder.Node
    private let direction: Direction
    /// The reached nodes, in the order in which they were reached.
    private(set) var seen: [TopologicalOrder.Node] = []
    private var origins: [TopologicalOrder.Node: TopologicalOrder.Node] = [:]
    /// For each reached node with edges left, the next edge to follow.
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

    /// The path from the goal back to the start.
    var path: [TopologicalOrder.Node] {
        var path = [goal]
        while let last = path.last, last != start, let origin = origins[last] { path.append(origin) }
        return path
    }
}
