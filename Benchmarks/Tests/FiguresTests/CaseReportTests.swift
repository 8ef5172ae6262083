// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Figures
import Foundation
import Testing

@Suite struct CaseReportTests {
    private let sixtyFour = Case(.tiny, concurrency: 64)

    @Test func ratiosAreTakenRoundByRound() throws {
        let report = CaseReport(sixtyFour, rounds: [.bluebonnet: rates(50, 90, 80), .libcurl: rates(100, 100, 200)])
        let column = try #require(report[.bluebonnet])
        let ratio = try #require(column.ratiosToLimit["requestsPerSecond"])
        // 0.5, 0.9 and 0.4; the medians' ratio would be 0.8.
        #expect((ratio.minimum, ratio.median, ratio.maximum) == (0.4, 0.5, 0.9))
        #expect(column.ratiosToPeer.isEmpty)
    }

    @Test func peerIsTheFasterFormOfAsyncHTTPClient() throws {
        let report = CaseReport(
            sixtyFour,
            rounds: [.bluebonnet: rates(60), .asyncHTTPClient: rates(20), .asyncHTTPClientFuture: rates(30)])
        #expect(report.peer == .asyncHTTPClientFuture)
        #expect(report[.bluebonnet]?.ratiosToPeer["requestsPerSecond"]?.median == 2)
    }

    @Test func contenderWithoutRoundsHasNoColumn() {
        let report = CaseReport(sixtyFour, rounds: [.libcurl: rates(1), .urlSession: []])
        #expect(report.columns.map(\.contender) == [.libcurl])
        #expect(report[.urlSession] == nil)
    }

    @Test func unmeasuredValuesAreShownAsDashes() {
        let report = CaseReport(sixtyFour, rounds: [.bluebonnet: rates(50), .libcurl: rates(100)])
        let lines = report.text.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines[0] == "GET of 13 bytes, HTTP/1.1, 64 in flight")
        #expect(lines[1].contains("of libcurl") && !lines[1].contains("a-h-c"))
        let words = lines[2].split(separator: " ")
        #expect(words.prefix(4) == ["Bluebonnet", "50", "(50–50)", "0.50"])
        #expect(words.last == "–")
    }

    @Test func requirementIsCheckedOnlyWhereItWasMeasured() throws {
        let requirement = Requirement(sixtyFour, .requestsPerSecond, to: .limit, .atLeast(0.8))
        let enough = CaseReport(sixtyFour, rounds: [.bluebonnet: rates(80), .libcurl: rates(100)])
        let short = CaseReport(sixtyFour, rounds: [.bluebonnet: rates(79), .libcurl: rates(100)])
        let alone = CaseReport(sixtyFour, rounds: [.bluebonnet: rates(80)])
        #expect(requirement.outcome(in: [enough])?.isMet == true)
        #expect(requirement.outcome(in: [short])?.isMet == false)
        #expect(requirement.outcome(in: [alone]) == nil)
        #expect(requirement.outcome(in: []) == nil)
    }

    @Test func commandsAreComparedByTheirTime() {
        let testCase = Case(.smallFiles, concurrency: 64)
        let report = CaseReport(testCase, rounds: [.bluebonnetCommand: rates(50), .curlCommand: rates(100)])
        // Half the rate is twice the time.
        let outcome = Requirement(testCase, .wallSeconds, to: .limit, .atMost(1.5)).outcome(in: [report])
        #expect(outcome?.measured == 2)
        #expect(outcome?.isMet == false)
        #expect(report.text.contains("of curl"))
    }

    @Test func everyRequirementBelongsToAMeasuredCase() {
        let cases = Set(Grid().cases)
        #expect(Requirement.all.allSatisfy { cases.contains($0.testCase) })
        #expect(Requirement.all.count == 20)
    }

    @Test func jsonHoldsTheRoundsAndCanBeReadBack() throws {
        let report = RunReport(
            environment: ["processors": "2"], roundCount: 2,
            cases: [CaseReport(sixtyFour, rounds: [.bluebonnet: rates(90, 92), .libcurl: rates(100, 100)])],
            more: [RequirementOutcome(claim: "bytes", measured: 1800, isMet: true)])
        let json = try report.json()
        let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        #expect(Set(object.keys) == ["environment", "roundCount", "cases", "requirements", "builds"])
        let copy = try JSONDecoder().decode(RunReport.self, from: json)
        #expect(copy.cases[0][.bluebonnet]?.rounds.map(\.requestsPerSecond) == [90, 92])
        // The rate and the CPU time at 64 in flight, and the outcome passed as `more`.
        #expect(copy.requirements.map(\.isMet) == [true, true, true])
    }

    /// One round for each rate, in requests per second.
    private func rates(_ rates: Int...) -> [Measured] {
        rates.map { rate in
            Measured(
                client: .libcurl, requestCount: 100, concurrency: 64, byteCount: 0, wallSeconds: 100 / Double(rate),
                cpuSeconds: 1, latency: nil, peakResidentByteCount: 0)
        }
    }
}
