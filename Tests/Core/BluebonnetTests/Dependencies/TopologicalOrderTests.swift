// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct TopologicalOrderTests {
    /// A graph with `count` nodes, whose numbers are their indices.
    private static func graph(_ count: Int) -> (TopologicalOrder, [TopologicalOrder.Node]) {
        var graph = TopologicalOrder()
        return { (graph, $0) }((0..<count).map { _ in graph.addNode() })
    }

    /// Whether every edge leads to an earlier node.
    private static func isInOrder(_ graph: TopologicalOrder, _ edges: Set<[TopologicalOrder.Node]>) -> Bool {
        edges.allSatisfy { graph.comes($0[1], before: $0[0]) }
    }

    @Test func edgeAddedTwiceIsKnown() {
        var (graph, nodes) = Self.graph(2)
        let first = graph.addEdge(from: nodes[0], to: nodes[1])
        guard case .added(let edge) = first else { return #expect(Bool(false), "\(first)") }
        #expect(graph.addEdge(from: nodes[0], to: nodes[1]) == .known(edge))
        #expect(graph.edgeCount == 1)
        let (there, back) = (graph.edge(from: nodes[0], to: nodes[1]), graph.edge(from: nodes[1], to: nodes[0]))
        #expect(there == edge && back == nil)
    }

    /// Each of many nodes depends on each of many others, so neither end has a short list of edges.
    @Test func edgeBetweenNodesWithManyEdgesIsFound() {
        let count = 60
        var (graph, nodes) = Self.graph(2 * count)
        let (dependents, dependencies) = (nodes.prefix(count), nodes.suffix(count))
        var edges: [[TopologicalOrder.Node]: TopologicalOrder.Edge] = [:]
        for dependent in dependents {
            for dependency in dependencies {
                guard case .added(let edge) = graph.addEdge(from: dependent, to: dependency) else { continue }
                edges[[dependent, dependency]] = edge
            }
        }
        #expect(edges.count == count * count)
        let found = edges.keys.allSatisfy { graph.edge(from: $0[0], to: $0[1]) == edges[$0] }
        #expect(found)
        for (ends, edge) in edges where ends[0] % 2 == 0 { graph.removeEdge(edge) }
        #expect(graph.edgeCount == count * count / 2)
        let known = edges.keys.count { graph.edge(from: $0[0], to: $0[1]) != nil }
        #expect(known == count * count / 2)
        let added = edges.keys.count { ends in
            if case .added = graph.addEdge(from: ends[0], to: ends[1]) { return true }
            return false
        }
        #expect(added == count * count / 2)
        let foundAgain = edges.keys.allSatisfy { graph.edge(from: $0[0], to: $0[1]) != nil }
        #expect(foundAgain)
    }

    @Test func nodeCannotDependOnItself() {
        var (graph, nodes) = Self.graph(1)
        #expect(graph.addEdge(from: nodes[0], to: nodes[0]) == .cycle([nodes[0], nodes[0]]))
    }

    @Test(arguments: [2, 3, 10, 1_000]) func cycleIsListedFromTheClosingEdge(count: Int) {
        var (graph, nodes) = Self.graph(count)
        for (dependent, dependency) in zip(nodes, nodes.dropFirst()) {
            _ = graph.addEdge(from: dependent, to: dependency)
        }
        #expect(graph.addEdge(from: nodes[count - 1], to: nodes[0]) == .cycle([nodes[count - 1]] + nodes))
        #expect(graph.edgeCount == count - 1)
    }

    @Test func removedEdgeClosesNoCycle() {
        var (graph, nodes) = Self.graph(3)
        _ = graph.addEdge(from: nodes[0], to: nodes[1])
        guard case .added(let edge) = graph.addEdge(from: nodes[1], to: nodes[2]) else {
            return #expect(Bool(false), "the edge was refused")
        }
        #expect(graph.addEdge(from: nodes[2], to: nodes[0]) == .cycle([nodes[2], nodes[0], nodes[1], nodes[2]]))
        graph.removeEdge(edge)
        if case .added = graph.addEdge(from: nodes[2], to: nodes[0]) {} else { #expect(Bool(false), "still refused") }
    }

    @Test func dependenciesKeepTheirOrder() {
        var (graph, nodes) = Self.graph(20)
        for dependency in nodes.dropFirst().reversed() { _ = graph.addEdge(from: nodes[0], to: dependency) }
        var seen: [TopologicalOrder.Node] = []
        graph.forEachDependency(of: nodes[0]) { seen.append(graph.edgeLinks[Int($0)].dependency) }
        #expect(seen == nodes.dropFirst().reversed())
    }

    @Test func nodeNumbersAreReusedAndEmptyGraphFreesMemory() {
        var (graph, nodes) = Self.graph(100)
        for node in nodes.dropFirst() { graph.removeNode(node) }
        #expect(graph.count == 1)
        #expect((0..<99).allSatisfy { _ in graph.addNode() < 100 })
        for node in Int32(0)..<100 { graph.removeNode(node) }
        #expect(graph.count == 0 && graph.nodeLinks.isEmpty)
    }

    /// Compared with a search of the whole graph for each edge.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func exactlyCycleClosingEdgesAreRefused(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (graph, nodes) = Self.graph(40)
        var edges: Set<[TopologicalOrder.Node]> = []
        for _ in 0..<600 {
            let (dependent, dependency) = (nodes.randomElement(using: &random)!, nodes.randomElement(using: &random)!)
            let isPossible = !Self.reaches(dependency, dependent, edges)
            switch graph.addEdge(from: dependent, to: dependency) {
            case .added:
                #expect(isPossible && edges.insert([dependent, dependency]).inserted)
            case .known: #expect(edges.contains([dependent, dependency]))
            case .cycle(let cycle):
                #expect(!isPossible)
                #expect(cycle.first == dependent && cycle.last == dependent && cycle[1] == dependency)
                #expect(zip(cycle.dropFirst(), cycle.dropFirst(2)).allSatisfy { edges.contains([$0, $1]) })
            }
            if Int.random(in: 0..<4, using: &random) == 0, let gone = edges.randomElement(using: &random) {
                edges.remove(gone)
                if let edge = graph.edge(from: gone[0], to: gone[1]) { graph.removeEdge(edge) }
            }
        }
        #expect(graph.edgeCount == edges.count && edges.count > 50)
        #expect(Self.isInOrder(graph, edges))
    }

    private static func reaches(
        _ start: TopologicalOrder.Node, _ goal: TopologicalOrder.Node, _ edges: Set<[TopologicalOrder.Node]>
    ) -> Bool {
        var (open, seen) = ([start], Set([start]))
        while let node = open.popLast() {
            if node == goal { return true }
            for edge in edges where edge[0] == node && seen.insert(edge[1]).inserted { open.append(edge[1]) }
        }
        return false
    }

    /// Joins pairs so that every edge goes against the order, which exhausts the labels between neighbours.
    @Test func adversarialEdgesKeepTheOrder() {
        let count = 2_000
        var (graph, nodes) = Self.graph(2 * count)
        var edges: Set<[TopologicalOrder.Node]> = []
        func add(_ dependent: Int, _ dependency: Int) {
            if case .added = graph.addEdge(from: nodes[dependent], to: nodes[dependency]) {
                edges.insert([nodes[dependent], nodes[dependency]])
            }
        }
        for pair in 0..<count { add(2 * pair, 2 * pair + 1) }
        for pair in 0..<count - 1 { add(2 * pair + 1, 2 * pair + 2) }
        #expect(edges.count == 2 * count - 1)
        #expect(Self.isInOrder(graph, edges))
        #expect(graph.addEdge(from: nodes[2 * count - 1], to: nodes[0]) == .cycle([nodes[2 * count - 1]] + nodes))
    }
}
