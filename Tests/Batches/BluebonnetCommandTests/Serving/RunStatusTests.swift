// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Testing

@testable import BluebonnetBatch
@testable import BluebonnetCommand

@Suite struct RunStatusTests {
    private static func batch(
        _ tally: RunTally, lineCount: Int
    ) async throws -> StatusDocument.ShownBatch {
        let snapshot = RequestLineRunner.Snapshot(
            totalCount: lineCount, counts: [:], receivedByteCount: 0, largestTransfers: [])
        let status = RunStatus(name: "lines", concurrency: 1, limits: "")
        status.begin { RunStatus.RunProgress(snapshot: snapshot, isTotalKnown: true, tally: tally, waits: []) }
        return try #require(await status.read(details: []).batches.first)
    }

    @Test func itemsOfAStreamAreNoLines() async throws {
        var tally = RunTally()
        for number in 1...3 {
            var item = ResultLine(id: "s/\(number)", outcome: .success)
            item.item = number
            tally.record(item)
        }
        let open = try await Self.batch(tally, lineCount: 1)
        #expect(open.state == "open" && open.lineCount == 1 && open.counts == [:] && open.endedCount == 0)
        tally.record(.sample("s", .success))
        let ended = try await Self.batch(tally, lineCount: 1)
        #expect(ended.state == "complete" && ended.counts == [.success: 1])
    }
}
