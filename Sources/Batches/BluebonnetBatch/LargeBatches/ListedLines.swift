// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// A batch whose lines are all in memory.
package final class ListedLines: LineSource {
    private let nodes: [RequestLineGraph.Node]
    private let positions: [ByteString: Int]

    /// - Parameter nodes: lines, dependencies first.
    package init(_ nodes: [RequestLineGraph.Node]) {
        self.nodes = nodes
        positions = Dictionary(uniqueKeysWithValues: nodes.enumerated().map { (ByteString($1.line.id), $0) })
    }

    package func node(at position: Int) throws(LineSourceError) -> RequestLineGraph.Node { nodes[position] }

    package func id(at position: Int) -> String { nodes[position].line.id }

    package func position(of id: String) -> Int? { positions[ByteString(id)] }

    /// Returns a schedule of all lines.
    package func schedule(_ limits: LineSchedule.Limits) -> LineSchedule {
        var schedule = LineSchedule(limits)
        for node in nodes {
            let line = node.line.line
            let references = (try? line.referencedIDs()) ?? []
            schedule.add(
                lane: schedule.lane(named: RequestLine.lane(of: line.url)), priority: line.priority,
                dependencies: node.dependencies.compactMap { positions[ByteString($0)] },
                references: references.compactMap { positions[ByteString($0)] })
        }
        return schedule
    }
}
