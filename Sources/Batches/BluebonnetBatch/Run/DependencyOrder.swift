// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Sorts lines so that dependencies come first, and finds the cycles that make this impossible.
///
/// The algorithm is a depth-first search from each line, with an explicit stack, so that a long chain of dependencies
/// cannot overflow the thread's stack.
struct DependencyOrder {
    private enum Mark {
        case unseen
        /// On the stack, at this depth.
        case open(depth: Int)
        case placed
    }

    /// The maximum number of lines of a cycle that an error names.
    private static let maximumSpelledCount = 10

    /// The indices of the nodes, dependencies first.
    private(set) var order: [Int] = []
    /// One error for each line at which a cycle closes.
    private(set) var cycles: [RequestLineError] = []

    private let table: DependencyTable
    private let line: (Int) -> (id: String, number: Int)
    private var marks: [Mark]
    private var stack: [(node: Int, nextDependency: Int)] = []
    private var reported: Set<Int> = []

    /// - Parameter line: the id and the number of the line at an index.
    init(_ table: DependencyTable, line: @escaping (Int) -> (id: String, number: Int)) {
        (self.table, self.line) = (table, line)
        marks = Array(repeating: .unseen, count: table.count)
        order.reserveCapacity(table.count)
        for root in 0..<table.count {
            visit(root)
            while !stack.isEmpty { step() }
        }
    }

    /// Opens an unseen node, or reports a cycle if the node is open.
    private mutating func visit(_ node: Int) {
        switch marks[node] {
        case .placed: break
        case .open(let depth): report(cycleFrom: depth)
        case .unseen:
            marks[node] = .open(depth: stack.count)
            stack.append((node, 0))
        }
    }

    /// Visits the next dependency of the node on top of the stack, or places the node after its last dependency.
    private mutating func step() {
        let (node, next) = stack[stack.count - 1]
        guard next < table[node].count else {
            marks[node] = .placed
            order.append(node)
            stack.removeLast()
            return
        }
        stack[stack.count - 1].nextDependency += 1
        visit(Int(table[node][table[node].startIndex + next]))
    }

    /// Records an error for the cycle that the stack forms from `depth`.
    private mutating func report(cycleFrom depth: Int) {
        guard reported.insert(stack[depth].node).inserted else { return }
        let first = line(stack[depth].node)
        var path = stack[depth...].prefix(Self.maximumSpelledCount).map { line($0.node).id }
        let leftOut = stack.count - depth - path.count
        if leftOut > 0 { path.append("(\(leftOut) more)") }
        path.append(first.id)
        let problem = "dependency cycle: \(path.joined(separator: " -> "))"
        cycles.append(RequestLineError(line: first.number, message: problem))
    }
}

/// The dependencies of each line, by index, in two arrays.
struct DependencyTable {
    private var ends: [Int] = []
    private var targets: [UInt32] = []

    /// The number of lines.
    var count: Int { ends.count }

    /// The indices of the dependencies of the line at an index.
    subscript(index: Int) -> ArraySlice<UInt32> { targets[(index == 0 ? 0 : ends[index - 1])..<ends[index]] }

    /// Adds the next line.
    mutating func append(_ dependencies: some Sequence<Int>) {
        for dependency in dependencies { targets.append(UInt32(dependency)) }
        ends.append(targets.count)
    }
}
