// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A report as one page of HTML: the machine and the versions, the plots, and a table for each case. The page loads
/// nothing else.
package struct ReportPage: Sendable {
    private let report: RunReport
    private let failures: [String]

    /// - Parameter failures: what was left out, one sentence each.
    package init(_ report: RunReport, failures: [String] = []) {
        self.report = report
        self.failures = failures
    }

    /// The text of the page.
    package var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Benchmarks of Bluebonnet</title>
        <style>
        body { font-family: sans-serif; line-height: 1.45; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
        svg { max-width: 100%; height: auto; }
        table { border-collapse: collapse; margin: 1rem 0; font-size: 0.85rem; display: block; overflow-x: auto; }
        th, td { border: 1px solid #cccccc; padding: 0.2rem 0.5rem; text-align: right; white-space: nowrap; }
        th:first-child, td:first-child { text-align: left; }
        </style>
        </head>
        <body>
        <h1>Benchmarks of Bluebonnet</h1>
        \(introduction)
        \(parts.joined(separator: "\n"))
        </body>
        </html>

        """
    }

    private var introduction: String {
        """
        <p>Medians of \(report.roundCount) rounds. Each contender runs in a process of its own, in another order in each \
        round, against one nginx on the same processors: compare figures of one page only. h2load is the ceiling: it \
        sends as fast as the server answers, and checks nothing. Latency is from the call that starts a request to its \
        handler; it is not shown for clients that queue all requests at once.</p>
        """
    }

    private var parts: [String] {
        let facts = report.environment.sorted { $0.key < $1.key }.map { [$0.key, $0.value] }
        let plots = ReportPlots(report).all.map { "<figure>\n\($0.svg)</figure>" }
        let cases = report.cases.map { "<h3>\(MarkupText.escaped($0.title))</h3>\n" + Self.table($0.rows) }
        return section("Machine and versions", [Self.table([["", "value"]] + facts)])
            + section("Plots", plots) + section("Builds", builds) + section("Figures", cases)
            + section("What has to hold", requirements)
            + section("Left out", failures.map { "<p>\(MarkupText.escaped($0))</p>" })
    }

    private var builds: [String] {
        guard !report.builds.isEmpty else { return [] }
        let rows = report.builds.map { [$0.title, Spread.text($0.wallSeconds, 1), Spread.text($0.cpuSeconds, 1)] }
        return [Self.table([["", "time, s", "CPU, s"]] + rows)]
    }

    private var requirements: [String] {
        guard !report.requirements.isEmpty else { return [] }
        let rows = report.requirements.map { [$0.claim, Spread.text($0.measured, 2), $0.isMet ? "yes" : "NO"] }
        return [Self.table([["", "measured", "met"]] + rows)]
    }

    private func section(_ title: String, _ contents: [String]) -> [String] {
        contents.isEmpty ? [] : ["<h2>\(title)</h2>"] + contents
    }

    /// - Parameter rows: the first one is the head.
    private static func table(_ rows: [[String]]) -> String {
        let lines = rows.enumerated().map { index, cells in
            let name = index == 0 ? "th" : "td"
            let cells = cells.map { "<\(name)>\(MarkupText.escaped($0))</\(name)>" }.joined()
            return "<tr>\(cells)</tr>"
        }
        return (["<table>"] + lines + ["</table>"]).joined(separator: "\n")
    }
}
