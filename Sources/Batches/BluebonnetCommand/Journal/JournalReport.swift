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
        var lines = Self.words(summary.counts, mayHaveBeenSent: summary.mayHaveBeenSentCount)
        if let waiting = summary.waitingCount { lines.append("\(waiting) not sent yet") }
        let state = isRunning ? "running" : isComplete ? "complete" : "not running"
        let text = "\(TerminalText.clean(name)): \(size), \(state)\n\(lines.joined(separator: ", "))\n"
        guard summary.endedPartCount + summary.partsMayHaveBeenSentCount > 0 else { return text }
        let parts = Self.words(summary.partCounts, mayHaveBeenSent: summary.partsMayHaveBeenSentCount)
        return text + "pages, elements and items: \(parts.joined(separator: ", "))\n"
    }

    /// The numbers of lines or parts in words. Numbers that are zero are left out, except for success.
    private static func words(_ counts: [ResultLine.Outcome: Int], mayHaveBeenSent: Int) -> [String] {
        let outcomes: [(ResultLine.Outcome, String)] = [
            (.success, "succeeded"), (.failure, "failed"), (.cancelled, "cancelled"), (.skipped, "skipped"),
        ]
        var words: [String] = []
        for (outcome, word) in outcomes {
            let count = counts[outcome] ?? 0
            if outcome == .success || count > 0 { words.append("\(count) \(word)") }
        }
        if mayHaveBeenSent > 0 { words.append("\(mayHaveBeenSent) may have been sent") }
        return words
    }

    /// Whether another run would send nothing. False for lines from a pipe, because more lines may come.
    private var isComplete: Bool { summary.waitingCount == 0 && summary.mayHaveBeenSentCount == 0 }

    /// The JSON object for programs, with a line end.
    var json: String {
        let lines = Self.members(summary.counts, mayHaveBeenSent: summary.mayHaveBeenSentCount)
        let parts = Self.members(summary.partCounts, mayHaveBeenSent: summary.partsMayHaveBeenSentCount)
        let size: JSONValue = summary.batch.lineCount.map { .integer(Int64($0)) } ?? .null
        let waiting: JSONValue = summary.waitingCount.map { .integer(Int64($0)) } ?? .null
        let members: [String] = [
            Self.member("lines", size), lines, Self.member("waiting", waiting),
            "\"parts\":{\(parts)}",
            Self.member("bytes", .integer(Int64(summary.byteCount))),
            Self.member("created", .integer(Int64(summary.batch.created.timeIntervalSince1970))),
            Self.member("digest", .string(summary.batch.digest)), Self.member("isRunning", .bool(isRunning)),
        ]
        return "{\(members.joined(separator: ","))}\n"
    }

    /// The members with the numbers of lines or parts.
    private static func members(_ counts: [ResultLine.Outcome: Int], mayHaveBeenSent: Int) -> String {
        let outcomes: [ResultLine.Outcome] = [.success, .failure, .cancelled, .skipped]
        var members = [member("ended", .integer(Int64(counts.values.reduce(0, +))))]
        for outcome in outcomes { members.append(member(outcome.rawValue, .integer(Int64(counts[outcome] ?? 0)))) }
        members.append(member("mayHaveBeenSent", .integer(Int64(mayHaveBeenSent))))
        return members.joined(separator: ",")
    }

    private static func member(_ name: String, _ value: JSONValue) -> String {
        "\"\(name)\":\(JSONText.text(of: value))"
    }
}
