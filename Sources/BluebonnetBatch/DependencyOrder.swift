// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Puts lines into an order in which dependencies come first, and finds the cycles that make it impossible.
///
/// A depth-first search from each line, with an explicit stack, so that a long chain cannot overflow the thread's
/// stack.
struct DependencyOrder {
    private enum Mark {
        case unseen
        /// On the stack, at this depth.
        case open(depth: Int)
        case placed
    }

    /// The longest cycle that an error spells out.
    private static let maximumSpelledCount = 10

    /// The indices of the nodes, dependencies first.
    private(set) var order: [Int] = []
    /// One error for each line that a cycle comes back to.
    private(set) var cycles: [RequestLineError] = []

    private let nodes: [RequestLineGraph.Node]
    private let indices: [String: Int]
    private var marks: [Mark]
    private var stack: [(node: Int, nextDependency: Int)] = []
    private var reported: Set<Int> = []

    init(_ nodes: [RequestLineGraph.Node], indices: [String: Int]) {
        self.nodes = nodes
        self.indices = indices
        marks = Array(repeating: .unseen, count: nodes.count)
        order.reserveCapacity(nodes.count)
        for root in nodes.indices {
            visit(root)
            while !stack.isEmpty { step() }
        }
    }

    /// Opens a node, or notes the cycle when it is open.
    private mutating func visit(_ node: Int) {
        switch marks[node] {
        case .placed: break
        case .open(let depth): report(cycleFrom: depth)
        case .unseen:
            marks[node] = .open(depth: stack.count)
            stack.append((node, 0))
        }
    }

    /// Follows the next dependency of the node on top, or places that node when all were followed.
    private mutating func step() {
        let (node, next) = stack[stack.count - 1]
        guard next < nodes[node].dependencies.count else {
            marks[node] = .placed
            order.append(node)
            stack.removeLast()
            return
        }
        stack[stack.count - 1].nextDependency += 1
        if let dependency = indices[nodes[node].dependencies[next]] { visit(dependency) }
    }

    /// Notes the cycle that the stack forms from `depth` on.
    private mutating func report(cycleFrom depth: Int) {
        guard reported.insert(stack[depth].node).inserted else { return }
        let first = nodes[stack[depth].node].line
        var path = stack[depth...].prefix(Self.maximumSpelledCount).map { nodes[$0.node].line.id }
        let leftOut = stack.count - depth - path.count
        if leftOut > 0 { path.append("(\(leftOut) more)") }
        path.append(first.id)
        let problem = "dependency cycle: \(path.joined(separator: " -> "))"
        cycles.append(RequestLineError(line: first.number, message: problem))
    }
}
