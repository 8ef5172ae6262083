// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetFleet
import Foundation

/// Composes the HTML report: one page without scripts and without other files.
struct HTMLReport {
    let statistics: ReportStatistics
    /// The name of the request lines.
    let name: String
    /// The duration of the run, in seconds.
    let elapsed: Double
    let start: Date
    /// Whether a signal or an error ended the run early.
    let isPartial: Bool

    /// The page, with a line end.
    var text: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>\(Self.escaped(name)): run report</title>
        <style>
        \(HTMLStyle.text)
        </style>
        </head>
        <body>
        <main>
        \(sections.joined(separator: "\n"))
        </main>
        </body>
        </html>

        """
    }

    private var sections: [String] {
        [heading, outcomes, timeline, failures, slowLines, origins].filter { !$0.isEmpty }
    }

    static func escaped(_ text: String) -> String { MarkupText.escaped(text) }
}

// MARK: - Overview

extension HTMLReport {
    private var heading: String {
        let total = statistics.totalCount
        let recorded = statistics.recordedCount
        let sent = statistics.requestCount
        let perSecond = elapsed > 0 ? Double(sent) / elapsed : 0
        let rate = perSecond > 0 ? ", \(Quantity.requestsPerSecond(perSecond))" : ""
        let requests = Quantity.count(sent, "request")
        let count = sent == total ? requests : "\(Quantity.count(total, "result")) of \(requests)"
        let notes = [
            isPartial ? "The run ended early." : "",
            recorded > 0 ? "\(Quantity.count(recorded, "result")) from earlier runs of the journal." : "",
        ].filter { !$0.isEmpty }
        return """
            <h1>\(Self.escaped(name))</h1>
            <p>\(count) in \(Quantity.elapsed(elapsed))\(rate). \
            <span class="date">\(EventText.date(start).prefix(16).replacing("T", with: " ")) UTC</span></p>
            """ + notes.map { "\n<p class=\"note\">\($0)</p>" }.joined()
    }

    private static let words: [(outcome: ResultLine.Outcome, word: String)] = [
        (.success, "succeeded"), (.failure, "failed"), (.unknown, "unknown"), (.cancelled, "cancelled"),
        (.skipped, "skipped"),
    ]

    private var outcomes: String {
        var (parts, tiles) = ([String](), [String]())
        for (outcome, word) in Self.words {
            let (count, name) = (statistics.counts[outcome] ?? 0, outcome.rawValue)
            if count > 0 { parts.append("<i class=\"\(name)\" style=\"flex-grow:\(count)\"></i>") }
            if count > 0 || outcome == .success || outcome == .failure {
                tiles.append("<li class=\"\(name)\"><b>\(count)</b> \(word)</li>")
            }
        }
        return """
            <ul class="outcomes">
            \(tiles.joined(separator: "\n"))
            </ul>
            <div class="shares" aria-hidden="true">\(parts.joined())</div>
            """
    }

    private var timeline: String {
        let chart = TimelineChart(timeline: statistics.timeline)
        guard !chart.isEmpty else { return "" }
        return """
            <h2>Requests over time</h2>
            \(chart.text)
            """
    }
}

// MARK: - Tables

extension HTMLReport {
    private var failures: String {
        let groups = statistics.failures.groups.map { group in
            let rows = group.samples.map { sample in
                ["<td class=\"id\">\(Self.escaped(sample.id))", "<td>\(Self.escaped(sample.message))"]
            }
            let hidden = group.count - group.samples.count
            let more = hidden > 0 ? "\n<p class=\"note\">and \(hidden) more</p>" : ""
            return "<h3>\(Self.escaped(group.title)) <small>\(group.count)</small></h3>\n"
                + Self.table(["line", "message"], rows) + more
        }
        return groups.isEmpty ? "" : "<h2>Failures</h2>\n" + groups.joined(separator: "\n")
    }

    private var slowLines: String {
        let rows = statistics.slowLines.map { line in
            [
                "<td class=\"id\">\(Self.escaped(line.id))", "<td class=\"number\">\(EventText.duration(line.seconds))",
                "<td class=\"\(line.outcome.rawValue)\">\(line.outcome.rawValue)",
                "<td class=\"url\">\(Self.escaped(line.url))",
            ]
        }
        return rows.isEmpty ? "" : "<h2>Slowest lines</h2>\n" + Self.table(["line", "time", "outcome", "URL"], rows)
    }

    private var origins: String {
        let rows = statistics.slowOrigins.map { origin in
            [
                "<td class=\"url\">\(Self.escaped(origin.name))", "<td class=\"number\">\(origin.count)",
                "<td class=\"number\">\(EventText.duration(origin.median))",
                "<td class=\"number\">\(EventText.duration(origin.p95))",
            ]
        }
        return rows.isEmpty
            ? "" : "<h2>Slowest origins</h2>\n" + Self.table(["origin", "requests", "p50", "p95"], rows)
    }

    /// Returns a table.
    ///
    /// - Parameter rows: the cells of each row, without their end tags.
    private static func table(_ titles: [String], _ rows: [[String]]) -> String {
        let head = titles.map { "<th scope=\"col\">\($0)</th>" }.joined()
        let lines = rows.map { "<tr>" + $0.map { "\($0)</td>" }.joined() + "</tr>" }
        return """
            <div class="table"><table>
            <thead><tr>\(head)</tr></thead>
            <tbody>
            \(lines.joined(separator: "\n"))
            </tbody>
            </table></div>
            """
    }
}
