// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// Counts the results of a run. A value type that receives each result line.
struct RunTally: Sendable {
    /// An operation that did not succeed.
    struct Problem: Sendable, Equatable {
        let id: String
        let code: String
        let message: String
    }

    /// The maximum number of problems shown.
    static let shownProblemCount = 10

    private(set) var counts: [ResultLine.Outcome: Int] = [:]
    /// The results of items of streams, which are not operations.
    private var itemCounts: [ResultLine.Outcome: Int] = [:]
    private(set) var byteCount: Int64 = 0
    /// The number of operations that sent a request in this run. Items of a stream, whole lines with pages or elements,
    /// and results of earlier runs are not among them; a polling line is one.
    private(set) var sentCount = 0
    /// The number of requests of these operations, without redirects and retries: a polling line has several.
    private(set) var requestCount = 0
    /// The number of requests that were retried.
    private(set) var retriedCount = 0
    /// The number of retries by the reason of the retry: a status, or an error code.
    private(set) var retryReasons: [String: Int] = [:]
    private var failures: [Problem] = []
    private var others: [Problem] = []

    /// Returns the number of operations with this outcome.
    func count(_ outcome: ResultLine.Outcome) -> Int { counts[outcome] ?? 0 }

    /// The number of operations by the name of the outcome, in the order of the outcomes.
    var namedCounts: [(name: String, count: Int)] {
        ResultLine.Outcome.allCases.map { ($0.rawValue, count($0)) }
    }

    /// The number of results.
    var totalCount: Int { counts.values.reduce(0, +) }

    /// The number of lines, pages and elements by outcome, without items of streams.
    var operationCounts: [ResultLine.Outcome: Int] {
        counts.merging(itemCounts) { $0 - $1 }.filter { $0.value > 0 }
    }

    /// Whether every operation succeeded.
    var isSuccess: Bool { totalCount == count(.success) }

    /// The problems to show: failures and unknown outcomes first, then cancelled and skipped operations.
    var problems: ArraySlice<Problem> { (failures + others).prefix(Self.shownProblemCount) }

    /// The number of problems that are not shown.
    var hiddenProblemCount: Int { totalCount - count(.success) - problems.count }

    /// Counts a delivered line. A delivery without a result is counted by its outcome and size.
    mutating func record(_ delivery: LineRunner.Delivery) {
        if let result = delivery.result { return record(result, isFromJournal: delivery.isFromJournal) }
        counts[delivery.outcome, default: 0] += 1
        byteCount += Int64(delivery.byteCount)
    }

    /// Counts a result.
    mutating func record(_ line: ResultLine, isFromJournal: Bool = false) {
        counts[line.outcome, default: 0] += 1
        if line.item != nil { itemCounts[line.outcome, default: 0] += 1 }
        if line.attempts > 0, !isFromJournal {
            sentCount += 1
            requestCount += line.requests ?? 1
        }
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
