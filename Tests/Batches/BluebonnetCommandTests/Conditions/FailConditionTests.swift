// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Testing

@testable import BluebonnetBatch
@testable import BluebonnetCommand

@Suite struct FailConditionTests {
    /// 100 results in ten seconds: 90 successes of 10 ms, 2 failures of 2 s, one unknown, 5 skipped, 2 cancelled.
    private static let measures: RunMeasures = {
        var measures = RunMeasures()
        for _ in 0..<90 { measures.record(.sample("a", .success, seconds: 0.01)) }
        for _ in 0..<2 { measures.record(.sample("b", .failure, seconds: 2)) }
        measures.record(.sample("c", .unknown))
        for _ in 0..<5 { measures.record(.sample("d", .skipped)) }
        for _ in 0..<2 { measures.record(.sample("e", .cancelled, seconds: 9)) }
        measures.elapsed = 10
        return measures
    }()

    @Test(arguments: [
        ("failed > 2", "3 of 100"), ("failed > 3", nil), ("failed >= 3", "3 of 100"), ("failed == 3", "3 of 100"),
        ("failed < 4", "3 of 100"), ("failed <= 2", nil), ("failed > 2.9%", "3 of 100 (3.0%)"), ("failed > 3%", nil),
        ("failed >= 3%", "3 of 100 (3.0%)"), ("skipped > 4%", "5 of 100 (5.0%)"), ("skipped > 5", nil),
        ("skipped == 5%", "5 of 100 (5.0%)"),
    ])
    func countsAndPartsAreOfAllResults(_ text: String, _ found: String?) throws {
        #expect(try ConditionParser.parse(text).violation(Self.measures) == found)
    }

    /// Successes and failures have durations; skipped and cancelled lines have no durations. 92 durations, of which 2
    /// are long: the 95th percentile is short, and the 99th is long.
    @Test(arguments: [
        ("p50 > 9ms", true), ("p50 > 11ms", false), ("p95 < 11ms", true), ("p99 > 1.9s", true), ("p99 >= 2.1s", false),
    ])
    func percentilesAreOfSuccessesAndFailures(_ text: String, _ holds: Bool) throws {
        #expect((try ConditionParser.parse(text).violation(Self.measures) != nil) == holds)
    }

    @Test func rateCountsSentRequestsOfThisRun() throws {
        #expect(Self.measures.rate == 9.4)
        #expect(try ConditionParser.parse("rate < 10").violation(Self.measures) == "9.4 req/s")
        var measures = Self.measures
        var recorded = ResultFacts.sample("f", .success, seconds: 1)
        recorded.isFromJournal = true
        measures.record(recorded)
        #expect(measures.rate == 9.4)
    }

    @Test func runWithoutResultsHasNoPercentileAndNoFailures() throws {
        let empty = RunMeasures()
        for text in ["p95 >= 0s", "p95 < 1s", "failed > 0%", "failed > 0", "rate > 0"] {
            #expect(try ConditionParser.parse(text).violation(empty) == nil)
        }
        #expect(try ConditionParser.parse("failed == 0%").violation(empty) == "0 of 0 (0.0%)")
    }

    /// 1 of 100 is exactly 1 %, and 29 of 100 is exactly 29 %, although 0.29 has no exact binary form.
    @Test(arguments: [(1, 100, 1.0), (29, 100, 29), (7, 1000, 0.7)])
    func partIsComparedWithoutRounding(_ count: Int, _ total: Int, _ percent: Double) throws {
        var measures = RunMeasures()
        for index in 0..<total { measures.record(.sample("\(index)", index < count ? .failure : .success)) }
        #expect(try ConditionParser.parse("failed > \(percent)%").violation(measures) == nil)
        #expect(try ConditionParser.parse("failed >= \(percent)%").violation(measures) != nil)
    }
}

extension ResultFacts {
    /// Facts with defaults for what a test does not set.
    static func sample(
        _ id: String, _ outcome: ResultLine.Outcome, seconds: Double? = nil, code: String? = nil,
        message: String? = nil, status: Int? = nil, url: String? = nil, values: JSONValue? = nil
    ) -> ResultFacts {
        var facts = ResultFacts(id: id, outcome: outcome)
        (facts.seconds, facts.code, facts.message) = (seconds, code, message)
        (facts.status, facts.url, facts.values) = (status, url, values)
        return facts
    }
}
