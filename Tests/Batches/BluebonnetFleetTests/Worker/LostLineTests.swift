// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetBatch
import BluebonnetHTTP
import Foundation
import Testing

@testable import BluebonnetFleet

/// The fate of a line whose worker is lost: every kind, marked or not, after every number of losses.
@Suite struct LostLineTests {
    struct Row: Sendable, CustomStringConvertible {
        let kind: FleetLine.Kind
        let isMarked: Bool
        let losses: Int
        let newCount: Int
        let fate: LostLine.Fate

        init(_ kind: FleetLine.Kind, _ isMarked: Bool, _ losses: Int, _ newCount: Int, _ fate: LostLine.Fate) {
            (self.kind, self.isMarked, self.losses, self.newCount, self.fate) = (kind, isMarked, losses, newCount, fate)
        }

        var description: String { "\(kind), \(isMarked ? "marked" : "not marked"), \(losses) before" }
    }

    static let rows = [
        // A safe line is under suspicion after one loss, and is marked from then on.
        Row(.safe, false, 0, 1, .waits), Row(.safe, false, 1, 1, .waits), Row(.safe, false, 2, 2, .waits),
        Row(.safe, true, 0, 1, .waits), Row(.safe, true, 1, 2, .waits), Row(.safe, true, 2, 3, .fails),
        // An unsafe line was not sent before its mark, and is not sent again after it.
        Row(.unsafe, false, 0, 0, .waits), Row(.unsafe, false, 1, 1, .waits), Row(.unsafe, false, 2, 2, .waits),
        Row(.unsafe, true, 0, 1, .isUnknown), Row(.unsafe, true, 1, 2, .isUnknown),
        Row(.unsafe, true, 2, 3, .isUnknown),
        // A repeatable line is sent again, up to the limit.
        Row(.repeatable, false, 0, 0, .waits), Row(.repeatable, false, 1, 1, .waits),
        Row(.repeatable, false, 2, 2, .waits), Row(.repeatable, true, 0, 1, .waits),
        Row(.repeatable, true, 1, 2, .waits), Row(.repeatable, true, 2, 3, .fails),
    ]

    @Test(arguments: rows) func fateDependsOnKindMarkAndLosses(row: Row) {
        let line = LostLine(kind: row.kind, isMarked: row.isMarked, lossCount: row.losses)
        #expect(line.newCount == row.newCount)
        #expect(line.fate == row.fate)
    }
}

/// Result lines into which the store inserts the id.
@Suite struct ResultFrameTests {
    @Test(arguments: ResultLine.Outcome.allCases)
    func frameWithAnIDIsTheResultLine(outcome: ResultLine.Outcome) throws {
        let failure = ResultLine.Failure(code: .workerLost, message: "a \"message\"\n", underlying: "ü")
        let frame = ResultFrame(outcome, failure)
        var line = ResultLine(id: "an id", outcome: outcome)
        line.error = failure
        #expect(Data("\(ResultFrame.head)\"an id\"\(frame.tail)".utf8) == line.encodedLine().dropLast())
    }
}
