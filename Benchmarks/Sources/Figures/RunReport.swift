// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// The results of a whole run, which are written as JSON, and from which text and plots are made.
package struct RunReport: Codable, Sendable {
    /// The system and the versions of the run, by name.
    package let environment: [String: String]
    package let roundCount: Int
    package let cases: [CaseReport]
    package let requirements: [RequirementOutcome]

    /// - Parameter more: requirements that were measured outside the cases.
    package init(
        environment: [String: String], roundCount: Int, cases: [CaseReport], more: [RequirementOutcome] = []
    ) {
        self.environment = environment
        self.roundCount = roundCount
        self.cases = cases
        requirements = Requirement.all.compactMap { $0.outcome(in: cases) } + more
    }

    /// Returns the report as JSON, one line for each name, with sorted names.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(self) + Data("\n".utf8)
    }

    /// The table of requirements and whether they are met.
    package var requirementText: String {
        let rows = requirements.map { [$0.claim, Spread.text($0.measured, 2), $0.isMet ? "yes" : "NO"] }
        return TextTable(rows: [["what has to hold", "measured", "met"]] + rows).lines.joined(separator: "\n")
    }

    /// The tables of mixed requests, one for each measured number of origins.
    package var throughputTexts: [String] {
        [Work.mixed, .mixedOneOrigin].compactMap { ThroughputTable($0, cases)?.text }
    }

    /// Returns a plot of requests per second and CPU time over the number of requests in flight, for the GETs of 13
    /// bytes over one wire; nil if fewer than two concurrencies were measured.
    package func plot(_ wire: Wire) -> LinePlot? {
        let cases = cases.filter { $0.testCase.work == .tiny && $0.testCase.wire == wire }
            .sorted { $0.testCase.concurrency < $1.testCase.concurrency }
        guard cases.count > 1 else { return nil }
        return LinePlot(
            title: "GET of 13 bytes over \(wire.title)", categories: cases.map { "\($0.testCase.concurrency)" },
            categoryTitle: "requests in flight",
            panels: [
                Self.panel(cases, .requestsPerSecond, title: "requests a second"),
                Self.panel(
                    cases, .cpuMicrosecondsPerRequest, title: "CPU µs a request, log scale", isLogarithmic: true),
            ])
    }

    private static func panel(
        _ cases: [CaseReport], _ metric: Metric, title: String, isLogarithmic: Bool = false
    ) -> LinePlot.Panel {
        let lines = Contender.clients.compactMap { contender -> LinePlot.Line? in
            let values = cases.map { $0[contender]?.figures[metric.rawValue]?.median }
            guard values.contains(where: { $0 != nil }) else { return nil }
            return LinePlot.Line(title: contender.title, values: values)
        }
        return LinePlot.Panel(title: title, isLogarithmic: isLogarithmic, lines: lines)
    }
}
