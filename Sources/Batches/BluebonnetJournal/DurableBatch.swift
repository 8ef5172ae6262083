// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import BluebonnetBatch
internal import BluebonnetLocks

/// A batch of request lines that outlives its process. A journal records the state of each line. Another run of the
/// same lines with the same journal continues where the last run ended, however it ended.
///
/// ```swift
/// let batch = try DurableBatch(of: lines, journal: SQLiteJournal(path: "batch.journal"))
/// let outcome = try await batch.run { result in print(result.id, result.outcome) }
/// ```
///
/// Ended lines are not sent again: their recorded results are delivered, and their responses serve the references of
/// other lines. A line whose output file is missing or has another length runs again, or fails if it is not safe to
/// repeat. Before a request with a method other than GET, HEAD, OPTIONS and TRACE is sent, the journal has "may have
/// been sent" on the disk. If the process ends before the outcome is on the disk, the next run does not send the line:
/// its outcome is `unknown`, unless the line has an `Idempotency-Key` or the options say otherwise. All members may be
/// used from any thread.
public final class DurableBatch: Sendable {
    /// How a run uses the records of the journal.
    public struct Options: Sendable {
        /// Whether the journal is emptied first, whatever batch it belongs to. Default false.
        public var restarts = false
        /// Whether requests that are not safe to repeat, and that may have been sent, are sent again. Default false.
        public var resendsUnsafeRequests = false
        /// Whether failed and cancelled lines run again, whatever their methods. Default false. Skipped lines always
        /// run again.
        public var retriesFailedLines = false

        /// The defaults.
        public init() {}
    }

    /// How a run ended.
    public struct Outcome: Sendable, Hashable {
        /// The number of lines by outcome. Outcomes without lines are left out.
        public internal(set) var counts: [ResultLine.Outcome: Int] = [:]
        /// The number of lines whose result was in the journal.
        public internal(set) var restoredCount = 0

        /// The number of lines.
        public var totalCount: Int { counts.values.reduce(0, +) }
        /// Whether every line succeeded.
        public var isSuccess: Bool { totalCount == counts[.success] ?? 0 }
    }

    private enum Phase {
        case ready(isCancelled: Bool)
        case running(JournaledRun)
    }

    private let lines: ListedLines
    private let schedule: LineSchedule
    private let digest: String
    private let journal: any JournalStore
    private let settings: RequestLineRunner.Settings
    private let options: Options
    private let phase = Mutex(Phase.ready(isCancelled: false))

    /// Creates a batch from lines. Nothing is opened or sent before `run`.
    ///
    /// A line without an id gets its number, from 1, as its id. The lines, and the settings that change which requests
    /// are sent or what results say (base URL, headers, form and limit of bodies, content decoding, dot segments,
    /// first failure), identify the journal's batch: a later run needs the same lines and settings.
    ///
    /// - Throws: the errors of the lines: a duplicate id, an unknown dependency, a cycle, an output that is a file of
    ///   the journal.
    public init(
        of lines: [RequestLine], journal: any JournalStore, settings: RequestLineRunner.Settings = .init(),
        options: Options = .init()
    ) throws(RequestLineErrors) {
        let numbered = lines.enumerated().map { NumberedLine(number: $0 + 1, line: $1) }
        self.lines = ListedLines(
            try RequestLineGraph(numbered, reserved: journal.reservedPaths).nodesInDependencyOrder)
        schedule = self.lines.schedule(settings.scheduleLimits)
        digest = BatchDigest.ofLines(lines, settings)
        (self.journal, self.options, self.settings) = (journal, options, settings)
    }

    /// Runs the rest of the batch. To be called once. Cancelling the calling task cancels the batch.
    ///
    /// - Parameter onResult: called once for each line, one at a time, on the journal's delivery queue, when the
    ///   result is durable.
    /// - Returns: how the batch ended, after all results were delivered.
    /// - Throws: why the journal cannot be opened, read or written. The records are kept: another run continues.
    public func run(
        onResult: @escaping @Sendable (ResultLine) -> Void = { _ in }
    ) async throws(JournalError) -> Outcome {
        let opened = try OpenedJournal(
            journal, digest: digest, lineCount: schedule.count,
            options: .init(
                isRestarted: options.restarts, resendsUnsafe: options.resendsUnsafeRequests,
                retriesFailed: options.retriesFailedLines))
        let outcome = OutcomeBox()
        let run = JournaledRun(settings: settings, journal: opened, lines: lines, schedule: schedule) { delivery in
            outcome.record(delivery)
            if let result = delivery.result ?? (try? ResultLine(encodedLine: delivery.line)) { onResult(result) }
        }
        begin(run)
        let ending = await withTaskCancellationHandler {
            run.begin()
            return await run.ending
        } onCancel: {
            run.cancel()
        }
        try ending.get()
        return outcome.value
    }

    /// The state of the run; nil before the run has begun.
    public var progress: RequestLineRunner.Snapshot? {
        guard case .running(let run) = phase.withLock({ $0 }) else { return nil }
        return run.snapshot(largest: 0)
    }

    /// Cancels all lines that have not ended. Each line still gets its result, and another run continues.
    public func cancel() {
        let run: JournaledRun? = phase.withLock { phase in
            if case .running(let run) = phase { return run }
            phase = .ready(isCancelled: true)
            return nil
        }
        run?.cancel()
    }

    /// Stops starting lines, lets running operations finish for at most `Settings.drainTimeout`, then cancels the
    /// rest.
    public func drain() async {
        guard case .running(let run) = phase.withLock({ $0 }) else { return cancel() }
        await run.drain()
    }

    private func begin(_ run: JournaledRun) {
        let isCancelled = phase.withLock { phase in
            guard case .ready(let isCancelled) = phase else { preconditionFailure("a durable batch runs once") }
            phase = .running(run)
            return isCancelled
        }
        if isCancelled { run.cancel() }
    }
}

extension JournaledRun {
    /// Waits for the end of the run, and returns the error as a value.
    fileprivate var ending: Result<Void, JournalError> {
        get async {
            do throws(JournalError) {
                return .success(try await finish())
            } catch {
                return .failure(error)
            }
        }
    }
}

/// Counts results when they are delivered.
private final class OutcomeBox: Sendable {
    private let outcome = Mutex(DurableBatch.Outcome())

    var value: DurableBatch.Outcome { outcome.withLock { $0 } }

    func record(_ delivery: JournaledRun.Delivery) {
        outcome.withLock { outcome in
            outcome.counts[delivery.outcome, default: 0] += 1
            if delivery.isFromJournal, delivery.outcome != .unknown { outcome.restoredCount += 1 }
        }
    }
}
