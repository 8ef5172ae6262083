// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetFleet
import Foundation
import Testing

@testable import BluebonnetBatch
@testable import BluebonnetCommand

@Suite struct ReportStatisticsTests {
    @Test func failuresAreGroupedByCodeAndStatusWithTenSamples() {
        var statistics = ReportStatistics()
        for number in 0..<12 {
            statistics.record(.sample("t\(number)", .failure, code: "timedOut", message: "m\(number)"), at: 0)
        }
        statistics.record(.sample("u", .unknown, code: "mayHaveBeenSent", message: "lost"), at: 0)
        for status in [503, 404, 503] {
            statistics.record(.sample("x", .failure, code: "unacceptableStatus", status: status), at: 0)
        }
        statistics.record(.sample("s", .skipped, code: "dependencyFailed"), at: 0)
        let groups = statistics.failures.groups
        let titles = ["timedOut", "unacceptableStatus (503)", "mayHaveBeenSent", "unacceptableStatus (404)"]
        #expect(groups.map(\.title) == titles && groups.map(\.count) == [12, 2, 1, 1])
        #expect(groups[0].samples.map(\.id) == (0..<10).map { "t\($0)" })
        #expect(statistics.totalCount == 17)
    }

    @Test func slowestTwentyLinesAreKeptInOrder() {
        var statistics = ReportStatistics()
        for number in (0..<30).shuffled() {
            statistics.record(.sample("\(number)", .success, seconds: Double(number), url: "http://h/"), at: 0)
        }
        #expect(statistics.slowLines.map(\.seconds) == (10..<30).reversed().map(Double.init))
    }

    @Test func originsAreSortedByTheir95thPercentile() {
        var statistics = ReportStatistics()
        for _ in 0..<20 { statistics.record(.sample("a", .success, seconds: 0.1, url: "http://fast/x?y"), at: 0) }
        for _ in 0..<20 { statistics.record(.sample("b", .failure, seconds: 2, url: "http://slow:81/"), at: 0) }
        statistics.record(.sample("c", .failure, seconds: 9), at: 0)
        let origins = statistics.slowOrigins
        #expect(origins.map(\.name) == ["http://slow:81", "http://fast"])
        #expect(origins.map(\.count) == [20, 20])
        #expect(abs(origins[0].p95 - 2) <= 0.04 && abs(origins[1].median - 0.1) <= 0.002)
    }

    @Test func manyOriginsCountTogether() {
        var statistics = ReportStatistics()
        for number in 0..<300 {
            statistics.record(.sample("a", .success, seconds: 1, url: "http://h\(number)/"), at: 0)
        }
        for _ in 0..<10 { statistics.record(.sample("a", .success, seconds: 50, url: "http://last/"), at: 0) }
        #expect(statistics.slowOrigins.first?.name == "other origins")
        #expect(statistics.slowOrigins.first?.count == 300 - ReportStatistics.originLimit + 10)
        #expect(statistics.slowOrigins.count == ReportStatistics.shownOriginCount)
    }

    @Test func timelineHasRequestsOfThisRunOnly() {
        var statistics = ReportStatistics()
        var recorded = ResultFacts.sample("a", .success, seconds: 1)
        recorded.isFromJournal = true
        statistics.record(recorded, at: 0)
        statistics.record(.sample("b", .skipped), at: 0)
        #expect(statistics.timeline.intervals.isEmpty && statistics.recordedCount == 1)
        statistics.record(.sample("c", .failure, seconds: 1), at: 0)
        #expect(statistics.timeline.intervals == [.init(count: 1, failureCount: 1)])
    }

    @Test(arguments: [(#","requests":12"#, 12), ("", 1)]) func pollsAreRequests(member: String, count: Int) throws {
        var statistics = ReportStatistics()
        var measures = RunMeasures()
        measures.elapsed = 2
        let text = #"{"id":"j","outcome":"success","timing":{"total":1}\#(member)}"#
        let facts = ResultFacts(try JSONValue(parsing: Data(text.utf8)), outcome: .success)
        statistics.record(facts, at: 0)
        measures.record(facts)
        #expect(statistics.requestCount == count && measures.rate == Double(count) / 2)
    }

    @Test func textsAreWithoutSecretsAndShort() {
        var statistics = ReportStatistics()
        let url = "http://user:pw@h/?access_token=abc"
        let message = "password=abc " + String(repeating: "x", count: 10_000)
        statistics.record(.sample("a", .failure, seconds: 1, code: "timedOut", message: message, url: url), at: 0)
        let sample = statistics.failures.groups.first?.samples.first?.message ?? ""
        #expect(sample.hasPrefix("password=REDACTED") && sample.count == 301)
        #expect(statistics.slowLines.first?.url == "http://REDACTED@h/?access_token=REDACTED")
    }
}
