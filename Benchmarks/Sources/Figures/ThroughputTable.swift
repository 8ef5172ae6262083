// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A table of the requests per second of each contender over the number in flight, for one work. It includes the
/// medians of the rounds' ratios to libcurl in C and to async-http-client.
package struct ThroughputTable: Sendable {
    private let title: String
    private let cases: [CaseReport]

    /// Makes a table from the reports of one work over HTTP/1.1; nil without such reports.
    package init?(_ work: Work, _ reports: [CaseReport]) {
        cases = reports.filter { $0.testCase.work == work && $0.testCase.wire == .plain && !$0.columns.isEmpty }
            .sorted { $0.testCase.concurrency < $1.testCase.concurrency }
        guard !cases.isEmpty else { return nil }
        title = "\(work.title), requests/s in the medians, and the medians of the rounds' ratios"
    }

    package var text: String {
        let rows = [head] + Contender.allCases.filter(tookPart).map(row)
        return ([title] + TextTable(rows: rows).lines.map { "  " + $0 }).joined(separator: "\n")
    }

    private var head: [String] {
        [""] + cases.flatMap { ["\($0.testCase.concurrency) in flight", "of libcurl", "× a-h-c"] }
    }

    private func tookPart(_ contender: Contender) -> Bool { cases.contains { $0[contender] != nil } }

    private func row(_ contender: Contender) -> [String] {
        [contender.title] + cases.flatMap { cells($0[contender]) }
    }

    private func cells(_ column: CaseReport.Column?) -> [String] {
        let metric = Metric.requestsPerSecond.rawValue
        let figures = [
            column?.figures[metric].map { Spread.text($0.median, Metric.requestsPerSecond.fractionDigits) },
            column?.ratiosToLimit[metric].map { Spread.text($0.median, 2) },
            column?.ratiosToPeer[metric].map { Spread.text($0.median, 2) },
        ]
        return figures.map { $0 ?? "–" }
    }
}
