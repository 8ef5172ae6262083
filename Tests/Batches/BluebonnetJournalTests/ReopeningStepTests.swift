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

    /// The recorded state of a line, and its next step: if the line is not repeatable, if it is repeatable, and if it
    /// is not repeatable but resending is requested.
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
            let (none, resends) = (OpenedJournal.Options(), OpenedJournal.Options(resendsUnsafe: true))
            #expect(ReopeningStep(row.state, isRepeatable: false, options: none) == row.unsafe, "\(name)")
            #expect(ReopeningStep(row.state, isRepeatable: true, options: none) == row.repeatable, "\(name)")
            #expect(ReopeningStep(row.state, isRepeatable: false, options: resends) == row.resent, "\(name)")
            #expect(ReopeningStep(row.state, isRepeatable: true, options: resends) == row.resent, "\(name)")
        }
    }

    @Test func failedAndCancelledLinesStartAgainOnRequest() {
        let options = OpenedJournal.Options(retriesFailed: true)
        for outcome in [ResultLine.Outcome.failure, .cancelled] {
            for isRepeatable in [true, false] {
                let step = ReopeningStep(Self.ended(outcome), isRepeatable: isRepeatable, options: options)
                #expect(step == .startAgain)
            }
        }
        #expect(ReopeningStep(Self.ended(.success), isRepeatable: true, options: options) == Self.deliver(.success))
        #expect(ReopeningStep(.mayHaveBeenSent, isRepeatable: false, options: options) == .reportUnknown)
    }

    @Test(arguments: [(true, false), (false, true), (true, true)])
    func lineWhoseOutputIsLostStartsAgain(isRepeatable: Bool, resendsUnsafe: Bool) {
        let options = OpenedJournal.Options(resendsUnsafe: resendsUnsafe)
        let ended = Self.ended(.success)
        #expect(
            ReopeningStep(ended, isRepeatable: isRepeatable, options: options, hasOutput: false) == .startAgain)
        let failed = Self.ended(.failure)
        #expect(
            ReopeningStep(failed, isRepeatable: isRepeatable, options: options, hasOutput: false)
                == Self.deliver(.failure))
    }

    @Test func unsafeLineWhoseOutputIsLostIsReported() {
        let ended = Self.ended(.success)
        #expect(
            ReopeningStep(ended, isRepeatable: false, options: .init(), hasOutput: false) == .reportLostOutput)
    }

    @Test(arguments: [
        ("GET", true), ("HEAD", true), ("OPTIONS", true), ("TRACE", true), ("POST", false), ("PUT", false),
        ("PATCH", false), ("DELETE", false), ("get", false), ("${a.body.method}", false),
    ])
    func methodDecidesWhetherALineIsSafe(method: String, isSafe: Bool) {
        #expect(RequestLine(method: method, url: "u").isSafe == isSafe)
    }

    @Test func keyIsALineFieldOrAHeader() {
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
