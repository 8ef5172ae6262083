// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
package import BluebonnetBatch
internal import BluebonnetHTTP
internal import Dispatch
package import Foundation
internal import Synchronization

/// Runs the lines of a batch with a journal: delivers the results of lines that have ended before, gives the others to
/// a `RequestLineRunner`, records what becomes of them, and delivers each result when it is durable.
///
/// Lines come from a `Feed`, on one thread; all other members may be used from any thread.
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

    fileprivate struct State {
        var held: HeldLines
        /// Whether what is cancelled from now on is only put off.
        var isInterrupted = false
        var failure: JournalError?
    }

    private let settings: RequestLineRunner.Settings
    private let journal: OpenedJournal
    private let runner: RequestLineRunner
    private let state: Mutex<State>
    private let group = DispatchGroup()
    private let writer: JournalWriter
    private let onDelivery: @Sendable (Delivery) -> Void
    private let onFailure: @Sendable (JournalError) -> Void

    /// Makes a run.
    ///
    /// - Parameters:
    ///   - onDelivery: called once for each line, one at a time, on a queue of the journal's.
    ///   - onFailure: called once when the journal cannot be written any more. The run is cancelled then; results that
    ///     come after that are delivered, but are not durable.
    package init(
        settings: RequestLineRunner.Settings, journal: OpenedJournal,
        onDelivery: @escaping @Sendable (Delivery) -> Void,
        onFailure: @escaping @Sendable (JournalError) -> Void = { _ in }
    ) {
        (self.settings, self.journal) = (settings, journal)
        (self.onDelivery, self.onFailure) = (onDelivery, onFailure)
        runner = RequestLineRunner(settings: settings) { _ in }
        let window = SendWindow(limit: settings.concurrency, limitPerLane: settings.concurrencyPerOrigin)
        state = Mutex(State(held: HeldLines(window: window, neededIDs: settings.referencedIDs)))
        writer = JournalWriter(journal.store)
        writer.setFailureHandler { [weak self] in self?.fail($0) }
    }

    /// What lines are given to.
    package func makeFeed() -> Feed { Feed(run: self, journal: journal) }

    /// Cancels everything that has not finished. Another run goes on with it: only unsafe requests that may have been
    /// sent are lost.
    package func cancel() {
        state.withLock { $0.isInterrupted = true }
        stop()
    }

    /// Starts nothing more, lets running operations finish for at most `Settings.drainTimeout`, then cancels the rest,
    /// as `cancel()` does.
    package func drain() async {
        state.withLock { state in
            state.isInterrupted = true
            state.held.close()
        }
        await runner.drain()
        stop()
    }

    /// Suspends the calling task until the results of all lines added so far have been delivered, and lets go of the
    /// journal. To be called once, after the last line.
    ///
    /// - Throws: why the journal could not be read or written.
    package func finish() async throws(JournalError) {
        await withCheckedContinuation { waiter in
            group.notify(queue: .global()) { waiter.resume() }
        }
        var failure = state.withLock { $0.failure }
        do throws(JournalError) {
            try writer.finish()
        } catch {
            failure = failure ?? error
        }
        if let failure { throw failure }
    }

    /// Returns the state of the run: see `RequestLineRunner.snapshot(largest:)`.
    package func snapshot(largest count: Int) -> RequestLineRunner.Snapshot {
        var snapshot = runner.snapshot(largest: count)
        snapshot.totalCount += state.withLock { $0.held.count }
        return snapshot
    }

    private func stop() {
        runner.cancel()
        update { $0.stop() }
    }

    fileprivate func fail(_ error: JournalError) {
        let isFirst = state.withLock { state in
            defer { state.failure = state.failure ?? error }
            return state.failure == nil
        }
        guard isFirst else { return }
        onFailure(error)
        cancel()
    }
}

// MARK: - From the feed to the runner

extension JournaledRun {
    /// Starts a line, when it may be started.
    fileprivate func start(_ line: JournaledLine) {
        group.enter()
        update { $0.add(line) }
    }

    /// Delivers the result of a line that has ended before.
    fileprivate func deliver(_ ending: JournalRecord.Ending, of id: String) {
        let result = ending.outcome == .success && !isReferenced(id) ? nil : result(of: ending)
        var source: ReferenceSource?
        if ending.outcome == .success, let result { source = self.source(of: result, ending) }
        runner.restore(id, ending.outcome, receivedByteCount: Int64(ending.byteCount), source: source)
        deliver(
            Delivery(
                outcome: ending.outcome, byteCount: ending.byteCount, line: ending.line, result: result,
                isFromJournal: true), of: id)
        // What the first failure ends, ended before.
        if ending.outcome == .failure, settings.cancelsAtFirstFailure { stop() }
    }

    /// Delivers that the outcome of a line is not known.
    fileprivate func deliverUnknown(_ id: String) {
        var result = ResultLine(id: id, outcome: .unknown)
        result.error = ResultLine.Failure(
            code: .mayHaveBeenSent,
            message: "the process ended when the request may have been sent, and its outcome is not known: "
                + "it is not sent again unless that is asked for")
        runner.restore(id, .unknown)
        deliver(
            Delivery(
                outcome: .unknown, byteCount: 0, line: result.encodedLine(), result: result, isFromJournal: true),
            of: id)
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
    fileprivate func stopIfItFailedBefore() {
        guard settings.cancelsAtFirstFailure, journal.hasRecords else { return }
        do throws(JournalError) {
            if try journal.store.hasFailure() { stop() }
        } catch {
            fail(error)
        }
    }

    private func deliver(_ delivery: Delivery, of id: String) {
        update { $0.ended(id, isSuccess: delivery.outcome == .success) }
        group.enter()
        hand(over: nil, isUrgent: false, delivery)
        writer.waitForRoom()
    }

    private func source(of result: ResultLine, _ ending: JournalRecord.Ending) -> ReferenceSource {
        let text = settings.bodyForm == .text ? result.body.map { Data($0.utf8) } : nil
        return ReferenceSource(
            status: result.status, headers: result.headers ?? [:], body: ending.referencedBody ?? text)
    }

    private func isReferenced(_ id: String) -> Bool { settings.referencedIDs?.contains(id) ?? true }

    /// Carries out what a change of the held lines says. Here, so that no lock is held meanwhile.
    private func update(_ change: (inout HeldLines) -> [HeldLines.Effect]) {
        var effects = state.withLock { change(&$0.held) }[...]
        while let effect = effects.popFirst() {
            switch effect {
            case .start(let line):
                runner.add(line.node) { [self] in ended(line, $0) }
                effects += state.withLock { $0.held.passed(line.id) }
            case .mark(let line): mark(line)
            }
        }
    }

    private func mark(_ line: JournaledLine) {
        let record = JournalRecord(
            position: line.position, id: line.id, state: .mayHaveBeenSent, fingerprint: line.fingerprint)
        let entry = JournalWriter.Entry(record: record, file: nil, byteCount: 0, isMark: true) { [self] isDurable in
            if !isDurable { cancel() }  // before the line gets to the runner: it must not be sent
            update { $0.marked(line.id, isDurable: isDurable) }
        }
        writer.append(entry, isUrgent: true)
    }
}

// MARK: - From the runner to the journal

extension JournaledRun {
    /// Takes the end of a line; on the runner's queue.
    private func ended(_ line: JournaledLine, _ end: RequestLineRunner.End) {
        let result = end.result
        let isPutOff = result.outcome == .cancelled && state.withLock { $0.isInterrupted }
        let delivery = Delivery(
            outcome: result.outcome, byteCount: result.bytes ?? 0, line: result.encodedLine(), result: result,
            isFromJournal: false)
        let state = isPutOff ? stateOfPutOff(line, result) : .ended(ending(end, delivery))
        let record = state.map {
            JournalRecord(position: line.position, id: line.id, state: $0, fingerprint: line.fingerprint)
        }
        let output = result.outcome == .success ? line.node.line.line.output : nil
        hand(over: record, output: output, isUrgent: line.isMarked, delivery)
        let isSuccess = result.outcome == .success
        update { $0.ended(line.id, isSuccess: isSuccess, wasMarked: line.isMarked ? line.ticket : nil) }
        if result.outcome == .failure, settings.cancelsAtFirstFailure { stop() }
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
            referencedBody: hasText ? nil : end.referencedBody)
    }

    /// Hands a result over to be recorded, and delivered then.
    private func hand(over record: JournalRecord?, output: String? = nil, isUrgent: Bool, _ delivery: Delivery) {
        let entry = JournalWriter.Entry(
            record: record, file: output.map(OutputSync.place), byteCount: delivery.line.count + bodyByteCount(record)
        ) { [onDelivery, group] _ in
            onDelivery(delivery)
            group.leave()
        }
        writer.append(entry, isUrgent: isUrgent)
    }
}

private func bodyByteCount(_ record: JournalRecord?) -> Int {
    guard case .ended(let ending)? = record?.state else { return 0 }
    return ending.referencedBody?.count ?? 0
}

// MARK: - The feed

extension JournaledRun {
    /// Takes the lines of a run in their order, dependencies first, and looks for each in the journal. Confined to one
    /// thread.
    package struct Feed {
        private let run: JournaledRun
        private let journal: OpenedJournal
        private var cursor: RecordCursor
        private var position = 0

        fileprivate init(run: JournaledRun, journal: OpenedJournal) {
            (self.run, self.journal) = (run, journal)
            cursor = RecordCursor(journal.store, isEmpty: !journal.hasRecords)
            run.stopIfItFailedBefore()
        }

        /// Adds a line; the lines that it depends on must have been added before.
        ///
        /// - Throws: `anotherBatch` when the lines come later, and the journal has another one at this place.
        package mutating func add(_ node: RequestLineGraph.Node) throws(JournalError) {
            defer { position += 1 }
            let line = node.line.line
            let fingerprint = journal.batch.lineCount == nil ? BatchDigest.fingerprint(of: line) : nil
            var record = record()
            if let known = record, known.id != node.line.id || known.fingerprint != fingerprint {
                guard journal.batch.lineCount != nil else { throw anotherLine(node) }
                let problem = "it has another id at line \(node.line.number)"
                run.fail(JournalError(.damaged, "the journal is damaged: \(problem)"))
                record = nil
            }
            let isRepeatable = line.isSafe || line.hasIdempotencyKey || run.settings.hasIdempotencyKey
            let step = ReopeningStep(
                record?.state, isRepeatable: isRepeatable, resendsUnsafe: journal.options.resendsUnsafe)
            if let fingerprint, record == nil, !line.isSafe, isKnown(fingerprint) { throw anotherLine(node) }
            switch step {
            case .deliver(let ending): run.deliver(ending, of: node.line.id)
            case .reportUnknown: run.deliverUnknown(node.line.id)
            case .start, .startAgain:
                run.start(
                    JournaledLine(
                        node: keyed(node), position: position, needsMark: !line.isSafe,
                        wasSentBefore: step == .startAgain, fingerprint: fingerprint))
            }
        }

        /// The record of this position. A journal that cannot be read ends the run: the line is cancelled with it.
        private mutating func record() -> JournalRecord? {
            do throws(JournalError) {
                return try cursor.record(at: position)
            } catch {
                run.fail(error)
                cursor = RecordCursor(journal.store, isEmpty: true)
                return nil
            }
        }

        /// Whether the journal has the line at a later place: the lines of a stream have changed their order, and the
        /// line may have been sent there.
        private func isKnown(_ fingerprint: String) -> Bool {
            guard journal.hasRecords else { return false }
            do throws(JournalError) {
                return try journal.store.hasRecord(of: fingerprint, after: position)
            } catch {
                run.fail(error)
                return false
            }
        }

        /// The line with the automatic key that the journal gives it.
        private func keyed(_ node: RequestLineGraph.Node) -> RequestLineGraph.Node {
            guard node.line.line.idempotencyKey == .automatic else { return node }
            return node.with(idempotencyKey: .value(journal.batch.key(at: position)))
        }

        private func anotherLine(_ node: RequestLineGraph.Node) -> JournalError {
            JournalError(
                .anotherBatch, "the journal is of another batch: line \(node.line.number) is not the one that it knows")
        }
    }
}

@available(*, unavailable)
extension JournaledRun.Feed: Sendable {}

extension RequestLineRunner.Settings {
    fileprivate var hasIdempotencyKey: Bool { headers.contains(name: "Idempotency-Key") }
}
