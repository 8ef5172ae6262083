// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Testing

@testable import BluebonnetBatch
@testable import BluebonnetCommand

@Suite struct RunSummaryTests {
    private func summary(_ tally: RunTally, elapsed: Double, perOrigin: Int = 100) -> RunSummary {
        RunSummary(tally: tally, elapsed: elapsed, concurrency: 640, concurrencyPerOrigin: perOrigin)
    }

    @Test(arguments: [(7, false), (6, true)]) func limitsAreShownWhereTheyApply(perOrigin: Int, isTold: Bool) {
        var tally = RunTally()
        for number in 0..<7 { tally.record(.sample("\(number)", .success)) }
        let lines = summary(tally, elapsed: 4, perOrigin: perOrigin).lines
        #expect(
            lines.dropFirst(2)
                == (isTold ? ["at most 640 at once, 6 to one origin (--concurrency, --per-origin)"] : []))
    }

    @Test func successfulRunTakesTwoLines() {
        var tally = RunTally()
        for number in 0..<20 { tally.record(.sample("\(number)", .success, bytes: 1_000_000)) }
        #expect(
            summary(tally, elapsed: 4).lines == [
                "20 requests in 4.0 s, 5.0 req/s, 20.0 MB received", "20 succeeded",
            ])
    }

    @Test func itemsOfAStreamAreNoRequests() {
        var tally = RunTally()
        tally.record(.sample("s", .success))
        for number in 1...200 { tally.record(ResultLine(id: "s/\(number)", outcome: .success)) }
        #expect(
            summary(tally, elapsed: 2).lines == [
                "201 results of 1 request in 2.0 s, 0.5 req/s, 0 B received", "201 succeeded",
            ])
    }

    @Test func everyPollIsARequestOfOneLine() {
        var (tally, line) = (RunTally(), ResultLine.sample("job", .success))
        line.requests = 12
        tally.record(line)
        #expect(
            summary(tally, elapsed: 24, perOrigin: 6).lines == [
                "1 result of 12 requests in 24.0 s, 0.5 req/s, 0 B received", "1 succeeded",
            ])
    }

    @Test func unsuccessfulRequestsAreNamedWithCodeAndMessage() {
        var tally = RunTally()
        tally.record(.sample("first", .skipped, .dependencyFailed))
        tally.record(.sample("a\nb", .failure, .timedOut))
        tally.record(.sample("c", .cancelled, .cancelled))
        #expect(
            summary(tally, elapsed: 0).lines == [
                "3 results of 1 request in 0.00 s, 0 B received", "0 succeeded, 1 failed, 1 cancelled, 1 skipped",
                "  a?b    timedOut: something went wrong", "  first  dependencyFailed: something went wrong",
                "  c      cancelled: something went wrong",
            ])
    }

    @Test func retriedRequestsAreCountedByReason() {
        var tally = RunTally()
        for retries in [[503, 503], [429], [nil], []] as [[Int?]] {
            var line = ResultLine(id: "a", outcome: .success)
            line.retries = retries.map {
                .init(after: $0 == nil ? .connectionLost : .unacceptableStatus, status: $0, waited: 1)
            }
            tally.record(line)
        }
        #expect(
            summary(tally, elapsed: 0).lines.last
                == "3 requests retried: 2 after status 503, 1 after connectionLost, 1 after status 429")
    }

    @Test func tenFailuresAreNamedAndTheRestCounted() {
        var tally = RunTally()
        for number in 0..<15 { tally.record(.sample("\(number)", .failure, .timedOut)) }
        let lines = summary(tally, elapsed: 62).lines
        #expect(lines.count == 13)
        #expect(lines.first == "15 requests in 1:02, 0.2 req/s, 0 B received")
        #expect(lines.last == "  and 5 more")
    }
}
