// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch

/// Composes the summary of a run, a few lines for people.
struct RunSummary {
    let tally: RunTally
    /// The duration of the run, in seconds.
    let elapsed: Double
    /// The limits of concurrent transfers, in all and to one origin.
    let concurrency, concurrencyPerOrigin: Int

    /// The lines, with line ends.
    var text: String { lines.map { $0 + "\n" }.joined() }

    /// The lines, without line ends.
    var lines: [String] {
        let total = tally.totalCount
        let hidden = tally.hiddenProblemCount
        let sent = tally.requestCount
        let rate = elapsed > 0 && sent > 0 ? ", \(Quantity.requestsPerSecond(Double(sent) / elapsed))" : ""
        let size = "\(Quantity.bytes(tally.byteCount)) received"
        let requests = Quantity.count(sent, "request")
        let count = sent == total ? requests : "\(Quantity.count(total, "result")) of \(requests)"
        return ["\(count) in \(Quantity.elapsed(elapsed))\(rate), \(size)", outcomes]
            + limits + retries + problems + (hidden > 0 ? ["  and \(hidden) more"] : [])
    }

    /// The line that names the limits; only if they may have slowed the run.
    private var limits: [String] {
        guard tally.sentCount > concurrencyPerOrigin else { return [] }
        return ["at most \(concurrency) at once, \(concurrencyPerOrigin) to one origin (--concurrency, --per-origin)"]
    }

    private var outcomes: String {
        let counts: [(ResultLine.Outcome, String)] = [
            (.success, "succeeded"), (.failure, "failed"), (.cancelled, "cancelled"), (.skipped, "skipped"),
            (.unknown, "with unknown outcome"),
        ]
        return counts.filter { $0.0 == .success || tally.count($0.0) > 0 }
            .map { "\(tally.count($0.0)) \($0.1)" }.joined(separator: ", ")
    }

    /// The line about retries: `3 requests tried again: 4 after status 503, 1 after connectionLost`.
    private var retries: [String] {
        guard tally.retriedCount > 0 else { return [] }
        let reasons = tally.retryReasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            .map { "\($0.value) after \($0.key)" }.joined(separator: ", ")
        return ["\(Quantity.count(tally.retriedCount, "request")) retried: \(reasons)"]
    }

    private var problems: [String] {
        let idWidth = tally.problems.map { TerminalText.columns(of: TerminalText.clean($0.id)) }.max() ?? 0
        return tally.problems.map { problem in
            let id = TerminalText.fit(TerminalText.clean(problem.id), to: min(idWidth, 24))
            return "  \(id)  \(problem.code): \(TerminalText.clean(problem.message))"
        }
    }
}
