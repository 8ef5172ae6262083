// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
package import BluebonnetBatch
internal import BluebonnetHTTP
internal import BluebonnetLocks
internal import Dispatch
package import Foundation

/// Runs the lines of a batch with a journal: delivers the results of lines that ended in earlier runs, passes the
/// other lines to a `RequestLineRunner` as slots become free, records the outcomes, and delivers each result when it
/// is durable.
///
/// Lines that arrive later are added on one thread; all other members may be used from any thread.
package final class JournaledRun: Sendable {
    /// The result of a line.
    package struct Delivery: Sendable {
        /// How the operation ended.
        package let outcome: ResultLine.Outcome
        /// The bytes of the body.
        package let byteCount: Int
        /// The encoded result line with its line break.
        package let line: Data
        /// The result; nil for a recorded success to which no other line refers, and for a record that cannot be
        /// decoded.
        package let result: ResultLine?
        /// Whether the result comes from the journal of an earlier run.
        package let isFromJournal: Bool
    }

    struct State {
        var unmarked: UnmarkedLines
        /// Whether lines that are cancelled from now on are only postponed.
        var isInterrupted = false
        var failure: JournalError?
        /// Lines that are to run: the positions of lines that may have been sent before, and the fingerprints of lines
        /// that arrive later, by position.
        var sentBefore: Set<Int> = []
        var fingerprints: [Int: String] = [:]
        /// The bytes of the bodies of lines that ended in earlier runs.
        var restoredByteCount: Int64 = 0
        /// The number of pages and elements that were started.
        var partCount = 0
    }

    let settings: RequestLineRunner.Settings
    let journal: OpenedJournal
    private let runner: RequestLineRunner
    let pump: LinePump
    let pipelines: PipelineRunner
    let state: Mutex<State>
    private let group = DispatchGroup()
    let writer: JournalWriter
    private let onDelivery: @Sendable (Delivery) -> Void
    private let onFailure: @Sendable (JournalError) -> Void

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - schedule: all lines; nil if the lines arrive later.
    ///   - onDelivery: called once for each line, one at a time, on the journal's delivery queue.
    ///   - onFailure: called once when the journal can no longer be read or written. The run is cancelled then; later
    ///     results are delivered, but may not be durable.
    package init(
        settings: RequestLineRunner.Settings, journal: OpenedJournal, lines: any LineSource, schedule: LineSchedule?,
        onDelivery: @escaping @Sendable (Delivery) -> Void,
        onFailure: @escaping @Sendable (JournalError) -> Void = { _ in }
    ) {
        (self.settings, self.journal) = (settings, journal)
        (self.onDelivery, self.onFailure) = (onDelivery, onFailure)
        runner = RequestLineRunner(settings: settings) { _ in }
        pump = LinePump(lines, schedule: schedule, limits: settings.scheduleLimits)
        let parts = JournaledParts()
        pipelines = PipelineRunner(runner, pump: pump, settings: settings, recorder: parts)
        let window = SendWindow(limit: settings.concurrency, limitPerLane: settings.concurrencyPerOrigin)
        state = Mutex(State(unmarked: UnmarkedLines(window: window)))
        writer = JournalWriter(journal.store)
        writer.setFailureHandler { [weak self] in self?.fail($0) }
        parts.setRun(self)
    }

    /// Starts running lines. To be called once.
    package func begin() {
        pump.begin { [self] in
            stopIfItFailedBefore()
            if journal.batch.lineCount != nil { restore() }
        } start: { [self] in
            start($0)
        } abandon: { [self] position, result in
            abandon(position, result)
        }
    }

    /// Returns the receiver of lines that arrive later.
    package func makeFeed() -> JournaledFeed { JournaledFeed(run: self, journal: journal) }

    /// Cancels all lines that have not ended. Another run continues the batch: only unsafe requests that may have been
    /// sent are lost.
    package func cancel() {
        state.withLock { $0.isInterrupted = true }
        stop()
    }

    /// Stops starting lines, lets running operations finish for at most `Settings.drainTimeout`, then cancels the
    /// rest, as `cancel()` does.
    package func drain() async {
        pump.close()
        state.withLock { state in
            state.isInterrupted = true
            state.unmarked.close()
        }
        pipelines.close()
        await runner.drain()  // and cancels the runner
        pump.stop()
        update { $0.stop() }
    }

    /// Suspends the calling task until the results of all lines have been delivered, and closes the journal. To be
    /// called once, after the last line.
    ///
    /// - Throws: why the journal could not be read, written or closed, or why lines could no longer be read.
    package func finish() async throws(JournalError) {
        pump.complete()
        var failure: JournalError?
        do throws(LineSourceError) {
            try await pump.finish()
        } catch {
            failure = JournalError(.unavailable, error.message)
        }
        await withCheckedContinuation { waiter in
            group.notify(queue: .global()) { waiter.resume() }
        }
        failure = state.withLock { $0.failure } ?? failure
        do throws(JournalError) {
            try writer.finish()
        } catch {
            failure = failure ?? error
        }
        await runner.finishValidations()
        if let failure { throw failure }
    }

    /// Returns the state of the run: see `RequestLineRunner.snapshot(largest:)`.
    package func snapshot(largest count: Int) -> RequestLineRunner.Snapshot {
        let restoredByteCount = state.withLock { $0.restoredByteCount }
        return runner.snapshot(largest: count).of(pump, pipelines, restoredByteCount: restoredByteCount)
    }

    /// Returns the lines for which the most other lines wait.
    package func waits(limit: Int, sampleLimit: Int) -> [LineWait] {
        pump.waits(limit: limit, sampleLimit: sampleLimit)
    }

    /// Returns whether other lines depend on the line with an id, or may depend on it.
    package func isNeeded(_ id: String) -> Bool { pump.isNeeded(id) }

    func stop() {
        pump.stop()
        pipelines.stop()
        runner.cancel()
        update { $0.stop() }
    }

    func fail(_ error: JournalError) {
        let isFirst = state.withLock { state in
            defer { state.failure = state.failure ?? error }
            return state.failure == nil
        }
        guard isFirst else { return }
        onFailure(error)
        cancel()
    }
}

// MARK: - Lines that arrive later

extension JournaledRun {
    /// Adds a line of a stream, with its record if the journal has one.
    func add(
        _ added: StreamedLines.Added, _ position: Int, _ fingerprint: String, _ record: JournalRecord?
    ) {
        var isAdded = false
        // The parts of a line are recorded one by one: the line runs again, and finds them.
        if let record, !pump.lines.hasParts(added.position) {
            apply(record, added.node.line.line, true) { outcome, source, reason in
                pump.add(added, endedBefore: outcome, source, reason: reason)
                isAdded = true
            }
        }
        guard !isAdded else { return }
        state.withLock { $0.fingerprints[position] = fingerprint }
        pump.add(added)
    }
}

// MARK: - From the pump to the runner

extension JournaledRun {
    private func start(_ line: LinePump.Line) {
        let (wasSentBefore, fingerprint) = state.withLock { state in
            (state.sentBefore.contains(line.position), state.fingerprints.removeValue(forKey: line.position))
        }
        let hasParts = pump.lines.hasParts(line.position)
        let journaled = JournaledLine(
            id: line.node.line.id, node: hasParts ? line.node : keyed(line), position: line.position, needs: line.needs,
            isReferenced: line.isReferenced, wasSentBefore: wasSentBefore, fingerprint: fingerprint
        ) { [self] in
            run($0)
        }
        group.enter()
        // The parts of a line are marked one by one.
        if journaled.needsMark, !hasParts { update { $0.add(journaled) } } else { run(journaled) }
    }

    private func run(_ line: JournaledLine) {
        let started = LinePump.Line(
            position: line.position, node: line.node, needs: line.needs, isReferenced: line.isReferenced)
        pipelines.start(started) { [self] in
            ended(line, $0)
            group.leave()
        }
    }

    /// Returns the line with its automatic key from the journal.
    private func keyed(_ line: LinePump.Line) -> RequestLineGraph.Node {
        guard line.node.line.line.idempotencyKey == .automatic else { return line.node }
        return line.node.with(idempotencyKey: .value(journal.batch.key(at: line.position)))
    }

    /// Applies a change to the lines that wait, and carries out its effects without the lock.
    func update(_ change: (inout UnmarkedLines) -> [UnmarkedLines.Effect]) {
        for effect in state.withLock({ change(&$0.unmarked) }) {
            switch effect {
            case .start(let line): line.run(line)
            case .mark(let line): mark(line)
            }
        }
    }

    private func mark(_ line: JournaledLine) {
        let entry = JournalWriter.Entry(record: line.record(.mayHaveBeenSent), file: nil, byteCount: 0, isMark: true) {
            [self] isDurable in
            if !isDurable { cancel() }  // before the runner gets the line, which must not be sent
            update { $0.marked(line.position, isDurable: isDurable) }
        }
        writer.append(entry, isUrgent: true)
    }
}

// MARK: - From the runner to the journal

extension JournaledRun {
    /// Handles the end of a line.
    private func ended(_ line: JournaledLine, _ end: RequestLineRunner.End) {
        let result = end.result
        let isLast = result.outcome == .failure && settings.cancelsAtFirstFailure
        ended(line, end) { [pump] in
            pump.end(line.position, result.outcome, end.source, reason: result.skipReason, isLast: isLast)
        }
        if isLast { stop() }
    }

    /// Records and delivers the end of a line, a page or an element.
    ///
    /// - Parameter then: called when others may act on the end.
    func ended(_ line: JournaledLine, _ end: RequestLineRunner.End, then: @escaping @Sendable () -> Void) {
        let result = end.result
        let delivery = Delivery(result)
        let isPutOff = result.outcome == .cancelled && state.withLock { $0.isInterrupted }
        let known = isPutOff ? stateOfPutOff(line, result) : .ended(ending(end, delivery))
        let output = result.outcome == .success ? line.node.line.line.output : nil
        // Lines that wait for an unsafe line are sent only after its success is durable: after a crash its outcome
        // would be unknown.
        let waits = line.isMarked && result.outcome == .success
        enqueue(
            record: known.map(line.record), output: output, isUrgent: line.isMarked, onWritten: waits ? then : nil,
            delivery)
        if !waits { then() }
        if line.isMarked, let ticket = line.ticket { update { $0.ended(ticket) } }
        writer.waitForRoom()
    }

    /// Handles a line that is not run, on the pump's thread.
    private func abandon(_ position: Int, _ result: ResultLine) {
        pipelines.abandon(position, result)
        let (isInterrupted, fingerprint) = state.withLock { state in
            (state.isInterrupted, state.fingerprints.removeValue(forKey: position))
        }
        let (id, outcome) = (result.id, result.outcome)
        let delivery = Delivery(result)
        var record: JournalRecord?
        if !isInterrupted || outcome != .cancelled {
            let ending = JournalRecord.Ending(outcome: outcome, byteCount: 0, line: delivery.line)
            record = JournalRecord(position: position, id: id, state: .ended(ending), fingerprint: fingerprint)
        }
        enqueue(record: record, isUrgent: false, delivery)
        writer.waitForRoom()
    }

    /// Returns the state to record for a cancelled line that another run continues; nil to record nothing. A mark is
    /// kept, unless this run has made it and has sent nothing.
    private func stateOfPutOff(_ line: JournaledLine, _ result: ResultLine) -> JournalRecord.State? {
        line.isMarked && !line.wasSentBefore && result.attempts == 0 ? .waiting : nil
    }

    private func ending(_ end: RequestLineRunner.End, _ delivery: Delivery) -> JournalRecord.Ending {
        let hasText = settings.bodyForm == .text && end.result.body != nil
        return JournalRecord.Ending(
            outcome: delivery.outcome, byteCount: delivery.byteCount, line: delivery.line,
            referencedBody: hasText ? nil : end.source?.body, findings: end.recordedFindings)
    }

    /// Passes a result to the writer, which records and then delivers it.
    func enqueue(
        record: JournalRecord?, output: String? = nil, isUrgent: Bool,
        onWritten: (@Sendable () -> Void)? = nil, _ delivery: Delivery
    ) {
        group.enter()
        var entry = JournalWriter.Entry(
            record: record, file: output.map(OutputSync.place), byteCount: delivery.line.count + bodyByteCount(record)
        ) { [onDelivery, group] _ in
            onDelivery(delivery)
            group.leave()
        }
        entry.onWritten = onWritten
        writer.append(entry, isUrgent: isUrgent)
    }
}

extension JournaledRun.Delivery {
    fileprivate init(_ result: ResultLine) {
        self.init(
            outcome: result.outcome, byteCount: result.bytes ?? 0, line: result.encodedLine(), result: result,
            isFromJournal: false)
    }
}

private func bodyByteCount(_ record: JournalRecord?) -> Int {
    guard case .ended(let ending)? = record?.state else { return 0 }
    return ending.referencedBody?.count ?? 0
}
