// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetJournal
import Foundation

/// Describes the state of a journal's batch, as lines for people or as a JSON object for programs.
struct JournalReport {
    let name: String
    let summary: JournalSummary
    /// Whether a run has the journal open.
    let isRunning: Bool

    /// The text for people.
    var text: String {
        let size = summary.batch.lineCount.map { Quantity.count($0, "line") } ?? "lines from a pipe"
        let ended = [(.success, "succeeded"), (.failure, "failed"), (.cancelled, "cancelled"), (.skipped, "skipped")]
            .filter { (outcome: ResultLine.Outcome, _) in outcome == .success || self.count(outcome) > 0 }
            .map { (outcome: ResultLine.Outcome, word: String) in "\(self.count(outcome)) \(word)" }
        var parts = ended
        if summary.mayHaveBeenSentCount > 0 { parts.append("\(summary.mayHaveBeenSentCount) may have been sent") }
        if let waiting = summary.waitingCount { parts.append("\(waiting) not sent yet") }
        let state = isRunning ? "running" : isComplete ? "complete" : "not running"
        return "\(TerminalText.clean(name)): \(size), \(state)\n\(parts.joined(separator: ", "))\n"
    }

    /// Whether another run would send nothing. False for lines from a pipe, because more lines may come.
    private var isComplete: Bool { summary.waitingCount == 0 && summary.mayHaveBeenSentCount == 0 }

    /// The JSON object for programs, with a line end.
    var json: String {
        let members: [(String, JSONValue)] = [
            ("lines", summary.batch.lineCount.map { .integer(Int64($0)) } ?? .null),
            ("ended", .integer(Int64(summary.endedCount))),
            ("success", .integer(Int64(count(.success)))), ("failure", .integer(Int64(count(.failure)))),
            ("cancelled", .integer(Int64(count(.cancelled)))), ("skipped", .integer(Int64(count(.skipped)))),
            ("mayHaveBeenSent", .integer(Int64(summary.mayHaveBeenSentCount))),
            ("waiting", summary.waitingCount.map { .integer(Int64($0)) } ?? .null),
            ("bytes", .integer(Int64(summary.byteCount))),
            ("created", .integer(Int64(summary.batch.created.timeIntervalSince1970))),
            ("digest", .string(summary.batch.digest)), ("isRunning", .bool(isRunning)),
        ]
        let fields = members.map { name, value in "\"\(name)\":\(JSONText.text(of: value))" }
        return "{\(fields.joined(separator: ","))}\n"
    }

    private func count(_ outcome: ResultLine.Outcome) -> Int { summary.counts[outcome] ?? 0 }
}
