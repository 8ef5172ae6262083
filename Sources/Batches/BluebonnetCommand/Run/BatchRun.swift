// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetFleet
internal import BluebonnetJournal
import BluebonnetLocks
import Dispatch
import Foundation

/// Runs one batch: reads lines, runs operations, and delivers result lines. It knows neither options nor terminals.
final class BatchRun: Sendable {
    private struct State {
        var tally = RunTally()
        var isTotalKnown = false
    }

    /// The maximum number of lines of a stream without a result. At this limit, reading waits.
    private static let streamLimit = 10_000

    private let input: RunInput
    private let runner: LineRunner
    private let control: StopControl
    private let state: SharedState
    private let freeStreams = DispatchSemaphore(value: BatchRun.streamLimit)

    /// - Parameters:
    ///   - input: the lines.
    ///   - journal: the journal for the outcomes; nil without a journal.
    ///   - outputs: the files about the run; nil without such files.
    ///   - status: receives the results for a status page; nil without a page.
    ///   - onResult: called with each result line, with its line end, one at a time.
    init(
        settings: RequestLineRunner.Settings, input: RunInput, journal: OpenedJournal? = nil, control: StopControl,
        outputs: RunOutputs? = nil, status: RunStatus? = nil, onResult: @escaping @Sendable (Data) -> Void
    ) {
        let state = SharedState()
        runner = LineRunner(settings: settings, input: input, journal: journal) { [freeStreams] delivery in
            state.update { $0.tally.record(delivery) }
            onResult(delivery.line)
            outputs?.receive(delivery)
            status?.receive(delivery)
            if delivery.outcome == .failure && settings.cancelsAtFirstFailure { control.stop(.operationFailed) }
            freeStreams.signal()
        } onFailure: {
            control.stop(.journalLost)
        }
        (self.input, self.control, self.state) = (input, control, state)
        control.onStop { [runner] reason in
            switch reason {
            case .interrupted, .resultsLost, .journalLost: runner.cancel()
            case .terminated: Task { await runner.drain() }
            case .operationFailed, .interruptedAgain: break
            }
        }
    }

    /// The tally of the results so far.
    var tally: RunTally { state.value.tally }

    /// Returns whether other lines depend on the line with an id, or may depend on it.
    func isNeeded(_ id: String) -> Bool { runner.isNeeded(id) }

    /// The state of the run, and whether all of its lines were read.
    var progress: (snapshot: RequestLineRunner.Snapshot, isTotalKnown: Bool) {
        let isTotalKnown = state.value.isTotalKnown
        return (runner.snapshot(largest: ProgressRenderer.transferCount), isTotalKnown)
    }

    /// The state of the run for a status page.
    var status: RunStatus.RunProgress {
        let (snapshot, isTotalKnown) = progress
        let waits = runner.waits(limit: RunStatus.waitLimit, sampleLimit: FailureGroups.shownSampleLimit)
        return RunStatus.RunProgress(snapshot: snapshot, isTotalKnown: isTotalKnown, tally: tally, waits: waits)
    }

    /// Runs all lines of the input. Returns when each line has its result.
    ///
    /// - Throws: the error of the bad line at which reading a stream stopped, or of the journal.
    func run() async throws(CommandError) {
        runner.begin()
        let outcome: Result<Void, CommandError> =
            switch input {
            case .batch: .success(())
            case .stream(let reader, let lines, let rules):
                await Self.onThread { [self] in read(reader, StreamedBatch(lines, rules)) }
            }
        state.update { $0.isTotalKnown = true }
        try await runner.finish()
        try outcome.get()
    }

    /// Starts the lines of a stream as they arrive.
    private func read(_ reader: StreamReader, _ batch: StreamedBatch) -> Result<Void, CommandError> {
        var batch = batch
        let feed = runner.feed()
        return Result { () throws(CommandError) in
            try batch.read(reader) { line throws(CommandError) in
                freeStreams.wait()
                try feed(line)
            }
        }
    }

    /// Runs `work` on a new thread, which may block while it waits for lines and for the journal.
    private static func onThread(
        _ work: @escaping @Sendable () -> Result<Void, CommandError>
    ) async -> Result<Void, CommandError> {
        await withCheckedContinuation { done in
            Thread.detachNewThread { done.resume(returning: work()) }
        }
    }
}

extension BatchRun {
    /// The state, shared by several threads.
    private final class SharedState: Sendable {
        private let state = Mutex(State())

        var value: State { state.withLock { $0 } }

        func update(_ change: (inout State) -> Void) {
            state.withLock { change(&$0) }
        }
    }
}
