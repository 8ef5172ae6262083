// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetBatch
@testable import BluebonnetCommand

@Suite struct HTMLReportTests {
    private func page(
        _ results: [ResultFacts], name: String = "lines.ndjson", isPartial: Bool = false
    ) -> String {
        var statistics = ReportStatistics()
        for result in results { statistics.record(result, at: 0.5) }
        return HTMLReport(
            statistics: statistics, name: name, elapsed: 2, start: Date(timeIntervalSince1970: 0), isPartial: isPartial
        ).text
    }

    /// The elements of a page are balanced: each end tag belongs to the latest open element.
    private func isBalanced(_ page: String) -> Bool {
        var open: [Substring] = []
        for match in page.matches(of: /<(\/?)([a-z][a-z0-9]*)[^>]*?(\/?)>/) {
            let (_, slash, name, end) = match.output
            if name == "meta" || !end.isEmpty { continue }
            if slash.isEmpty {
                open.append(name)
            } else if open.popLast() != name {
                return false
            }
        }
        return open.isEmpty
    }

    private static let results: [ResultFacts] = [
        .sample("a/1", .success, seconds: 0.2, url: "http://h/a"),
        .sample("b", .failure, seconds: 1, code: "timedOut", message: "too late", url: "http://h/b"),
        .sample("c", .skipped, code: "dependencyFailed", message: "b failed"),
    ]

    @Test func pageHasEachPartOfTheReport() {
        let page = page(Self.results)
        #expect(isBalanced(page))
        #expect(page.hasPrefix("<!DOCTYPE html>\n"))
        for part in [
            "<h1>lines.ndjson</h1>", "3 results of 2 requests in 2.0 s, 1.0 req/s", "1970-01-01 00:00 UTC",
            "<b>1</b> succeeded", "<b>1</b> failed", "<b>1</b> skipped", "timedOut <small>1</small>", "too late",
            "Slowest lines", "http://h/b", "Slowest origins", "<svg ",
        ] { #expect(page.contains(part), "\(part)") }
        #expect(!page.contains("<b>0</b> cancelled"))
    }

    @Test func emptyRunHasOnlyCounts() {
        let page = page([])
        #expect(isBalanced(page))
        #expect(page.contains("0 requests in 2.0 s") && page.contains("<b>0</b> succeeded"))
        for part in ["Failures", "Slowest", "<svg", "<table"] { #expect(!page.contains(part)) }
    }

    @Test func pageNeedsNothingElse() {
        let page = page(Self.results)
        for part in ["<script", "<link", "<img", "@import", "src=", "href=", "url(", "onload"] {
            #expect(!page.contains(part))
        }
        #expect(page.contains("default-src 'none'"))
        #expect(page.contains("prefers-color-scheme: dark") && page.contains("width=device-width"))
    }

    @Test func everyTextIsEscaped() {
        let evil = "</td><script>alert('x')</script>&\"\u{1B}"
        let results: [ResultFacts] = [
            .sample(evil, .failure, seconds: 1, code: evil, message: evil, url: "http://h/\(evil)"),
            .sample("b", .success, seconds: 1, url: "http://\(evil)/"),
        ]
        let page = page(results, name: evil)
        #expect(isBalanced(page))
        #expect(!page.contains("<script") && !page.contains("\u{1B}"))
        #expect(page.contains("&lt;/td&gt;&lt;script&gt;"))
    }

    @Test func earlyEndAndRecordedResultsAreNoted() {
        var recorded = Self.results
        recorded[0].isFromJournal = true
        let page = page(recorded, isPartial: true)
        #expect(page.contains("The run ended early."))
        #expect(page.contains("1 result from earlier runs of the journal."))
        #expect(page.contains("3 results of 1 request in 2.0 s, 0.5 req/s"))
    }

    @Test func hiddenFailuresAreCounted() {
        let results = (0..<12).map { ResultFacts.sample("\($0)", .failure, code: "timedOut", message: "m") }
        #expect(page(results).contains("and 2 more"))
    }
}
