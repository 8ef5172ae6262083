// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetBatch
import BluebonnetHTTP
import Foundation
import Testing

@testable import BluebonnetJournal

@Suite struct ReopeningStepTests {
    private typealias State = JournalRecord.State

    private static func ended(_ outcome: ResultLine.Outcome) -> State {
        .ended(.init(outcome: outcome, byteCount: 1, line: Data("{}\n".utf8)))
    }

    private static func deliver(_ outcome: ResultLine.Outcome) -> ReopeningStep {
        .deliver(.init(outcome: outcome, byteCount: 1, line: Data("{}\n".utf8)))
    }

    /// What is known of a line, and what becomes of it: one that is not repeatable, one that is, and one that is not
    /// but is wanted again.
    private typealias Row = (
        state: State?, unsafe: ReopeningStep, repeatable: ReopeningStep, resent: ReopeningStep
    )
    private static let table: [Row] =
        [
            (nil, .start, .start, .start),
            (.waiting, .start, .start, .start),
            (.mayHaveBeenSent, .reportUnknown, .startAgain, .startAgain),
            (ended(.success), deliver(.success), deliver(.success), deliver(.success)),
            (ended(.failure), deliver(.failure), deliver(.failure), deliver(.failure)),
            (ended(.cancelled), deliver(.cancelled), deliver(.cancelled), deliver(.cancelled)),
            (ended(.skipped), .start, .start, .start),
            (ended(.unknown), .reportUnknown, .startAgain, .startAgain),
        ]

    @Test func everyStateHasItsStep() {
        for row in Self.table {
            let name = "\(String(describing: row.state))"
            #expect(ReopeningStep(row.state, isRepeatable: false, resendsUnsafe: false) == row.unsafe, "\(name)")
            #expect(ReopeningStep(row.state, isRepeatable: true, resendsUnsafe: false) == row.repeatable, "\(name)")
            #expect(ReopeningStep(row.state, isRepeatable: false, resendsUnsafe: true) == row.resent, "\(name)")
            #expect(ReopeningStep(row.state, isRepeatable: true, resendsUnsafe: true) == row.resent, "\(name)")
        }
    }

    @Test(arguments: [
        ("GET", true), ("HEAD", true), ("OPTIONS", true), ("TRACE", true), ("POST", false), ("PUT", false),
        ("PATCH", false), ("DELETE", false), ("get", false), ("${a.body.method}", false),
    ])
    func methodDecidesWhetherALineIsSafe(method: String, isSafe: Bool) {
        #expect(RequestLine(method: method, url: "u").isSafe == isSafe)
    }

    @Test func keyIsAFieldOfTheLineOrOfItsHeaders() {
        var line = RequestLine(method: "POST", url: "u")
        #expect(!line.hasIdempotencyKey)
        line.headers["idempotency-key"] = "k"
        #expect(line.hasIdempotencyKey)
        line.headers = ["Idempotency-Key": " \t"]
        #expect(!line.hasIdempotencyKey)
        line.headers = [:]
        line.idempotencyKey = .automatic
        #expect(line.hasIdempotencyKey)
        line.idempotencyKey = .value(" ")
        #expect(!line.hasIdempotencyKey)
    }
}
