// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// Formats the results of a run as a Markdown section for a page of the documentation.
package struct ComparisonTable: Sendable {
    private let results: Results

    package init(_ results: Results) { self.results = results }

    /// The heading of the section.
    package static let heading = "## Results"

    /// The text of the section.
    package var text: String {
        ([Self.heading, "", totals, "", groups] + results.clients.map(failures)).joined(separator: "\n") + "\n"
    }

    /// Returns a page with its section replaced, or only the section if there is no page yet.
    package static func page(_ old: String?, with section: String) -> String {
        guard let old, let start = old.range(of: heading + "\n") else { return (old.map { $0 + "\n" } ?? "") + section }
        return String(old[..<start.lowerBound]) + section
    }

    private var totals: String {
        let head = [
            "", "version", "cases", "passed", "wrong successes", "hangs", "crashes", "other failures", "not offered",
        ]
        let rows = results.clients.map { client in
            let tally = Tally(entries(client).map(\.verdict))
            return [client.title, results.versions[client] ?? "unknown", "\(tally.count)"]
                + tally.figures.map { "\($0)" }
        }
        return Self.table([head] + rows)
    }

    private var groups: String {
        let head = ["group", "cases"] + results.clients.map(\.title)
        let rows = FaultCase.Group.allCases.compactMap { group in row(group) }
        return Self.table([head] + rows)
    }

    private func row(_ group: FaultCase.Group) -> [String]? {
        let names = Set(results.entries.filter { $0.testCase.group == group }.map(\.testCase.name))
        guard !names.isEmpty else { return nil }
        let cells = results.clients.map { client in
            Tally(entries(client).filter { $0.testCase.group == group }.map(\.verdict)).words
        }
        return [group.rawValue, "\(names.count)"] + cells
    }

    private func entries(_ client: Client) -> [Results.Entry] { results.entries.filter { $0.client == client } }

    /// Returns the failures of a client in cases that it offers.
    private func failures(_ client: Client) -> String {
        let rows = entries(client).compactMap { entry -> [String]? in
            let kind =
                switch entry.verdict {
                case .passed, .notOffered: ""
                case .wrongSuccess: "wrong success"
                case .hang: "hang"
                case .crash: "crash"
                case .otherFailure: "other failure"
                }
            guard !kind.isEmpty else { return nil }
            return ["`\(entry.testCase.name)`", entry.testCase.rule, kind, Self.cell(entry.verdict.reason ?? "")]
        }
        let title = "\n### \(client.title)\n\n"
        let heads = ["case", "what has to be so", "result", "what happened"]
        return title + (rows.isEmpty ? "Nothing failed." : Self.table([heads] + rows)) + notOffered(by: client)
    }

    /// Returns the cases that a client does not offer, by reason; empty if there are none.
    private func notOffered(by client: Client) -> String {
        var lines: [(reason: String, cases: [String])] = []
        for entry in entries(client) {
            guard case .notOffered(let text) = entry.verdict else { continue }
            let reason = Self.cell(text)
            let index = lines.firstIndex { $0.reason == reason } ?? lines.count
            if index == lines.count { lines.append((reason, [])) }
            lines[index].cases.append("`\(entry.testCase.name)`")
        }
        guard !lines.isEmpty else { return "" }
        return "\n\nNot offered:\n"
            + lines.map { "\n- \($0.cases.joined(separator: ", ")): \($0.reason)" }.joined()
    }

    /// Returns the text as one line, without characters that have a meaning in tables.
    private static func cell(_ text: String) -> String {
        let line = String(text.map { $0.isNewline ? " " : $0 }.filter { !$0.isASCII || $0 >= " " })
        let plain = line.replacing("|", with: "/").replacing("`", with: "'").replacing("<", with: "‹")
        // Ports differ between runs.
        let steady = plain.replacing(#/(127\.0\.0\.1|localhost)([: ]|port )*\d{4,5}/#) { $0.1 + ":PORT" }
        return steady.count > 160 ? steady.prefix(157) + "…" : steady
    }

    private static func table(_ rows: [[String]]) -> String {
        let lines = rows.map { "| " + $0.joined(separator: " | ") + " |" }
        let rule = "|" + String(repeating: "---|", count: rows.first?.count ?? 0)
        return ([lines.first ?? "", rule] + lines.dropFirst()).joined(separator: "\n")
    }
}
