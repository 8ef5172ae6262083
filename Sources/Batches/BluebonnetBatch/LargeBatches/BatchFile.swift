// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// A file of request lines that was checked as a whole. Lines are read when they are run: what is in memory of each is
/// its place, and its id.
package final class BatchFile: LineSource {
    /// The places of the lines in the file.
    struct Index: Sendable {
        var offsets: [Int] = []
        var byteCounts: [UInt32] = []
        /// Identifies a line, should its place have another text.
        var checksums: [UInt32] = []
        /// Whether a line has an `output`.
        var haveOutput: [Bool] = []
        var names = LineNames()
        /// The places of the lines, dependencies first, and the positions in that order; empty when it is the file's.
        var order: [UInt32] = []
        var positions: [UInt32] = []
    }

    private let descriptor: CInt
    private let index: Index

    /// The number of lines.
    package var count: Int { index.offsets.count }

    /// Makes a file of what was found in it. The descriptor stays its owner's, and open.
    init(descriptor: CInt, _ index: Index) { (self.descriptor, self.index) = (descriptor, index) }

    package func node(at position: Int) throws(LineSourceError) -> RequestLineGraph.Node {
        let place = place(position)
        let number = index.names.number(at: place)
        guard let bytes = FileBytes.read(descriptor, Int(index.byteCounts[place]), at: index.offsets[place]),
            Self.checksum(bytes[...]) == index.checksums[place],
            let line = try? RequestLineParser().parse(bytes[...], number: number),
            let dependencies = try? line.dependencies({ _ in nil })
        else {
            throw LineSourceError("the request lines were changed during the run: line \(number) is another one")
        }
        return RequestLineGraph.Node(line: line, dependencies: dependencies)
    }

    package func mayHaveOutput(at position: Int) -> Bool { index.haveOutput[place(position)] }

    package func id(at position: Int) -> String { index.names.id(at: place(position)) }

    package func position(of id: String) -> Int? {
        index.names.place(of: id).map { index.positions.isEmpty ? $0 : Int(index.positions[$0]) }
    }

    /// All lines, dependencies first.
    package func nodes() throws(LineSourceError) -> [RequestLineGraph.Node] {
        var nodes: [RequestLineGraph.Node] = []
        for position in 0..<count { nodes.append(try node(at: position)) }
        return nodes
    }

    private func place(_ position: Int) -> Int { index.order.isEmpty ? position : Int(index.order[position]) }

    /// Differs between runs of the process.
    static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }
}
