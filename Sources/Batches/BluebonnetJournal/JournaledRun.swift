// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
package import BluebonnetBatch
internal import BluebonnetHTTP
internal import BluebonnetLocks
internal import Dispatch
package import Foundation

/// Runs the lines of a batch with a journal: delivers the results of lines that have ended before, gives the others to
/// a `RequestLineRunner` as there is room, records what becomes of them, and delivers each result when it is durable.
///
/// Lines that come later are added on one thread; all other members may be used from any thread.
package final class JournaledRun: Sendable {
    /// The result of a line.
    package struct Delivery: Sendable {
        /// How the operation ended.
        package let outcome: ResultLine.Outcome
        /// The bytes of its body.
        package let byteCount: Int
        /// The result line as it is written, with its line end.
        package let line: Data
        /// The result; nil when it was read from the journal and has nothing but success to tell.
        package let result: ResultLine?
        /// Whether the line had ended before this run.
        package let isFromJournal: Bool
    }

    private struct State {
        var held: HeldLines
        /// Whether what is cancelled from now on is only put off.
        var isInterrupted = false
        var failure: JournalError?
        /// What has to be known of lines that are to run: those that may have been sent before, and the fingerprints of
        /// lines that come later, by position.
        var sentBefore: Set<Int> = []
        var fingerprints: [Int: String] = [:]
        /// The bytes of the bodies of lines that had ended before.
        var restoredByteCount: Int64 = 0
    }

    private let settings: RequestLineRunner.Settings
    private let journal: OpenedJournal
    private let runner: RequestLineRunner
    private let pump: LinePump
    private let state: Mutex<State>
    private let group = DispatchGroup()
    private let writer: JournalWriter
    private let onDelivery: @Sendable (Delivery) -> Void
    private let onFailure: @Sendable (JournalError) -> Void

    /// Makes a run.
    ///
    /// - Parameters:
    ///   - schedule: all lines; nil when they come later.
    ///   - onDelivery: called once for each line, one at a time, on a queue of the journal's.
    ///   - onFailure: called once when the journal cannot be written any more. The run is cancelled then; results that
    ///     come after that are delivered, but are not durable.
    package init(
        settings: RequestLineRunner.Settings, journal: OpenedJournal, lines: any LineSource, schedule: LineSchedule?,
        onDelivery: @escaping @Sendable (Delivery) -> Void,
        onFailure: @escaping @Sendable (JournalError) -> Void = { _ in }
    ) {
        (self.settings, self.journal) = (settings, journal)
        (self.onDelivery, self.onFailure) = (onDelivery, onFailure)
        runner = RequestLineRunner(settings: settings) { _ in }
        pump = LinePump(lines, schedule: schedule, limits: settings.scheduleLimits)
        let window = SendWindow(limit: settings.concurrency, limitPerLane: settings.concurrencyPerOrigin)
        state = Mutex(State(held: HeldLines(window: window)))
        writer = JournalWriter(journal.store)
        writer.setFailureHandler { [weak self] in self?.fail($0) }
    }

    /// Begins to run lines. To be called once.
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

    /// The receiver of later lines.
    package func makeFeed() -> JournaledFeed { JournaledFeed(run: self, journal: journal) }

    /// Cancels everything that has not finished. Another run continues it: only unsafe requests that may have been
    /// sent are lost.
    package func cancel() {
        state.withLock { $0.isInterrupted = true }
        stop()
    }

    /// Starts nothing more, lets running operations finish for at most `Settings.drainTimeout`, then cancels the rest,
    /// as `cancel()` does.
    package func drain() async {
        pump.close()
        state.withLock { state in
            state.isInterrupted = true
            state.held.close()
        }
        await runner.drain()
        stop()
    }

    /// Suspends the calling task until the results of all lines have been delivered, and lets go of the journal. To be
    /// called once, after the last line.
    ///
    /// - Throws: why the journal could not be read or written, or that lines could not be read any more.
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
        if let failure { throw failure }
    }

    /// Returns the state of the run: see `RequestLineRunner.snapshot(largest:)`.
    package func snapshot(largest count: Int) -> RequestLineRunner.Snapshot {
        let restoredByteCount = state.withLock { $0.restoredByteCount }
        return runner.snapshot(largest: count).of(pump, restoredByteCount: restoredByteCount)
    }

    private func stop() {
        pump.stop()
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

// MARK: - Lines that have ended before

extension JournaledRun {
    /// Takes what the journal has of the lines, all of which are known.
    private func restore() {
        var cursor = RecordCursor(journal.store, isEmpty: !journal.hasRecords)
        let count = pump.standing.count
        do throws(JournalError) {
            while let record = try cursor.next(), record.position < count {
                guard FieldSyntax.isSameText(record.id, pump.lines.id(at: record.position)) else {
                    throw JournalError(
                        .damaged, "the journal is damaged: it has the id \(record.id) at position \(record.position)")
                }
                let mayHaveOutput = pump.lines.mayHaveOutput(at: record.position)
                take(record, line(at: record.position), mayHaveOutput) { pump.end(record.position, $0, $1, reason: $2) }
            }
        } catch {
            fail(error)
        }
    }

    /// A line; nil when it cannot be read.
    private func line(at position: Int) -> RequestLine? { (try? pump.lines.node(at: position))?.line.line }

    private func isRepeatable(_ line: RequestLine) -> Bool {
        line.isSafe || line.hasIdempotencyKey || settings.headers.hasIdempotencyKey
    }

    /// Takes a record: a line that has ended is delivered, one that may have been sent is noted.
    ///
    /// - Parameters:
    ///   - line: the line, which is read only when it matters; nil when it cannot be read.
    ///   - end: is told how the line ended, if it did; what it is told is what the pump has to know.
    private func take(
        _ record: JournalRecord, _ line: @autoclosure () -> RequestLine?, _ mayHaveOutput: @autoclosure () -> Bool,
        end: (ResultLine.Outcome, ReferenceSource?, String?) -> Void
    ) {
        let step = ReopeningStep(
            record.state, isRepeatable: line().map(isRepeatable) ?? false, options: journal.options,
            hasOutput: !mayHaveOutput() || hasOutput(line(), record))
        switch step {
        case .deliver(let ending): deliver(ending, of: record, end)
        case .reportUnknown:
            let reason = "the process ended when the request may have been sent, and its outcome is not known"
            report(lost(record, .unknown, ResultLine.Failure(code: .mayHaveBeenSent, message: reason)), end)
        case .reportLostOutput:
            let reason = "\(line()?.output ?? ""), which an earlier run wrote, was removed or has another length"
            let failure = ResultLine.Failure(
                code: .cannotReadFile, message: "\(reason), and the request is not safe to repeat")
            report(lost(record, .failure, failure), end)
        case .startAgain: state.withLock { _ = $0.sentBefore.insert(record.position) }
        case .start: break
        }
    }

    /// Delivers the result of a line that has ended before.
    private func deliver(
        _ ending: JournalRecord.Ending, of record: JournalRecord,
        _ end: (ResultLine.Outcome, ReferenceSource?, String?) -> Void
    ) {
        let isReferenced = pump.isReferenced(record.position)
        let result = ending.outcome == .success && !isReferenced ? nil : result(of: ending)
        var source: ReferenceSource?
        if ending.outcome == .success, isReferenced, let result { source = self.source(of: result, ending) }
        state.withLock { $0.restoredByteCount += Int64(ending.byteCount) }
        end(ending.outcome, source, result?.skipReason)
        deliver(
            Delivery(
                outcome: ending.outcome, byteCount: ending.byteCount, line: ending.line, result: result,
                isFromJournal: true))
        // What the first failure ends, ended before.
        if ending.outcome == .failure, settings.cancelsAtFirstFailure { stop() }
    }

    /// Whether what a line wrote is there, as far as that can be told.
    private func hasOutput(_ line: RequestLine?, _ record: JournalRecord) -> Bool {
        guard case .ended(let ending) = record.state, let output = line?.output.flatMap(RecordedOutput.init) else {
            return true
        }
        return output.isThere(byteCount: ending.byteCount)
    }

    /// The result of a line that is not sent again although its outcome, or the file that it wrote, is lost. The record
    /// stays: the file may come back.
    private func lost(
        _ record: JournalRecord, _ outcome: ResultLine.Outcome, _ reason: ResultLine.Failure
    ) -> ResultLine {
        var result = ResultLine(id: record.id, outcome: outcome)
        result.error = ResultLine.Failure(
            code: reason.code, message: "\(reason.message): the request is not sent again unless that is asked for")
        return result
    }

    /// Delivers a result that says more than the record.
    private func report(_ result: ResultLine, _ end: (ResultLine.Outcome, ReferenceSource?, String?) -> Void) {
        end(result.outcome, nil, result.skipReason)
        deliver(
            Delivery(
                outcome: result.outcome, byteCount: 0, line: result.encodedLine(), result: result, isFromJournal: true)
        )
    }

    private func deliver(_ delivery: Delivery) {
        hand(over: nil, isUrgent: false, delivery)
        writer.waitForRoom()
    }

    /// The result that a record has. A line that cannot be read ends the run.
    private func result(of ending: JournalRecord.Ending) -> ResultLine? {
        do throws(JournalError) {
            return try ending.result()
        } catch {
            fail(error)
            return nil
        }
    }

    /// A batch that ends at its first failure does not begin again: the failure may be of its last line.
    private func stopIfItFailedBefore() {
        guard settings.cancelsAtFirstFailure, journal.hasRecords, !journal.options.retriesFailed else { return }
        do throws(JournalError) {
            if try journal.store.hasFailure() { stop() }
        } catch {
            fail(error)
        }
    }

    private func source(of result: ResultLine, _ ending: JournalRecord.Ending) -> ReferenceSource {
        let text = settings.bodyForm == .text ? result.body.map { Data($0.utf8) } : nil
        return ReferenceSource(
            status: result.status, headers: result.headers ?? [:], body: ending.referencedBody ?? text)
    }
}

// MARK: - Lines that come later

extension JournaledRun {
    /// Adds a line of a stream, of which the journal may have a record.
    func add(
        _ added: StreamedLines.Added, _ position: Int, _ fingerprint: String, _ record: JournalRecord?
    ) {
        var isAdded = false
        if let record {
            take(record, added.node.line.line, true) { outcome, source, reason in
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
        let journaled = JournaledLine(
            node: keyed(line), position: line.position, needs: line.needs, isReferenced: line.isReferenced,
            wasSentBefore: wasSentBefore, fingerprint: fingerprint)
        group.enter()
        if journaled.needsMark { update { $0.add(journaled) } } else { run(journaled) }
    }

    private func run(_ line: JournaledLine) {
        runner.add(line.node, needs: line.needs, isReferenced: line.isReferenced) { [self] in
            ended(line, $0)
            group.leave()
        }
    }

    /// The line with the automatic key that the journal gives it.
    private func keyed(_ line: LinePump.Line) -> RequestLineGraph.Node {
        guard line.node.line.line.idempotencyKey == .automatic else { return line.node }
        return line.node.with(idempotencyKey: .value(journal.batch.key(at: line.position)))
    }

    /// Carries out what a change of the held lines says. Here, so that no lock is held meanwhile.
    private func update(_ change: (inout HeldLines) -> [HeldLines.Effect]) {
        for effect in state.withLock({ change(&$0.held) }) {
            switch effect {
            case .start(let line): run(line)
            case .mark(let line): mark(line)
            }
        }
    }

    private func mark(_ line: JournaledLine) {
        let record = JournalRecord(
            position: line.position, id: line.id, state: .mayHaveBeenSent, fingerprint: line.fingerprint)
        let entry = JournalWriter.Entry(record: record, file: nil, byteCount: 0, isMark: true) { [self] isDurable in
            if !isDurable { cancel() }  // before the line gets to the runner: it must not be sent
            update { $0.marked(line.position, isDurable: isDurable) }
        }
        writer.append(entry, isUrgent: true)
    }
}

// MARK: - From the runner to the journal

extension JournaledRun {
    /// Takes the end of a line; on the runner's queue.
    private func ended(_ line: JournaledLine, _ end: RequestLineRunner.End) {
        let result = end.result
        let delivery = Delivery(result)
        let isPutOff = result.outcome == .cancelled && state.withLock { $0.isInterrupted }
        let known = isPutOff ? stateOfPutOff(line, result) : .ended(ending(end, delivery))
        let record = known.map {
            JournalRecord(position: line.position, id: line.id, state: $0, fingerprint: line.fingerprint)
        }
        let output = result.outcome == .success ? line.node.line.line.output : nil
        let isLast = result.outcome == .failure && settings.cancelsAtFirstFailure
        let noteEnd = { @Sendable [pump] in
            pump.end(line.position, result.outcome, end.source, reason: result.skipReason, isLast: isLast)
        }
        // What waits for an unsafe line is sent when the success of that one is durable: after a crash it would be
        // unknown.
        let waits = line.isMarked && result.outcome == .success
        hand(over: record, output: output, isUrgent: line.isMarked, onWritten: waits ? noteEnd : nil, delivery)
        if !waits { noteEnd() }
        if isLast { stop() }
        if line.isMarked, let ticket = line.ticket { update { $0.ended(ticket) } }
        writer.waitForRoom()
    }

    /// Takes a line that is not run; on the pump's thread.
    private func abandon(_ position: Int, _ result: ResultLine) {
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
        hand(over: record, isUrgent: false, delivery)
        writer.waitForRoom()
    }

    /// What is recorded of a line that was cancelled and that another run goes on with; nil when nothing is. A mark
    /// stays, unless this run made it and has sent nothing.
    private func stateOfPutOff(_ line: JournaledLine, _ result: ResultLine) -> JournalRecord.State? {
        line.isMarked && !line.wasSentBefore && result.attempts == 0 ? .waiting : nil
    }

    private func ending(_ end: RequestLineRunner.End, _ delivery: Delivery) -> JournalRecord.Ending {
        let hasText = settings.bodyForm == .text && end.result.body != nil
        return JournalRecord.Ending(
            outcome: delivery.outcome, byteCount: delivery.byteCount, line: delivery.line,
            referencedBody: hasText ? nil : end.source?.body)
    }

    /// Hands a result over to be recorded, and delivered then.
    private func hand(
        over record: JournalRecord?, output: String? = nil, isUrgent: Bool,
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
