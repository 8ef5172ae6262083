// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetHTTP

/// The lines of a checked batch for a store, which reads them one by one, so that they need not all be in memory.
package struct SubmittedLines: Sendable {
    /// The lines, dependencies first.
    package let source: any LineSource
    /// Whether other lines refer to a line's response, by position.
    private let areReferenced: [Bool]

    /// Makes the lines from a source and the schedule of all of them.
    package init(_ source: any LineSource, _ schedule: LineSchedule) {
        self.source = source
        areReferenced = (0..<schedule.count).map { schedule.isReferenced($0) }
    }

    /// Makes the lines from nodes in memory, dependencies first.
    package init(_ nodes: [RequestLineGraph.Node]) {
        let lines = ListedLines(nodes)
        self.init(lines, lines.schedule(LineSchedule.Limits(concurrency: 1, concurrencyPerOrigin: 1)))
    }

    /// Returns the field of a line that a fleet does not run; nil if it runs the line.
    package static func unsupportedField(_ line: RequestLine) -> String? {
        guard let pipeline = line.boxedPipeline?.value else { return nil }
        if pipeline.stream != nil { return "stream" }
        return pipeline.remember.isEmpty ? nil : "remember"
    }

    /// The number of lines.
    package var count: Int { areReferenced.count }

    /// Returns whether other lines refer to the response of the line at a position.
    package func isReferenced(_ position: Int) -> Bool { areReferenced[position] }
}
