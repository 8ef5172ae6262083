// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// The input of a run: a checked batch, or a stream of lines.
enum RunInput {
    case batch(CheckedBatch)
    case stream(StreamReader, StreamedLines, LineRules)

    /// - Parameters:
    ///   - limits: the limits on the number of lines that are operations at once.
    ///   - reserved: the files that no line may write.
    ///   - rules: the fields that the options permit.
    ///   - onBytes: receives the whole text of a file, piece by piece.
    /// - Throws: all errors of the lines of a file. The lines of a stream are not read yet.
    init(
        _ source: InputSource, control: StopControl, limits: LineSchedule.Limits, reserved: [ReservedPath],
        rules: LineRules, onBytes: (UnsafeRawBufferPointer) -> Void
    ) throws(CommandError) {
        switch source {
        case .file(let file):
            self = .batch(try CheckedBatch(file, limits: limits, reserved: reserved, rules: rules, onBytes: onBytes))
        case .stream(let input):
            do throws(SystemError) {
                self = .stream(try StreamReader(input, control: control), StreamedLines(reserved: reserved), rules)
            } catch {
                throw .unusable("cannot read the request lines: \(error)")
            }
        }
    }

    /// The lines read so far.
    var lines: any LineSource {
        switch self {
        case .batch(let batch): batch.file
        case .stream(_, let lines, _): lines
        }
    }

    /// The names of the values that the lines extract; nil for a stream, whose lines are not known.
    var valueNames: [String]? {
        if case .batch(let batch) = self { batch.file.valueNames } else { nil }
    }

    /// Whether a line remembers values, or may do so.
    var mayRemember: Bool {
        if case .batch(let batch) = self { batch.file.remembers } else { true }
    }

    /// Removes and returns the schedule of all lines; nil for a stream. Call this once.
    func removeSchedule() -> LineSchedule? {
        if case .batch(let batch) = self { batch.removeSchedule() } else { nil }
    }

    /// Returns all lines, dependencies first. Memory use grows with their number.
    func nodes() throws(CommandError) -> [RequestLineGraph.Node] {
        switch self {
        case .batch(let batch):
            do throws(LineSourceError) {
                return try batch.file.nodes()
            } catch {
                throw .unusable(error.message)
            }
        case .stream(let reader, let lines, let rules):
            var nodes: [RequestLineGraph.Node] = []
            var batch = StreamedBatch(lines, rules)
            try batch.read(reader) { nodes.append($0.node) }
            return nodes
        }
    }
}
