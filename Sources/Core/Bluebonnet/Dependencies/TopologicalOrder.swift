// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A directed graph with an incrementally maintained topological order: every node comes after the nodes that it waits
/// for, so adding an edge that would close a cycle is refused. A pure value of numbers; it knows no operation.
///
/// Adding an edge takes constant time when it agrees with the order, when nothing waits for its dependent, or when its
/// dependency waits for nothing. Any other edge is searched for from both ends in alternation, and the side that is
/// exhausted first moves. Nothing is recursive.
struct TopologicalOrder: Sendable {
    typealias Node = Int32
    typealias Edge = Int32
    static let none: Int32 = -1

    struct NodeLinks {
        /// The edges to what it waits for, in the order in which they were added.
        var firstDependency = none
        var lastDependency = none
        var dependencyCount: Int32 = 0
        /// The edges from what waits for it.
        var firstDependent = none
        var dependentCount: Int32 = 0
        /// Whether the edges to what it waits for are in the index.
        var isIndexed = false
    }

    struct EdgeLinks {
        var dependent: Node
        var dependency: Node
        /// Neighbours among the edges of the same dependent.
        var nextDependency = none
        var previousDependency = none
        /// Neighbours among the edges to the same dependency.
        var nextDependent = none
        var previousDependent = none
    }

    enum Addition: Equatable {
        case added(Edge)
        /// The edge is there already.
        case known(Edge)
        /// The edge would close this cycle: each waits for the next, the last is the first.
        case cycle([Node])
    }

    private struct Ends: Hashable {
        let dependent: Node
        let dependency: Node
    }

    private var list = LabelledList()
    private(set) var nodeLinks: [NodeLinks] = []
    private(set) var edgeLinks: [EdgeLinks] = []
    /// Finds the edges of nodes with many dependencies, for searches where the dependency has many dependents too. Any
    /// other edge is found in the shorter of the two lists.
    private var index: [Ends: Edge] = [:]
    private(set) var edgeCount = 0
    private var freeNodes: [Node] = []
    private var freeEdges: [Edge] = []

    /// The number of nodes.
    var count: Int { nodeLinks.count - freeNodes.count }
}

// MARK: - Nodes

extension TopologicalOrder {
    /// Adds a node at the end of the order.
    mutating func addNode() -> Node {
        let node = freeNodes.popLast() ?? Node(nodeLinks.count)
        if node == nodeLinks.count { nodeLinks.append(NodeLinks()) } else { nodeLinks[Int(node)] = NodeLinks() }
        list.insertAtEnd(node)
        return node
    }

    /// Removes a node that has no edges.
    mutating func removeNode(_ node: Node) {
        precondition(isUnused(node), "a node with edges cannot be taken out")
        list.remove(node)
        freeNodes.append(node)
        guard count == 0 else { return }
        self = TopologicalOrder()  // gives the memory of a large graph back
    }

    /// Whether a node comes before another one.
    func comes(_ a: Node, before b: Node) -> Bool { list.comes(a, before: b) }

    /// Whether a node has no edges.
    func isUnused(_ node: Node) -> Bool {
        nodeLinks[Int(node)].firstDependency == Self.none && nodeLinks[Int(node)].firstDependent == Self.none
    }

    func hasDependents(_ node: Node) -> Bool { nodeLinks[Int(node)].firstDependent != Self.none }

    /// Calls `body` for each edge to what a node waits for, in the order in which they were added.
    func forEachDependency(of node: Node, _ body: (Edge) -> Void) {
        var edge = nodeLinks[Int(node)].firstDependency
        while edge != Self.none {
            body(edge)
            edge = edgeLinks[Int(edge)].nextDependency
        }
    }
}

// MARK: - Edges

extension TopologicalOrder {
    /// Lists of up to so many edges are searched linearly.
    private static let shortListCount = 16

    /// The edge between two nodes, if there is one.
    mutating func edge(from dependent: Node, to dependency: Node) -> Edge? {
        let (count, otherCount) = (nodeLinks[Int(dependent)].dependencyCount, nodeLinks[Int(dependency)].dependentCount)
        if count <= min(otherCount, Int32(Self.shortListCount)) {
            var edge = nodeLinks[Int(dependent)].firstDependency
            while edge != Self.none, edgeLinks[Int(edge)].dependency != dependency {
                edge = edgeLinks[Int(edge)].nextDependency
            }
            return edge == Self.none ? nil : edge
        }
        if otherCount <= Self.shortListCount {
            var edge = nodeLinks[Int(dependency)].firstDependent
            while edge != Self.none, edgeLinks[Int(edge)].dependent != dependent {
                edge = edgeLinks[Int(edge)].nextDependent
            }
            return edge == Self.none ? nil : edge
        }
        if !nodeLinks[Int(dependent)].isIndexed { addToIndex(dependent) }
        return index[Ends(dependent: dependent, dependency: dependency)]
    }

    private mutating func addToIndex(_ node: Node) {
        nodeLinks[Int(node)].isIndexed = true
        var edge = nodeLinks[Int(node)].firstDependency
        while edge != Self.none {
            index[Ends(dependent: node, dependency: edgeLinks[Int(edge)].dependency)] = edge
            edge = edgeLinks[Int(edge)].nextDependency
        }
    }

    /// Makes one node wait for another, unless that closes a cycle.
    mutating func addEdge(from dependent: Node, to dependency: Node) -> Addition {
        guard dependent != dependency else { return .cycle([dependent, dependent]) }
        if let edge = edge(from: dependent, to: dependency) { return .known(edge) }
        if let cycle = reorder(forEdgeFrom: dependent, to: dependency) { return .cycle(cycle) }
        let edge = freeEdges.popLast() ?? Edge(edgeLinks.count)
        let link = EdgeLinks(dependent: dependent, dependency: dependency)
        if edge == edgeLinks.count { edgeLinks.append(link) } else { edgeLinks[Int(edge)] = link }
        if nodeLinks[Int(dependent)].isIndexed { index[Ends(dependent: dependent, dependency: dependency)] = edge }
        attach(edge)
        return .added(edge)
    }

    /// Removes an edge.
    mutating func removeEdge(_ edge: Edge) {
        let link = edgeLinks[Int(edge)]
        if nodeLinks[Int(link.dependent)].isIndexed {
            index[Ends(dependent: link.dependent, dependency: link.dependency)] = nil
        }
        detach(edge, link)
        freeEdges.append(edge)
    }

    private mutating func attach(_ edge: Edge) {
        let link = edgeLinks[Int(edge)]
        edgeCount += 1
        nodeLinks[Int(link.dependent)].dependencyCount += 1
        nodeLinks[Int(link.dependency)].dependentCount += 1
        let previous = nodeLinks[Int(link.dependent)].lastDependency
        edgeLinks[Int(edge)].previousDependency = previous
        nodeLinks[Int(link.dependent)].lastDependency = edge
        if previous == Self.none {
            nodeLinks[Int(link.dependent)].firstDependency = edge
        } else {
            edgeLinks[Int(previous)].nextDependency = edge
        }
        let next = nodeLinks[Int(link.dependency)].firstDependent
        edgeLinks[Int(edge)].nextDependent = next
        nodeLinks[Int(link.dependency)].firstDependent = edge
        if next != Self.none { edgeLinks[Int(next)].previousDependent = edge }
    }

    private mutating func detach(_ edge: Edge, _ link: EdgeLinks) {
        edgeCount -= 1
        nodeLinks[Int(link.dependent)].dependencyCount -= 1
        nodeLinks[Int(link.dependency)].dependentCount -= 1
        if link.previousDependency == Self.none {
            nodeLinks[Int(link.dependent)].firstDependency = link.nextDependency
        } else {
            edgeLinks[Int(link.previousDependency)].nextDependency = link.nextDependency
        }
        if link.nextDependency == Self.none {
            nodeLinks[Int(link.dependent)].lastDependency = link.previousDependency
        } else {
            edgeLinks[Int(link.nextDependency)].previousDependency = link.previousDependency
        }
        if link.previousDependent == Self.none {
            nodeLinks[Int(link.dependency)].firstDependent = link.nextDependent
        } else {
            edgeLinks[Int(link.previousDependent)].nextDependent = link.nextDependent
        }
        if link.nextDependent != Self.none {
            edgeLinks[Int(link.nextDependent)].previousDependent = link.previousDependent
        }
    }
}

// MARK: - The order

extension TopologicalOrder {
    /// Changes the order so that it agrees with a new edge; returns the cycle instead, if the edge would close one.
    private mutating func reorder(forEdgeFrom dependent: Node, to dependency: Node) -> [Node]? {
        if list.comes(dependency, before: dependent) { return nil }
        if nodeLinks[Int(dependency)].firstDependency == Self.none {
            list.moveToFront(dependency)
            return nil
        }
        if nodeLinks[Int(dependent)].firstDependent == Self.none {
            list.moveToEnd(dependent)
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
        for other in moved.sorted(by: { list.comes($1, before: $0) }) { list.move(other, behind: node) }
    }

    /// Moves nodes before another one; among themselves they keep their order.
    private mutating func moveBefore(_ node: Node, _ moved: [Node]) {
        var next = node
        for other in moved.sorted(by: { list.comes($1, before: $0) }) {
            if let before = list.node(before: next) {
                list.move(other, behind: before)
            } else {
                list.moveToFront(other)
            }
            next = other
        }
    }
}
