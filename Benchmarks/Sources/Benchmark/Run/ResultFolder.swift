// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation

/// Where a run's results are written: the figures as JSON and as text, and a plot for each wire.
struct ResultFolder {
    let path: String

    /// Makes it before anything is measured, so that a wrong path costs no time.
    func make() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func write(_ report: RunReport, _ failures: [String]) throws {
        try write(try report.json(), to: "figures.json")
        let facts = report.environment.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        let parts = [facts.joined(separator: "\n")] + report.cases.map(\.text) + [report.requirementText] + failures
        try write(Data((parts.joined(separator: "\n\n") + "\n").utf8), to: "figures.txt")
        for wire in Wire.allCases {
            guard let plot = report.plot(wire) else { continue }
            try write(Data(plot.svg.utf8), to: "throughput-\(wire.rawValue).svg")
        }
    }

    private func write(_ data: Data, to name: String) throws {
        try data.write(to: URL(fileURLWithPath: path).appendingPathComponent(name))
    }
}
