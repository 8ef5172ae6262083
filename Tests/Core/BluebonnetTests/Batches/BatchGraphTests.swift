// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

@Suite(.timeLimit(.minutes(1))) struct BatchGraphTests {
    private let network = ScriptedNetwork()

    private func node(_ name: String, _ start: Int? = nil, _ end: Int? = nil) -> BatchGraph.Node {
        BatchGraph.Node(
            name: name, state: end == nil ? .waiting : .success, start: start.map { .milliseconds($0) },
            end: end.map { .milliseconds($0) })
    }

    private func edge(_ dependency: Int, _ dependent: Int) -> BatchGraph.Edge {
        BatchGraph.Edge(dependency: dependency, dependent: dependent)
    }

    @Test func criticalPathIsWhatTheEndWaitedFor() {
        let nodes = [node("a", 0, 10), node("b", 0, 40), node("c", 40, 50), node("d", 0, 45)]
        let graph = BatchGraph(nodes: nodes, edges: [edge(0, 2), edge(1, 2)])
        #expect(graph.criticalPath == [1, 2])
        #expect(graph.nodes.map(\.isCritical) == [false, true, true, false])
    }

    @Test func unfinishedCriticalPathIsTheLongestChain() {
        let graph = BatchGraph(
            nodes: ["a", "b", "c", "d"].map { node($0) }, edges: [edge(0, 1), edge(1, 2), edge(3, 2)])
        #expect(graph.criticalPath == [0, 1, 2])
    }

    @Test func emptyGraphHasNoCriticalPath() {
        #expect(BatchGraph(nodes: [], edges: []).criticalPath.isEmpty)
    }

    @Test func graphvizOutputIsEscapedAndStyled() {
        var nodes = [node("say \"a\\b\"", 0, 1_500), node("next")]
        nodes[1].state = .running
        let expected = """
            digraph batch {
              rankdir=LR;
              node [shape=box, style="rounded,filled"];
              n0 [label="say \\"a\\\\b\\"\\nsuccess, 0.000 s to 1.500 s", fillcolor="#c8e6c9", penwidth=3];
              n1 [label="next\\nrunning", fillcolor="#fff3b0", penwidth=3];
              n0 -> n1 [penwidth=3];
            }

            """
        #expect(BatchGraph(nodes: nodes, edges: [edge(0, 1)]).graphviz == expected)
    }

    @Test func mermaidOutputIsEscapedAndStyled() {
        let nodes = [node("a <\"1\"> #", 0, 20), node("b", 0, 10), node("c")]
        let expected = """
            flowchart LR
              n0["a #60;#34;1#34;#62; #35;<br/>success, 0.000 s to 0.020 s"]
              n1["b<br/>success, 0.000 s to 0.010 s"]
              n2["c<br/>waiting"]
              n0 ==> n2
              n1 --> n2
              style n0 fill:#c8e6c9,stroke-width:3px
              style n1 fill:#c8e6c9
              style n2 fill:#ffffff,stroke-width:3px

            """
        #expect(BatchGraph(nodes: nodes, edges: [edge(0, 2), edge(1, 2)]).mermaid == expected)
    }

    @Test func finishedBatchGraphShowsStatesTimesAndEdges() async throws {
        network.answer("/bad", with: [.fail(.timedOut)])
        let all = ["/ok", "/bad", "/skipped", "/cancelled"].map { network.operation($0) }
        all[2].addDependency(all[1], ifItFails: .skip)
        all[1].addDependency(all[0])
        all[3].cancel()
        let batch = Batch(of: all)
        #expect(batch.graph().nodes.map(\.state) == [.waiting, .waiting, .waiting, .waiting])
        network.manager().enqueue(batch)
        try await batch.waitUntilFinished()
        let graph = batch.graph()
        #expect(graph.nodes.map(\.state) == [.success, .failure, .skipped, .cancelled])
        #expect(graph.nodes[0].name == "GET http://scripted.test/ok")
        #expect(graph.edges == [edge(0, 1), edge(1, 2)])
        #expect(graph.nodes[2].start == nil)
        let (end, start) = (try #require(graph.nodes[0].end), try #require(graph.nodes[1].start))
        #expect(end <= start && graph.nodes[0].start == .zero)
    }
}
