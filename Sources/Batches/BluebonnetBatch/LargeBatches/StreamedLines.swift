// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Bluebonnet
internal import BluebonnetLocks
internal import BluebonnetPipelines

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
        /// The lines with pages or elements, by position, with their items.
        var parents: [Int: JSONPath] = [:]
        /// The positions of the lines whose responses are streams of items.
        var streams: Set<Int> = []
        var referable = ReferablePartsTable()
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

    package func hasParts(_ position: Int) -> Bool { state.withLock { $0.parents[position] != nil } }

    package func hasItems(_ position: Int) -> Bool { state.withLock { $0.streams.contains(position) } }

    package func itemPath(of position: Int) -> JSONPath { state.withLock { $0.parents[position] } ?? .elements }

    /// A line that uses the responses of another one may still come.
    package var keepsResponses: Bool { true }

    package func drop(_ position: Int) { state.withLock { $0.nodes[position] = nil } }
}

extension StreamedLines.State {
    fileprivate mutating func add(_ line: NumberedLine) throws(RequestLineError) -> StreamedLines.Added {
        if let earlier = names.place(ofDuplicate: line.line.id, number: line.number) {
            throw .duplicate(line.id, of: names.number(at: earlier))
        }
        try checkID(line)
        let output = try outputs.output(of: line)
        let dependencies = try line.dependencies {
            names.place(of: $0) == nil ? "no earlier line has the id" : nil
        }
        if !dependencies.isEmpty {
            try line.line.checkReferences { id in
                names.place(of: id).map { (parts: referable[$0], isPage: names.isPage(id, at: $0)) }
            }
        }
        let position = names.count
        let parts = LineParts(line.line)
        if line.line.boxedPipeline != nil || line.line.output != nil {
            referable.add(ReferableParts(line.line), at: position)
        }
        _ = names.add(number: line.number, id: line.line.id, isPaged: parts?.isPaged ?? false)
        if parts != nil { parents[position] = line.line.boxedPipeline?.value.paginate?.itemPath ?? .elements }
        if line.line.hasItems { streams.insert(position) }
        if let output { outputs.claim(output, for: line.number) }
        let node = RequestLineGraph.Node(line: line, dependencies: dependencies)
        nodes[position] = node
        return StreamedLines.Added(
            position: position, node: node, lane: RequestLine.lane(of: line.line.url),
            dependencies: dependencies.compactMap { names.place(of: $0) }.unique)
    }

    /// Checks the name of an element, and the ids that pages and elements could get.
    private func checkID(_ line: NumberedLine) throws(RequestLineError) {
        if let name = line.line.elementName, let other = names.place(of: name) {
            throw .elementName(name, of: names.number(at: other))
        }
        guard !parents.isEmpty else { return }
        let owner = PageID.possibleLines(of: line.id).lazy.compactMap { [names] in names.place(of: $0) }
            .first { [parents] in parents[$0] != nil }
        if let owner { throw .ambiguous(line.id, of: names.number(at: owner)) }
    }
}
