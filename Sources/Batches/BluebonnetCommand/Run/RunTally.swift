// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// The results of a run in numbers; a value that receives each line.
struct RunTally: Sendable {
    /// An operation that did not succeed.
    struct Problem: Sendable, Equatable {
        let id: String
        let code: String
        let message: String
    }

    /// The most problems that are shown.
    static let shownProblemCount = 10

    private(set) var counts: [ResultLine.Outcome: Int] = [:]
    private(set) var byteCount: Int64 = 0
    /// How many requests were tried again.
    private(set) var retriedCount = 0
    /// How many further attempts there were, by what came before: a status, or an error code.
    private(set) var retryReasons: [String: Int] = [:]
    private var failures: [Problem] = []
    private var others: [Problem] = []

    /// How many operations ended like that.
    func count(_ outcome: ResultLine.Outcome) -> Int { counts[outcome] ?? 0 }

    /// How many operations there were.
    var totalCount: Int { counts.values.reduce(0, +) }

    /// Whether every operation succeeded.
    var isSuccess: Bool { totalCount == count(.success) }

    /// The problems that are shown: failures and unknown outcomes first, then what was cancelled or skipped.
    var problems: ArraySlice<Problem> { (failures + others).prefix(Self.shownProblemCount) }

    /// How many problems there are beyond those.
    var hiddenProblemCount: Int { totalCount - count(.success) - problems.count }

    /// Takes a result into account, of which nothing but success may be known.
    mutating func note(_ delivery: LineRunner.Delivery) {
        if let result = delivery.result { return note(result) }
        counts[delivery.outcome, default: 0] += 1
        byteCount += Int64(delivery.byteCount)
    }

    /// Takes a result into account.
    mutating func note(_ line: ResultLine) {
        counts[line.outcome, default: 0] += 1
        byteCount += Int64(line.bytes ?? 0)
        if let retries = line.retries, !retries.isEmpty {
            retriedCount += 1
            for retry in retries { retryReasons[retry.reason, default: 0] += 1 }
        }
        guard let error = line.error else { return }
        let problem = Problem(id: line.id, code: error.code.rawValue, message: error.message)
        if line.outcome == .failure || line.outcome == .unknown {
            if failures.count < Self.shownProblemCount { failures.append(problem) }
        } else if others.count < Self.shownProblemCount {
            others.append(problem)
        }
    }
}

extension ResultLine.Retry {
    fileprivate var reason: String { status.map { "status \($0)" } ?? after.rawValue }
}
