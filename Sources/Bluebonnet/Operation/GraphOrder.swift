// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Nodes that wait for one another, kept in an order in which everything comes after what it waits for: so a cycle is
/// found when the edge that would close it is added. A pure value of numbers: it knows no operation.
///
/// An edge that agrees with the order costs the same however many there are, and so does one from a node that nothing
/// waits for, or to a node that waits for nothing. Any other edge is searched from both ends in turn, and the smaller
/// side moves. Nothing is recursive.
struct GraphOrder: Sendable {
    typealias Node = Int32
    typealias Edge = Int32
    static let none: Int32 = -1

    struct Place {
        /// Grows along the order.
        var label: Int64 = 0
        /// Neighbours in the order.
        var before = none
        var after = none
        /// The edges to what it waits for, in the order in which they were added.
        var firstDependency = none
        var lastDependency = none
        /// The edges from what waits for it.
        var firstDependent = none
    }

    struct Link {
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

    /// Between neighbours at the ends of the order.
    static let gap: Int64 = 1 << 16

    var places: [Place] = []
    private(set) var links: [Link] = []
    private var edges: [Ends: Edge] = [:]
    private var freeNodes: [Node] = []
    private var freeEdges: [Edge] = []
    var first = none
    var last = none

    /// How many nodes there are.
    var count: Int { places.count - freeNodes.count }
    /// How many edges there are.
    var edgeCount: Int { edges.count }
}

// MARK: - Nodes

extension GraphOrder {
    /// Adds a node at the end of the order.
    mutating func addNode() -> Node {
        let node = freeNodes.popLast() ?? Node(places.count)
        if node == places.count { places.append(Place()) } else { places[Int(node)] = Place() }
        insertAtEnd(node)
        return node
    }

    /// Takes a node out that has no edges.
    mutating func removeNode(_ node: Node) {
        precondition(isUnused(node), "a node with edges cannot be taken out")
        unlink(node)
        freeNodes.append(node)
        guard count == 0 else { return }
        self = GraphOrder()  // gives the memory of a large graph back
    }

    /// Whether a node has no edges.
    func isUnused(_ node: Node) -> Bool {
        places[Int(node)].firstDependency == Self.none && places[Int(node)].firstDependent == Self.none
    }

    func hasDependents(_ node: Node) -> Bool { places[Int(node)].firstDependent != Self.none }

    /// Calls `body` for each edge to what a node waits for, in the order in which they were added.
    func forEachDependency(of node: Node, _ body: (Edge) -> Void) {
        var edge = places[Int(node)].firstDependency
        while edge != Self.none {
            body(edge)
            edge = links[Int(edge)].nextDependency
        }
    }

    /// Calls `body` for each edge from what waits for a node.
    func forEachDependent(of node: Node, _ body: (Edge) -> Void) {
        var edge = places[Int(node)].firstDependent
        while edge != Self.none {
            body(edge)
            edge = links[Int(edge)].nextDependent
        }
    }
}

// MARK: - Edges

extension GraphOrder {
    /// The edge between two nodes, if there is one.
    func edge(from dependent: Node, to dependency: Node) -> Edge? {
        edges[Ends(dependent: dependent, dependency: dependency)]
    }

    /// Makes one node wait for another, unless that closes a cycle.
    mutating func addEdge(from dependent: Node, to dependency: Node) -> Addition {
        guard dependent != dependency else { return .cycle([dependent, dependent]) }
        let ends = Ends(dependent: dependent, dependency: dependency)
        if let edge = edges[ends] { return .known(edge) }
        if let cycle = makeRoom(from: dependent, to: dependency) { return .cycle(cycle) }
        let edge = freeEdges.popLast() ?? Edge(links.count)
        let link = Link(dependent: dependent, dependency: dependency)
        if edge == links.count { links.append(link) } else { links[Int(edge)] = link }
        edges[ends] = edge
        attach(edge)
        return .added(edge)
    }

    /// Takes an edge out.
    mutating func removeEdge(_ edge: Edge) {
        let link = links[Int(edge)]
        edges[Ends(dependent: link.dependent, dependency: link.dependency)] = nil
        detach(edge, link)
        freeEdges.append(edge)
    }

    private mutating func attach(_ edge: Edge) {
        let link = links[Int(edge)]
        let previous = places[Int(link.dependent)].lastDependency
        links[Int(edge)].previousDependency = previous
        places[Int(link.dependent)].lastDependency = edge
        if previous == Self.none {
            places[Int(link.dependent)].firstDependency = edge
        } else {
            links[Int(previous)].nextDependency = edge
        }
        let next = places[Int(link.dependency)].firstDependent
        links[Int(edge)].nextDependent = next
        places[Int(link.dependency)].firstDependent = edge
        if next != Self.none { links[Int(next)].previousDependent = edge }
    }

    private mutating func detach(_ edge: Edge, _ link: Link) {
        if link.previousDependency == Self.none {
            places[Int(link.dependent)].firstDependency = link.nextDependency
        } else {
            links[Int(link.previousDependency)].nextDependency = link.nextDependency
        }
        if link.nextDependency == Self.none {
            places[Int(link.dependent)].lastDependency = link.previousDependency
        } else {
            links[Int(link.nextDependency)].previousDependency = link.previousDependency
        }
        if link.previousDependent == Self.none {
            places[Int(link.dependency)].firstDependent = link.nextDependent
        } else {
            links[Int(link.previousDependent)].nextDependent = link.nextDependent
        }
        if link.nextDependent != Self.none { links[Int(link.nextDependent)].previousDependent = link.previousDependent }
    }
}
