// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetCommand

@Suite struct ConditionParserTests {
    @Test(arguments: [
        ("failed > 1%", FailCondition.Subject.failed, FailCondition.Comparison.greater, FailCondition.Limit.percent(1)),
        ("failed>=0.5 %", .failed, .atLeast, .percent(0.5)), ("failed == 0", .failed, .equal, .count(0)),
        ("  skipped<=100%  ", .skipped, .atMost, .percent(100)), ("skipped < 7", .skipped, .less, .count(7)),
        ("p50 > 800ms", .p50, .greater, .seconds(0.8)), ("p95>2s", .p95, .greater, .seconds(2)),
        ("p99 > 1.5 s", .p99, .greater, .seconds(1.5)), ("rate < 50", .rate, .less, .rate(50)),
        ("rate < 0.5/s", .rate, .less, .rate(0.5)),
    ])
    func conditionHasSubjectComparisonAndLimit(
        _ text: String, _ subject: FailCondition.Subject, _ comparison: FailCondition.Comparison,
        _ limit: FailCondition.Limit
    ) throws {
        let condition = try ConditionParser.parse(text)
        #expect(condition.subject == subject)
        #expect(condition.comparison == comparison)
        #expect(condition.limit == limit)
    }

    @Test(arguments: [
        ("", "it must begin with one of failed, skipped, p50, p95, p99, rate"), ("> 1%", "it must begin with one of"),
        ("faild > 1%", "did you mean failed?"), ("p90 > 1s", "it must begin with one of"),
        ("Failed > 1", "did you mean failed?"),
        ("failed", "failed must be followed by >, >=, <, <= or ==; put the whole condition in quotation marks"),
        ("failed 1", "failed must be followed by"), ("failed = 1", "did you mean ==?"),
        ("failed => 1", "did you mean >=?"), ("failed =< 1", "did you mean <=?"), ("failed != 1", "followed by"),
        ("failed >> 1", "followed by"), ("failed >", "such as 10 or 0.5%"),
        ("failed > 1.5", "such as 10 or 0.5%, but is compared with 1.5"), ("failed > -1", "a count or a part"),
        ("failed > +1", "a count or a part"), ("failed > 101%", "from 0% to 100%"), ("failed > %", "from 0% to 100%"),
        ("failed > 1s", "a count or a part"), ("failed > 99999999999999999999", "a count"),
        ("p95 > 800", "a duration with its unit, such as 800ms or 2s, but is compared with 800"),
        ("p95 > 1%", "a duration with its unit"), ("p95 > ms", "a duration"), ("p95 > 1e3ms", "a duration"),
        ("p95 > 1.2.3s", "a duration"), ("rate < nan", "a number of requests per second"),
        ("rate < 5/m", "a number of requests per second"),
    ])
    func wrongConditionIsRefusedWithWhatIsAllowed(_ text: String, _ message: String) throws {
        let problem = try #require(throws: ConditionParser.Problem.self) { try ConditionParser.parse(text) }
        #expect(problem.message.contains(message))
    }
}
