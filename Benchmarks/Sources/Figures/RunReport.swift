// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// A whole run's outcome: what is written as JSON, and what text and plot are made of.
package struct RunReport: Codable, Sendable {
    /// What it ran on and with which versions, by name.
    package let environment: [String: String]
    package let roundCount: Int
    package let cases: [CaseReport]
    package let requirements: [RequirementOutcome]

    /// - Parameter more: what was measured by other means than the cases.
    package init(
        environment: [String: String], roundCount: Int, cases: [CaseReport], more: [RequirementOutcome] = []
    ) {
        self.environment = environment
        self.roundCount = roundCount
        self.cases = cases
        requirements = Requirement.all.compactMap { $0.outcome(in: cases) } + more
    }

    /// As JSON, one line for each name, names in order.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(self) + Data("\n".utf8)
    }

    /// What has to hold and whether it does.
    package var requirementText: String {
        let rows = requirements.map { [$0.claim, Spread.text($0.measured, 2), $0.isMet ? "yes" : "NO"] }
        return TextTable(rows: [["what has to hold", "measured", "met"]] + rows).lines.joined(separator: "\n")
    }

    /// A table of mixed requests for each number of origins that was measured.
    package var throughputTexts: [String] {
        [Work.mixed, .mixedOneOrigin].compactMap { ThroughputTable($0, cases)?.text }
    }

    /// Requests a second and CPU time over the requests in flight, for the GETs of 13 bytes over one wire; nil when
    /// fewer than two concurrencies were measured.
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
