// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Testing

@testable import BluebonnetBatch
@testable import BluebonnetCommand

@Suite struct RunTallyTests {
    @Test func tallyCountsOutcomesAndBytes() {
        var tally = RunTally()
        #expect(tally.isSuccess)
        tally.record(.sample("a", .success, bytes: 10))
        tally.record(.sample("b", .success, bytes: 5))
        #expect(tally.isSuccess)
        tally.record(.sample("c", .failure, bytes: 1, .timedOut))
        #expect(!tally.isSuccess)
        #expect(tally.totalCount == 3)
        #expect(tally.count(.success) == 2)
        #expect(tally.count(.skipped) == 0)
        #expect(tally.byteCount == 16)
    }

    @Test func onlySentRequestsOfThisRunAreRequests() {
        var tally = RunTally()
        tally.record(.sample("stream", .success))
        for number in 1...200 { tally.record(ResultLine(id: "stream/\(number)", outcome: .success)) }
        tally.record(.sample("earlier", .success), isFromJournal: true)
        tally.record(.sample("skipped", .skipped, .dependencyFailed))
        #expect(tally.totalCount == 203 && tally.requestCount == 1)
    }

    @Test func itemsOfAStreamAreNoOperations() {
        var tally = RunTally()
        for (number, outcome) in [ResultLine.Outcome.success, .success, .failure].enumerated() {
            var item = ResultLine(id: "s/\(number + 1)", outcome: outcome)
            item.item = number + 1
            tally.record(item)
        }
        #expect(tally.operationCounts == [:] && tally.totalCount == 3)
        tally.record(.sample("s", .failure, .assertionFailed))
        #expect(tally.operationCounts == [.failure: 1] && tally.count(.failure) == 2)
    }

    @Test func pollingLineHasSeveralRequests() {
        var (tally, line) = (RunTally(), ResultLine.sample("job", .success))
        (line.attempts, line.requests) = (14, 12)
        tally.record(line)
        tally.record(.sample("other", .success))
        tally.record(line, isFromJournal: true)
        (line.attempts, line.requests) = (0, 0)
        tally.record(line)
        #expect(tally.totalCount == 4 && tally.requestCount == 13 && tally.sentCount == 2)
    }

    @Test func failuresAreShownBeforeSkippedLines() {
        var tally = RunTally()
        for number in 0..<12 { tally.record(.sample("s\(number)", .skipped, .dependencyFailed)) }
        tally.record(.sample("f", .failure, .timedOut))
        #expect(tally.problems.map(\.id) == ["f"] + (0..<9).map { "s\($0)" })
        #expect(tally.hiddenProblemCount == 3)
    }
}

extension ResultLine {
    /// A result line with defaults for what a test does not set.
    static func sample(
        _ id: String, _ outcome: Outcome, bytes: Int? = nil, _ code: NetworkingError.Code? = nil
    ) -> ResultLine {
        var line = ResultLine(id: id, outcome: outcome)
        line.bytes = bytes
        line.attempts = outcome == .success || outcome == .failure ? 1 : 0
        line.error = code.map { Failure(code: $0, message: "something went wrong") }
        return line
    }
}
