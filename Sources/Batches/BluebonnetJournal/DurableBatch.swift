// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import BluebonnetBatch
internal import BluebonnetLocks

/// A batch of request lines that outlives its process: what has become of each line is in a journal, and another run of
/// the same lines with the same journal continues where the last one ended, however it ended.
///
/// ```swift
/// let batch = try DurableBatch(of: lines, journal: SQLiteJournal(path: "batch.journal"))
/// let outcome = try await batch.run { result in print(result.id, result.outcome) }
/// ```
///
/// Lines that have ended are not sent again: their results are delivered, and what they returned serves the references
/// of other lines. A line whose output file is gone or has another length runs again, or has failed where that is not
/// safe. Before a request with another method than GET, HEAD, OPTIONS and TRACE is sent, "may have been sent"
/// is on the disk. If the process then ends before the outcome is, the next run does not send the line: its outcome is
/// `unknown`, unless the line has an `Idempotency-Key` or the options say otherwise. All members may be used from any
/// thread.
public final class DurableBatch: Sendable {
    /// How a run takes what the journal has.
    public struct Options: Sendable {
        /// Whether the journal is emptied first, whatever it is of. Default false.
        public var restarts = false
        /// Whether requests that are not safe to repeat, and that may have been sent, are sent again. Default false.
        public var resendsUnsafeRequests = false
        /// Whether lines that failed or were cancelled run again, whatever their methods. Default false. Lines that
        /// were skipped run again in any case.
        public var retriesFailedLines = false

        /// The defaults.
        public init() {}
    }

    /// How a run ended.
    public struct Outcome: Sendable, Hashable {
        /// The number of lines by how they ended; outcomes of no line are left out.
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

    /// Makes a batch of lines; nothing is opened or sent before `run`.
    ///
    /// A line without an id has the number of its place, from 1. The lines, and the settings that change which requests
    /// are sent or what results say (base URL, headers, form and limit of bodies, dot segments, first failure), tell
    /// the journal's batch from others: a later run needs the same.
    ///
    /// - Throws: what is wrong with the lines: an id that is used twice, an unknown dependency, a cycle, an output that
    ///   is a file of the journal.
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

    /// Runs what is left of the batch. To be called once. Cancelling the calling task cancels the batch.
    ///
    /// - Parameter onResult: called once for each line, one at a time, on a queue of the journal's, when the result is
    ///   durable.
    /// - Returns: how the batch ended, when all results have been delivered.
    /// - Throws: why the journal cannot be opened, read or written. Records stay: another run continues.
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
            outcome.note(delivery)
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

    /// The state of the run; nil before it began.
    public var progress: RequestLineRunner.Snapshot? {
        guard case .running(let run) = phase.withLock({ $0 }) else { return nil }
        return run.snapshot(largest: 0)
    }

    /// Cancels everything that has not finished. Each line still gets its result, and another run continues.
    public func cancel() {
        let run: JournaledRun? = phase.withLock { phase in
            if case .running(let run) = phase { return run }
            phase = .ready(isCancelled: true)
            return nil
        }
        run?.cancel()
    }

    /// Starts nothing more, lets running operations finish for at most `Settings.drainTimeout`, then cancels the rest.
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
    /// Waits for the end, as a value.
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

/// Counts results as they are delivered.
private final class OutcomeBox: Sendable {
    private let outcome = Mutex(DurableBatch.Outcome())

    var value: DurableBatch.Outcome { outcome.withLock { $0 } }

    func note(_ delivery: JournaledRun.Delivery) {
        outcome.withLock { outcome in
            outcome.counts[delivery.outcome, default: 0] += 1
            if delivery.isFromJournal, delivery.outcome != .unknown { outcome.restoredCount += 1 }
        }
    }
}
