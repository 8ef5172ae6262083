// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A directed graph with an incrementally maintained topological order: every node comes after its dependencies, and an
/// edge that would close a cycle is refused. A pure value of numbers, independent of operations.
///
/// Adding an edge takes constant time if the edge agrees with the order, if its dependent has no dependents, or if its
/// dependency has no dependencies. For any other edge, the graph is searched from both ends in alternation, and the
/// nodes of the side that is exhausted first are moved. No function is recursive.
struct TopologicalOrder: Sendable {
    typealias Node = Int32
    typealias Edge = Int32
    static let none: Int32 = -1

    /// The edges of one node, as the ends of linked lists.
    struct NodeLinks {
        /// The edges to the node's dependencies, in the order in which they were added.
        var firstDependency = none
        var lastDependency = none
        var dependencyCount: Int32 = 0
        /// The edges from the node's dependents.
        var firstDependent = none
        var dependentCount: Int32 = 0
        /// Whether the edges to the node's dependencies are in the index.
        var isIndexed = false
    }

    /// The two nodes of one edge, and its neighbours in the linked lists of edges.
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

    /// The result of adding an edge.
    enum Addition: Equatable {
        case added(Edge)
        /// The edge exists already.
        case known(Edge)
        /// The edge would close this cycle. Each node depends on the next node; the first and the last node are the
        /// same.
        case cycle([Node])
    }

    /// The key of an edge in the index.
    private struct Ends: Hashable {
        let dependent: Node
        let dependency: Node
    }

    private var list = LabelledList()
    private(set) var nodeLinks: [NodeLinks] = []
    private(set) var edgeLinks: [EdgeLinks] = []
    /// Finds an edge whose dependent has many dependencies and whose dependency has many dependents. Any other edge is
    /// found in the shorter of the two lists.
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

    /// Removes a node without edges.
    mutating func removeNode(_ node: Node) {
        precondition(isUnused(node), "a node with edges cannot be removed")
        list.remove(node)
        freeNodes.append(node)
        guard count == 0 else { return }
        self = TopologicalOrder()  // frees the memory of a large graph
    }

    /// Returns whether a node comes before another node.
    func comes(_ a: Node, before b: Node) -> Bool { list.comes(a, before: b) }

    /// Returns whether a node has no edges.
    func isUnused(_ node: Node) -> Bool {
        nodeLinks[Int(node)].firstDependency == Self.none && nodeLinks[Int(node)].firstDependent == Self.none
    }

    func hasDependents(_ node: Node) -> Bool { nodeLinks[Int(node)].firstDependent != Self.none }

    /// Calls `body` for each edge to a dependency of a node, in the order in which the edges were added.
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
    /// Lists of up to this many edges are searched linearly.
    private static let shortListCount = 16

    /// Returns the edge between two nodes; nil if no such edge exists.
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

    /// Makes one node depend on another node, unless that closes a cycle.
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
    /// Changes the order to agree with a new edge. If the edge would close a cycle, returns the cycle instead.
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

    /// Searches from both ends, following one edge of each side in alternation. Only nodes between the two ends in the
    /// order are visited, because no other node can be on a path between the ends. The nodes of the side that is
    /// exhausted first are moved past the other end.
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

    /// Moves nodes after another node, and keeps their relative order.
    private mutating func moveBehind(_ node: Node, _ moved: [Node]) {
        for other in moved.sorted(by: { list.comes($1, before: $0) }) { list.move(other, behind: node) }
    }

    /// Moves nodes before another node, and keeps their relative order.
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
