// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
import BluebonnetLocks
import Dispatch
import Foundation

/// Receives the results of a run for the options that need them in addition to result lines: rows, reports, conditions
/// and the state file. One queue writes the files, never the thread that delivers results.
final class RunOutputs: Sendable {
    /// A result with the time of its delivery, in seconds since the start.
    private typealias Delivered = (facts: ResultFacts, seconds: Double)

    private struct Backlog {
        var results: [Delivered] = []
        var byteCount = 0
        var isRunning = false
    }

    /// The state of the files, which only the queue uses.
    fileprivate struct Files {
        var rows: (any RowSink)?
        var rowError: CommandError?
        var reports: RunReports
        var measures = RunMeasures()
    }

    /// The bytes of result lines that may wait; more make `receive` block.
    private static let backlogLimit = 8 << 20

    private let options: OutputFileOptions
    private let state: StateFile?
    private let changes = Mutex(StateChanges())
    private let backlog = Mutex(Backlog())
    private let files: Mutex<Files>
    private let onError = Mutex<(@Sendable () -> Void)?>(nil)
    private let queue = DispatchQueue(label: "org.bluebonnet.outputs")
    private let start = ContinuousClock.now
    /// The files that other options must not overwrite, with the words that name them.
    let statuses: [(FileStatus, String)]

    /// Opens the files, and leaves their contents; nil if the options ask for nothing.
    ///
    /// - Parameters:
    ///   - state: the state file; nil without the option.
    ///   - inputName: the name of the request lines.
    ///   - others: files that must not be overwritten, with the words that name them in an error.
    init?(
        _ options: OutputFileOptions, state: StateFile?, input: RunInput, inputName: String,
        others: [(FileStatus, String)]
    ) throws(CommandError) {
        guard options.isUsed else { return nil }
        (self.options, self.state) = (options, state)
        var statuses: [(FileStatus, String)] = []
        for file in [state?.file].compactMap(\.self) + options.reports.map(\.file) {
            try file.check(others: others + statuses, isWritten: file.path != state?.path || input.mayRemember)
            if let status = FileStatus(path: file.path) { statuses.append((status, "the file of \(file.option)")) }
        }
        let rows = try options.rows(valueNames: input.valueNames, others: others + statuses)
        if let path = options.into, let status = FileStatus(path: path) {
            statuses.append((status, "the file of --into"))
        }
        self.statuses = statuses
        files = Mutex(Files(rows: rows, reports: try RunReports(options.reports, name: inputName)))
    }

    /// Empties the file of rows.
    func begin() throws(CommandError) { try files.withLock { files throws(CommandError) in try files.rows?.begin() } }

    /// Makes the lines of a run report what they remember.
    func observe(_ settings: inout RequestLineRunner.Settings) {
        guard state != nil else { return }
        settings.onMemories = { [self] memories in changes.withLock { $0.add(memories) } }
    }

    /// Sets the closure that is called once if rows cannot be written.
    func whenRowsFail(_ body: @escaping @Sendable () -> Void) { onError.withLock { $0 = body } }

    /// Adds a result. Blocks while many results wait.
    func receive(_ delivery: LineRunner.Delivery) {
        guard options.usesResults else { return }
        let seconds = (.now - start) / .seconds(1)
        let facts = ResultFacts(delivery)
        let (mustStart, isFull) = backlog.withLock { backlog in
            backlog.results.append((facts, seconds))
            backlog.byteCount += delivery.line.count
            defer { backlog.isRunning = true }
            return (!backlog.isRunning, backlog.byteCount > Self.backlogLimit)
        }
        if mustStart { queue.async { [self] in writeWaiting() } }
        if isFull { queue.sync {} }
    }

    private func writeWaiting() {
        while let results = removeWaiting() {
            if files.withLock({ $0.receive(results) }) { onError.withLock { $0 }?() }
        }
    }

    private func removeWaiting() -> [Delivered]? {
        backlog.withLock { backlog in
            defer { (backlog.results, backlog.byteCount) = ([], 0) }
            if !backlog.results.isEmpty { return backlog.results }
            backlog.isRunning = false
            return nil
        }
    }
}

extension RunOutputs.Files {
    /// Returns true for the first error of the rows.
    fileprivate mutating func receive(_ results: [(facts: ResultFacts, seconds: Double)]) -> Bool {
        for (facts, seconds) in results {
            measures.record(facts)
            reports.record(facts, at: seconds)
        }
        guard rows != nil, rowError == nil else { return false }
        let found = results.flatMap(\.facts.rows)
        guard !found.isEmpty else { return false }
        do throws(CommandError) {
            try rows?.append(found)
            return false
        } catch {
            rowError = error
            return true
        }
    }
}

// MARK: - The end

extension RunOutputs {
    /// How a run ended.
    struct RunEnd: Sendable {
        /// The duration of the run, in seconds.
        var elapsed: Double
        /// Whether a signal or an error ended the run early.
        var isPartial: Bool
        /// Whether every operation succeeded, and all results are written.
        var isSuccess: Bool
    }

    /// The end of a run, as the options see it.
    struct Ending: Sendable {
        var errors: [CommandError] = []
        /// The sentences about conditions that hold; nil without conditions.
        var violations: [String]?
        /// A sentence about the state file.
        var note: String?
    }

    /// Completes all files.
    func finish(_ end: RunEnd) -> Ending {
        queue.sync {}
        var ending = Ending()
        files.withLock { files in
            files.measures.elapsed = end.elapsed
            ending.errors = files.finish(end, start: Date() - end.elapsed)
            if !options.conditions.isEmpty { ending.violations = violations(files.measures) }
        }
        do throws(CommandError) {
            ending.note = try writeState(isSuccess: end.isSuccess && ending.errors.isEmpty)
        } catch {
            ending.errors.append(error)
        }
        return ending
    }

    private func violations(_ measures: RunMeasures) -> [String] {
        options.conditions.compactMap { condition in
            condition.violation(measures).map { "--fail-if '\(condition.text)' holds: \($0)" }
        }
    }

    private func writeState(isSuccess: Bool) throws(CommandError) -> String? {
        let changes = changes.withLock { $0 }
        guard let state, !changes.isEmpty else { return nil }
        guard isSuccess else { return "\(state.path) was not changed, because not every operation succeeded" }
        try state.update { members throws(CommandError) in try changes.applied(to: members) }
        return nil
    }
}

extension RunOutputs.Files {
    /// Completes the rows and the reports. Returns their errors.
    fileprivate mutating func finish(_ end: RunOutputs.RunEnd, start: Date) -> [CommandError] {
        var errors: [CommandError] = []
        if let rowError {
            errors.append(.unusable(rowError.sentence + "; the run was stopped"))
        } else {
            do throws(CommandError) { try rows?.finish() } catch { errors.append(error) }
        }
        return errors + reports.write(elapsed: end.elapsed, start: start, isPartial: end.isPartial)
    }
}

extension CommandError {
    fileprivate var sentence: String {
        if case .unusable(let sentence) = self { sentence } else { message }
    }
}
