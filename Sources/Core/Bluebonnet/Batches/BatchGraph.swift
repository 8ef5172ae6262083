// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Foundation

/// A snapshot of a batch as a graph: its members, their dependencies, states and times, and the critical path.
///
/// The graph is a value and retains no operation.
public struct BatchGraph: Sendable, Hashable {
    /// A member of the batch.
    public struct Node: Sendable, Hashable {
        /// The state of a member.
        public enum State: String, Sendable, Hashable {
            case waiting, running, success, failure, skipped, cancelled
        }

        /// The operation's `name`, or its method and its URL without query.
        public var name: String
        /// The member's state.
        public var state: State
        /// When the member was started, counted from the first start in the batch; nil if it was not started. `end` is
        /// when the member ended, counted from the same start.
        public var start: Duration?
        public var end: Duration?
        /// Whether the member is on the critical path.
        public var isCritical = false
    }

    /// A dependency between two members, given as indices of `nodes`: `dependent` waits for `dependency`.
    public struct Edge: Sendable, Hashable {
        public var dependency: Int
        public var dependent: Int
    }

    /// The members, in the order of the batch's `operations`.
    public internal(set) var nodes: [Node]
    /// The dependencies among the members.
    public internal(set) var edges: [Edge]
    /// The members that determined the duration of the batch, in the order of their ends: each member is the dependency
    /// of the next member that ended last. Before any member has ended, this is the longest chain.
    public private(set) var criticalPath: [Int] = []

    init(nodes: [Node], edges: [Edge]) {
        (self.nodes, self.edges) = (nodes, edges)
        criticalPath = CriticalPath(nodes, edges).nodes
        for index in criticalPath { self.nodes[index].isCritical = true }
    }
}

extension Batch {
    /// Returns the graph of the batch at this moment. A dependency that was added after the batch began is included
    /// only until its dependent has ended.
    public func graph() -> BatchGraph {
        let edges = Set(state.withLock { $0.edges }).union(BatchGraph.edges(among: operations))
        let instants = operations.map { $0.state.schedule }.map { ($0.startInstant, $0.finishInstant) }
        let zero = instants.map(\.0).filter { $0 > 0 }.min() ?? 0
        let nodes = zip(operations, instants).map { operation, instants in
            BatchGraph.Node(operation, start: instants.0, end: instants.1, zero: zero)
        }
        return BatchGraph(
            nodes: nodes, edges: edges.sorted { ($0.dependent, $0.dependency) < ($1.dependent, $1.dependency) })
    }
}

extension BatchGraph {
    /// Returns the current dependencies among operations.
    static func edges(among operations: [HTTPRequestOperation]) -> [Edge] {
        let waiting = operations.indices.filter { operations[$0].dependencyNode.isInGraph }
        guard !waiting.isEmpty else { return [] }
        let indices = Dictionary(zip(operations.map(ObjectIdentifier.init), operations.indices)) { first, _ in first }
        return waiting.flatMap { dependent in
            operations[dependent].dependencies.compactMap { dependency in
                indices[ObjectIdentifier(dependency)].map { Edge(dependency: $0, dependent: dependent) }
            }
        }
    }
}

extension BatchGraph.Node {
    fileprivate init(_ operation: HTTPRequestOperation, start: UInt64, end: UInt64, zero: UInt64) {
        name = operation.graphName
        state = State(operation)
        self.start = start > 0 ? .nanoseconds(Int64(start - zero)) : nil
        self.end = end >= zero && zero > 0 ? .nanoseconds(Int64(end - zero)) : nil
    }
}

extension BatchGraph.Node.State {
    fileprivate init(_ operation: HTTPRequestOperation) {
        guard operation.isFinished else {
            self = operation.isExecuting || operation.isPaused ? .running : .waiting
            return
        }
        switch MemberKind(operation.error) {
        case .success: self = .success
        case .failure: self = .failure
        case .skipped: self = .skipped
        case .cancelled: self = .cancelled
        }
    }
}

/// Finds the chain of members that ended last. Uses only indices and times.
struct CriticalPath {
    private(set) var nodes: [Int] = []

    init(_ members: [BatchGraph.Node], _ edges: [BatchGraph.Edge]) {
        guard !members.isEmpty else { return }
        let dependencies = Dictionary(grouping: edges, by: \.dependent).mapValues { $0.map(\.dependency) }
        let ranks = Self.ranks(members, edges)
        var next = members.indices.max { ranks[$0] < ranks[$1] }
        while let node = next {
            nodes.append(node)
            next = dependencies[node]?.max { ranks[$0] < ranks[$1] }
        }
        nodes.reverse()
    }

    /// A later end ranks higher. An unfinished member ranks higher than any finished member, by the length of the chain
    /// before it.
    private struct Rank: Comparable {
        let depth: Int
        let end: Duration

        static func < (a: Rank, b: Rank) -> Bool { (a.depth, a.end) < (b.depth, b.end) }
    }

    private static func ranks(_ members: [BatchGraph.Node], _ edges: [BatchGraph.Edge]) -> [Rank] {
        let dependents = Dictionary(grouping: edges, by: \.dependency).mapValues { $0.map(\.dependent) }
        var missing = [Int](repeating: 0, count: members.count)
        for edge in edges { missing[edge.dependent] += 1 }
        var depths = members.map { $0.end == nil ? 1 : 0 }
        var open = members.indices.filter { missing[$0] == 0 }
        while let node = open.popLast() {
            for dependent in dependents[node] ?? [] {
                let own = members[dependent].end == nil ? 1 : 0
                depths[dependent] = max(depths[dependent], depths[node] + own)
                missing[dependent] -= 1
                if missing[dependent] == 0 { open.append(dependent) }
            }
        }
        return zip(members, depths).map { Rank(depth: $1, end: $0.end ?? .zero) }
    }
}

extension BatchGraph {
    /// The graph in the DOT language of Graphviz, for `dot -Tsvg`.
    public var graphviz: String {
        var lines = ["digraph batch {", "  rankdir=LR;", "  node [shape=box, style=\"rounded,filled\"];"]
        for (index, node) in nodes.enumerated() {
            let label = node.lines.map(Self.escapedForGraphviz).joined(separator: "\\n")
            let width = node.isCritical ? ", penwidth=3" : ""
            lines.append("  n\(index) [label=\"\(label)\", fillcolor=\"\(node.state.color)\"\(width)];")
        }
        let critical = criticalEdges
        for edge in edges {
            let width = critical.contains(edge) ? " [penwidth=3]" : ""
            lines.append("  n\(edge.dependency) -> n\(edge.dependent)\(width);")
        }
        return (lines + ["}", ""]).joined(separator: "\n")
    }

    /// The graph as a Mermaid flowchart, which many Markdown viewers draw.
    public var mermaid: String {
        var lines = ["flowchart LR"]
        for (index, node) in nodes.enumerated() {
            let label = node.lines.map(Self.escapedForMermaid).joined(separator: "<br/>")
            lines.append("  n\(index)[\"\(label)\"]")
        }
        let critical = criticalEdges
        for edge in edges {
            lines.append("  n\(edge.dependency) \(critical.contains(edge) ? "==>" : "-->") n\(edge.dependent)")
        }
        for (index, node) in nodes.enumerated() {
            let width = node.isCritical ? ",stroke-width:3px" : ""
            lines.append("  style n\(index) fill:\(node.state.color)\(width)")
        }
        return (lines + [""]).joined(separator: "\n")
    }

    private var criticalEdges: Set<Edge> {
        Set(zip(criticalPath, criticalPath.dropFirst()).map { Edge(dependency: $0, dependent: $1) })
    }

    /// A Graphviz string ends at a quotation mark and has escapes.
    private static func escapedForGraphviz(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: " ")
    }

    /// Mermaid labels are a kind of HTML with different entities: "#" replaces the ampersand.
    private static func escapedForMermaid(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "#", "&", "<", ">", "`", "\\": escaped += "#\(scalar.value);"
            case "\n": escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension BatchGraph.Node {
    /// Name, state and times.
    fileprivate var lines: [String] {
        guard let end else { return [name, state.rawValue] }
        guard let start else { return [name, state.rawValue + " at " + Self.text(end)] }
        return [name, "\(state.rawValue), \(Self.text(start)) to \(Self.text(end))"]
    }

    private static func text(_ duration: Duration) -> String {
        String(format: "%.3f s", duration.seconds)
    }
}

extension BatchGraph.Node.State {
    fileprivate var color: String {
        switch self {
        case .waiting: "#ffffff"
        case .running: "#fff3b0"
        case .success: "#c8e6c9"
        case .failure: "#ffcdd2"
        case .skipped: "#e0e0e0"
        case .cancelled: "#d1c4e9"
        }
    }
}
