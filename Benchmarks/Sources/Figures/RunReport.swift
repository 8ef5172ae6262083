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
    package let builds: [BuildFigure]

    /// - Parameters:
    ///   - builds: the times of clean builds; empty if they were not measured.
    ///   - more: requirements that were measured outside the cases.
    package init(
        environment: [String: String], roundCount: Int, cases: [CaseReport], builds: [BuildFigure] = [],
        more: [RequirementOutcome] = []
    ) {
        self.environment = environment
        self.roundCount = roundCount
        self.cases = cases
        self.builds = builds
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
}
