// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// A file of request lines that was checked as a whole. Each line is read again when it runs; only its place in the
/// file and its id stay in memory.
package final class BatchFile: LineSource {
    /// The places of the lines in the file, with their ids and order.
    struct Index: Sendable {
        var offsets: [Int] = []
        var byteCounts: [UInt32] = []
        /// Checksums of the texts, which detect a line that was changed after the check.
        var checksums: [UInt32] = []
        /// Whether each line has an `output`.
        var haveOutput: [Bool] = []
        var names = LineNames()
        /// The places of the lines in run order, dependencies first, and the inverse. Both are empty if the run order
        /// is the file's.
        var order: [UInt32] = []
        var positions: [UInt32] = []
        var readers = ElementReaders()
        /// The positions of lines with pages or elements.
        var parents: Set<Int> = []
        /// The positions of lines whose responses are streams of items.
        var streams: Set<Int> = []
        /// The values that the lines take from their responses.
        var uses = LineUses()
    }

    private let descriptor: CInt
    private let index: Index

    /// The number of lines.
    package var count: Int { index.offsets.count }

    /// The names of the values that the lines extract, each once and sorted.
    package var valueNames: [String] { index.uses.valueNames.keys.sorted().map(\.string) }

    /// The files with the elements of lines, each once and sorted.
    package var elementFiles: [String] { index.uses.elementFiles.sorted().map(\.string) }

    /// Whether a line remembers values.
    package var remembers: Bool { index.uses.remembers }

    /// Makes a file from its index. The caller keeps ownership of the descriptor, which must stay open.
    init(descriptor: CInt, _ index: Index) { (self.descriptor, self.index) = (descriptor, index) }

    package func node(at position: Int) throws(LineSourceError) -> RequestLineGraph.Node {
        let place = place(position)
        let number = index.names.number(at: place)
        guard let bytes = FileBytes.read(descriptor, Int(index.byteCounts[place]), at: index.offsets[place]),
            Self.checksum(bytes[...]) == index.checksums[place],
            let line = try? RequestLineParser().parse(bytes[...], number: number),
            let dependencies = try? line.dependencies({ _ in nil })
        else {
            throw LineSourceError("the request lines changed during the run: line \(number) is different")
        }
        return RequestLineGraph.Node(line: line, dependencies: dependencies)
    }

    package func canHaveOutput(at position: Int) -> Bool { index.haveOutput[place(position)] }

    package func hasParts(_ position: Int) -> Bool { index.parents.contains(position) }

    package func hasItems(_ position: Int) -> Bool { index.streams.contains(position) }

    package func readers(of position: Int) -> [Int] { index.readers.readers(of: position) }

    package func startsEarly(_ position: Int) -> Bool { index.readers.startsEarly(position) }

    package func isMentioned(_ id: String) -> Bool { index.names.isMentioned(id) }

    package func id(at position: Int) -> String { index.names.id(at: place(position)) }

    package func position(of id: String) -> Int? {
        index.names.place(of: id).map { index.positions.isEmpty ? $0 : Int(index.positions[$0]) }
    }

    /// Returns all lines, dependencies first.
    package func nodes() throws(LineSourceError) -> [RequestLineGraph.Node] {
        var nodes: [RequestLineGraph.Node] = []
        for position in 0..<count { nodes.append(try node(at: position)) }
        return nodes
    }

    private func place(_ position: Int) -> Int { index.order.isEmpty ? position : Int(index.order[position]) }

    /// Returns a checksum that differs between runs of the process.
    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }
}
