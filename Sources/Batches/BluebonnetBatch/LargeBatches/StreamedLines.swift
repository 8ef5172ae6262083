// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetLocks

/// A stream of lines. Each line is checked when it is added and stays in memory until it runs.
package final class StreamedLines: LineSource {
    /// An added line with the facts that a schedule needs.
    package struct Added: Sendable {
        /// The number of lines before it.
        package let position: Int
        /// The line.
        package let node: RequestLineGraph.Node
        /// The name of the line's origin.
        package let lane: String
        /// The positions of the lines that it depends on.
        package let dependencies: [Int]
    }

    fileprivate struct State {
        var names = LineNames()
        var outputs: OutputPaths
        var nodes: [Int: RequestLineGraph.Node] = [:]
    }

    private let state: Mutex<State>

    /// - Parameter reserved: the files that no line may write.
    package init(reserved: [ReservedPath] = []) { state = Mutex(State(outputs: OutputPaths(reserved: reserved))) }

    /// Adds a line, which may depend on earlier lines only. If this throws an error, nothing is changed.
    package func add(_ line: NumberedLine) throws(RequestLineError) -> Added {
        do throws(RequestLineError) {
            return try state.withLock { state throws(RequestLineError) in try state.add(line) }
        } catch {
            throw error.numbered(line.number)
        }
    }

    package func node(at position: Int) throws(LineSourceError) -> RequestLineGraph.Node {
        guard let node = state.withLock({ $0.nodes.removeValue(forKey: position) }) else {
            throw LineSourceError("line \(position + 1) has already run")
        }
        return node
    }

    package func id(at position: Int) -> String { state.withLock { $0.names.id(at: position) } }

    package func position(of id: String) -> Int? { state.withLock { $0.names.place(of: id) } }

    package func drop(_ position: Int) { state.withLock { $0.nodes[position] = nil } }
}

extension StreamedLines.State {
    fileprivate mutating func add(_ line: NumberedLine) throws(RequestLineError) -> StreamedLines.Added {
        if let earlier = names.place(ofDuplicate: line.line.id, number: line.number) {
            throw .duplicate(line.id, of: names.number(at: earlier))
        }
        let output = try outputs.output(of: line)
        let dependencies = try line.dependencies {
            names.place(of: $0) == nil ? "no earlier line has the id" : nil
        }
        let position = names.count
        _ = names.add(number: line.number, id: line.line.id)
        if let output { outputs.claim(output, for: line.number) }
        let node = RequestLineGraph.Node(line: line, dependencies: dependencies)
        nodes[position] = node
        return StreamedLines.Added(
            position: position, node: node, lane: RequestLine.lane(of: line.line.url),
            dependencies: dependencies.compactMap { names.place(of: $0) })
    }
}
