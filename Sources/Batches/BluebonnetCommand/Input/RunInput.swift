// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// The input of a run: all of its lines, or a stream of lines.
enum RunInput {
    case batch(CheckedBatch)
    case stream(StreamReader, StreamedLines)

    /// - Parameters:
    ///   - limits: how many lines are operations at once.
    ///   - reserved: files that no line may write.
    ///   - onBytes: is given the whole text of a file, piece by piece.
    /// - Throws: everything that is wrong with the lines of a file; the lines of a stream are not read yet.
    init(
        _ source: InputSource, control: StopControl, limits: LineSchedule.Limits, reserved: [ReservedPath],
        onBytes: (UnsafeRawBufferPointer) -> Void
    ) throws(CommandError) {
        switch source {
        case .file(let file):
            self = .batch(try CheckedBatch(file, limits: limits, reserved: reserved, onBytes: onBytes))
        case .stream(let input):
            do throws(SystemError) {
                self = .stream(try StreamReader(input, control: control), StreamedLines(reserved: reserved))
            } catch {
                throw .unusable("cannot read the request lines: \(error)")
            }
        }
    }

    /// The lines as far as they are there.
    var lines: any LineSource {
        switch self {
        case .batch(let batch): batch.file
        case .stream(_, let lines): lines
        }
    }

    /// Gives the schedule of all lines away; nil when they come later. To be called once.
    func takeSchedule() -> LineSchedule? {
        if case .batch(let batch) = self { batch.takeSchedule() } else { nil }
    }

    /// All lines, those that others need first: as many values as there are lines.
    func nodes() throws(CommandError) -> [RequestLineGraph.Node] {
        switch self {
        case .batch(let batch):
            do throws(LineSourceError) {
                return try batch.file.nodes()
            } catch {
                throw .unusable(error.message)
            }
        case .stream(let reader, let lines):
            var nodes: [RequestLineGraph.Node] = []
            var batch = StreamedBatch(lines)
            try batch.read(reader) { nodes.append($0.node) }
            return nodes
        }
    }
}
