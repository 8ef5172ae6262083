// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetJournal
import Foundation

/// Runs the lines of a batch, with a journal or without one.
enum LineRunner: Sendable {
    case plain(WindowedRun)
    case journaled(JournaledRun)

    /// The result of a line: the line to write, and the facts to count.
    struct Delivery: Sendable {
        let outcome: ResultLine.Outcome
        let byteCount: Int
        /// The full result; nil if only a success must be counted.
        let result: ResultLine?
        let line: Data
        /// Whether the result comes from the journal of an earlier run.
        var isFromJournal = false
    }

    /// Makes a runner.
    ///
    /// - Parameters:
    ///   - onDelivery: called once for each line, on several threads.
    ///   - onFailure: called when the journal can no longer be written.
    init(
        settings: RequestLineRunner.Settings, input: RunInput, journal: OpenedJournal?,
        onDelivery: @escaping @Sendable (Delivery) -> Void, onFailure: @escaping @Sendable () -> Void
    ) {
        guard let journal else {
            self = .plain(
                WindowedRun(settings: settings, lines: input.lines, schedule: input.removeSchedule()) {
                    onDelivery(Delivery($0))
                })
            return
        }
        self = .journaled(
            JournaledRun(
                settings: settings, journal: journal, lines: input.lines, schedule: input.removeSchedule(),
                onDelivery: { onDelivery(Delivery($0)) },
                onFailure: { _ in onFailure() }))
    }

    /// Begins to run lines.
    func begin() {
        switch self {
        case .plain(let run): run.begin()
        case .journaled(let run): run.begin()
        }
    }

    /// Returns a function that adds a line of a stream. It must be called on one thread, and throws an error if the
    /// journal has a different line in this place.
    func feed() -> (StreamedLines.Added) throws(CommandError) -> Void {
        switch self {
        case .plain(let run): return { line throws(CommandError) in run.add(line) }
        case .journaled(let run):
            var feed = run.makeFeed()
            return { line throws(CommandError) in
                do throws(JournalError) {
                    try feed.add(line)
                } catch {
                    throw CommandError(error)
                }
            }
        }
    }

    func cancel() {
        switch self {
        case .plain(let runner): runner.cancel()
        case .journaled(let run): run.cancel()
        }
    }

    func drain() async {
        switch self {
        case .plain(let runner): await runner.drain()
        case .journaled(let run): await run.drain()
        }
    }

    /// Waits until all results have been delivered.
    ///
    /// - Throws: an error if the journal or the lines could not be read or written.
    func finish() async throws(CommandError) {
        switch self {
        case .plain(let run):
            do throws(LineSourceError) {
                try await run.finish()
            } catch {
                throw .unusable(error.message)
            }
        case .journaled(let run):
            do throws(JournalError) {
                try await run.finish()
            } catch {
                throw CommandError(error)
            }
        }
    }

    /// Returns whether other lines depend on the line with an id, or may depend on it.
    func isNeeded(_ id: String) -> Bool {
        switch self {
        case .plain(let run): run.isNeeded(id)
        case .journaled(let run): run.isNeeded(id)
        }
    }

    /// Returns the lines for which the most other lines wait.
    func waits(limit: Int, sampleLimit: Int) -> [LineWait] {
        switch self {
        case .plain(let run): run.waits(limit: limit, sampleLimit: sampleLimit)
        case .journaled(let run): run.waits(limit: limit, sampleLimit: sampleLimit)
        }
    }

    /// Returns the state of the run.
    func snapshot(largest count: Int) -> RequestLineRunner.Snapshot {
        switch self {
        case .plain(let runner): runner.snapshot(largest: count)
        case .journaled(let run): run.snapshot(largest: count)
        }
    }
}

extension LineRunner.Delivery {
    fileprivate init(_ result: ResultLine) {
        self.init(outcome: result.outcome, byteCount: result.bytes ?? 0, result: result, line: result.encodedLine())
    }

    fileprivate init(_ delivery: JournaledRun.Delivery) {
        self.init(
            outcome: delivery.outcome, byteCount: delivery.byteCount, result: delivery.result, line: delivery.line,
            isFromJournal: delivery.isFromJournal)
    }
}

extension CommandError {
    /// Makes an error from a journal's error, with the option that helps.
    init(_ error: JournalError) {
        let offer = error.code == .anotherBatch ? "; --restart starts over" : ""
        self = .unusable(error.message + offer)
    }
}
