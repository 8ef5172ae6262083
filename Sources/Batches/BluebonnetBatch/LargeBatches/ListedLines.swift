// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// A batch whose lines are all in memory.
package final class ListedLines: LineSource {
    private let nodes: [RequestLineGraph.Node]
    private let positions: [ByteString: Int]
    private let elementReaders: ElementReaders

    /// - Parameter nodes: lines, dependencies first.
    package init(_ nodes: [RequestLineGraph.Node]) {
        self.nodes = nodes
        positions = Dictionary(uniqueKeysWithValues: nodes.enumerated().map { (ByteString($1.line.id), $0) })
        var readers = ElementReaders()
        for (position, node) in nodes.enumerated() {
            guard let parts = LineParts(node.line.line), let id = parts.elementSource,
                let source = positions[ByteString(id)]
            else { continue }
            readers.add(position, of: source, startsEarly: parts.startsEarly)
        }
        elementReaders = readers
    }

    package func hasParts(_ position: Int) -> Bool { LineParts(nodes[position].line.line) != nil }

    package func hasItems(_ position: Int) -> Bool { nodes[position].line.line.hasItems }

    package func readers(of position: Int) -> [Int] { elementReaders.readers(of: position) }

    package func startsEarly(_ position: Int) -> Bool { elementReaders.startsEarly(position) }

    package func node(at position: Int) throws(LineSourceError) -> RequestLineGraph.Node { nodes[position] }

    package func id(at position: Int) -> String { nodes[position].line.id }

    package func position(of id: String) -> Int? {
        positions[ByteString(id)] ?? PageID.line(of: id).flatMap { positions[ByteString($0)] }
    }

    /// Returns a schedule of all lines.
    package func schedule(_ limits: LineSchedule.Limits) -> LineSchedule {
        var schedule = LineSchedule(limits)
        for node in nodes {
            let line = node.line.line
            let references = (try? line.referencedIDs()) ?? []
            schedule.add(
                lane: schedule.lane(named: RequestLine.lane(of: line.url)), priority: line.priority,
                dependencies: node.dependencies.compactMap { position(of: $0) }.unique,
                references: references.compactMap { position(of: $0) })
        }
        return schedule
    }
}
