// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A checked batch as a store takes it: one line after the other, of which none has to be in memory.
package struct SubmittedLines: Sendable {
    /// The lines, dependencies first.
    package let source: any LineSource
    /// Whether other lines refer to what a line returns, by its position.
    private let areReferenced: [Bool]

    /// Takes lines with the schedule of all of them.
    package init(_ source: any LineSource, _ schedule: LineSchedule) {
        self.source = source
        areReferenced = (0..<schedule.count).map { schedule.isReferenced($0) }
    }

    /// Takes lines that are all in memory, dependencies first.
    package init(_ nodes: [RequestLineGraph.Node]) {
        let lines = ListedLines(nodes)
        self.init(lines, lines.schedule(LineSchedule.Limits(concurrency: 1, concurrencyPerOrigin: 1)))
    }

    /// The number of lines.
    package var count: Int { areReferenced.count }

    /// Whether other lines refer to what the line at a position returns.
    package func isReferenced(_ position: Int) -> Bool { areReferenced[position] }
}
