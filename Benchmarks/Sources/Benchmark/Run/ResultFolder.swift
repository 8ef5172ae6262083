// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation

/// The folder of a run's results: a page, the figures as JSON and as text, and the plots as files.
struct ResultFolder {
    let path: String

    /// Makes the folder. Called before any measurement, so that a wrong path costs no time.
    func make() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// - Parameter name: the name of the files with figures, without an extension.
    func write(_ report: RunReport, _ failures: [String], name: String = "figures") throws {
        try write(try report.json(), to: "\(name).json")
        let facts = report.environment.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        let tables = report.cases.map(\.text) + report.throughputTexts
        let parts =
            [facts.joined(separator: "\n")] + tables + (report.requirements.isEmpty ? [] : [report.requirementText])
            + failures
        try write(Data((parts.joined(separator: "\n\n") + "\n").utf8), to: "\(name).txt")
        for plot in ReportPlots(report).all { try write(Data(plot.svg.utf8), to: "\(plot.name).svg") }
        if name == "figures" { try write(Data(ReportPage(report, failures: failures).html.utf8), to: "index.html") }
    }

    private func write(_ data: Data, to name: String) throws {
        try data.write(to: URL(fileURLWithPath: path).appendingPathComponent(name))
    }
}
