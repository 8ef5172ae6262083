// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetCache
internal import BluebonnetJournal

/// Connects the parts of one run: the batch, the writer of results, the display and the signals. Must be created on
/// the main thread.
final class RunSession: Sendable {
    private let control: StopControl
    private let display: ProgressDisplay?
    private let writer: ResultWriter
    private let run: BatchRun
    private let observer: RunObserver?
    private let outputs: RunOutputs?
    private let showsSummary: Bool
    /// The limits of concurrent transfers, in all and to one origin.
    private let concurrency, concurrencyPerOrigin: Int
    private let start = ContinuousClock.now

    init(
        settings: RequestLineRunner.Settings, input: RunInput, journal: OpenedJournal?, target: ResultTarget,
        observer: RunObserver? = nil, outputs: RunOutputs? = nil, status: RunStatus? = nil, progress: ProgressStyle?,
        showsSummary: Bool,
        control: StopControl
    ) {
        let display = progress.map { ProgressDisplay($0) }
        if progress == .bars, let display { Signals.suspend(display) }
        let sharesTerminal = progress == .bars && target.isTerminal
        let writer = ResultWriter(target) { write in
            if sharesTerminal, let display { display.whileErased(write) } else { write() }
        } onError: {
            control.stop(.resultsLost)
        }
        control.onStop { reason in
            guard reason == .interruptedAgain else { return }
            display?.restoreTerminal()
            writer.end(.interrupted)
        }
        outputs?.whenRowsFail { control.stop(.resultsLost) }
        run = BatchRun(
            settings: settings, input: input, journal: journal, control: control, outputs: outputs, status: status
        ) {
            writer.append($0)
        }
        status?.begin { [run] in run.status }
        (self.control, self.display, self.writer, self.showsSummary) = (control, display, writer, showsSummary)
        (self.observer, self.outputs) = (observer, outputs)
        let write: @Sendable (String) -> Void = { text in
            if let display { display.whileErased { StandardError.write(text) } } else { StandardError.write(text) }
        }
        observer?.begin(isNeeded: { [run] in run.isNeeded($0) }, write: write)
        let cache = settings.transferOptions.responseCache as? FolderResponseCache
        cache?.onFirstFailure = { write(CacheOptions.warning($0)) }
        (concurrency, concurrencyPerOrigin) = (settings.concurrency, settings.concurrencyPerOrigin)
    }

    /// Runs all lines of the input and returns the exit status. Errors are written to standard error.
    func run() async -> ExitStatus {
        display?.show { [run] in run.progress }
        let lineError = await Self.error { () async throws(CommandError) in try await run.run() }
        let writeError = await Self.error { () async throws(CommandError) in try writer.finish() }
        let elapsed = (.now - start) / .seconds(1)
        let tally = run.tally
        let (times, observerErrors) = await observed(tally, elapsed: elapsed)
        let summary = RunSummary(
            tally: tally, elapsed: elapsed, concurrency: concurrency, concurrencyPerOrigin: concurrencyPerOrigin)
        let text = showsSummary ? summary.text + times : ""
        if let display { display.finish(text) } else { StandardError.write(text) }
        let isWhole = lineError == nil && writeError == nil && observerErrors.isEmpty
        let ending = finishOutputs(tally, elapsed: elapsed, isWhole: isWhole)
        let errors = [lineError, writeError].compactMap(\.self) + observerErrors + ending.errors
        for error in errors { StandardError.write(error.message + "\n") }
        if let note = ending.note { StandardError.write(note + "\n") }
        for violation in ending.violations ?? [] { StandardError.write(violation + "\n") }
        if control.reason == .interrupted || control.reason == .terminated { return .interrupted }
        let filesAreWritten = writeError == nil && observerErrors.isEmpty && ending.errors.isEmpty
        if !filesAreWritten || control.reason == .journalLost { return .failure }
        if lineError != nil { return .usage }
        return ending.violations?.isEmpty ?? tally.isSuccess ? .success : .failure
    }

    /// Completes the files of rows and reports, and the state file.
    ///
    /// - Parameter isWhole: whether all lines were read, and the other files were written.
    private func finishOutputs(_ tally: RunTally, elapsed: Double, isWhole: Bool) -> RunOutputs.Ending {
        let wasStopped = control.reason.map { $0 > .operationFailed } ?? false
        let end = RunOutputs.RunEnd(
            elapsed: elapsed, isPartial: wasStopped || !isWhole, isSuccess: isWhole && !wasStopped && tally.isSuccess)
        return outputs?.finish(end) ?? RunOutputs.Ending()
    }

    /// Completes the files of the observer. Returns the text of `--summary`, and the errors of the files.
    private func observed(_ tally: RunTally, elapsed: Double) async -> (String, [CommandError]) {
        guard let observer else { return ("", []) }
        var errors = await observer.finish()
        guard let times = observer.summary(elapsed: elapsed) else { return ("", errors) }
        do throws(CommandError) {
            try observer.write(times, tally)
        } catch {
            errors.append(error)
        }
        return (observer.showsSummary ? times.text : "", errors)
    }

    private static func error(of work: () async throws(CommandError) -> Void) async -> CommandError? {
        do throws(CommandError) {
            try await work()
            return nil
        } catch {
            return error
        }
    }
}
