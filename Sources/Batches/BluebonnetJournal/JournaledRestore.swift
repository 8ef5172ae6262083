// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetHTTP
internal import BluebonnetLocks
internal import Foundation

// MARK: - Lines that ended in earlier runs

extension JournaledRun {
    /// Applies the records of the journal to the lines, all of which are known.
    func restore() {
        var cursor = RecordCursor(journal.store, isEmpty: !journal.hasRecords)
        let count = pump.progress.count
        do throws(JournalError) {
            while let record = try cursor.next(), record.position < count {
                guard FieldSyntax.isSameText(record.id, pump.lines.id(at: record.position)) else {
                    throw JournalError(
                        .damaged, "the journal is damaged: it has the id \(record.id) at position \(record.position)")
                }
                // The parts of a line are recorded one by one: the line runs again, and finds them.
                if pump.lines.hasParts(record.position) { continue }
                let canHaveOutput = pump.lines.canHaveOutput(at: record.position)
                apply(record, line(at: record.position), canHaveOutput) {
                    pump.end(record.position, $0, $1, reason: $2)
                }
            }
        } catch {
            fail(error)
        }
    }

    /// Returns a line; nil if it cannot be read.
    private func line(at position: Int) -> RequestLine? { (try? pump.lines.node(at: position))?.line.line }

    func isRepeatable(_ line: RequestLine) -> Bool {
        line.isSafe || line.hasIdempotencyKey || settings.headers.hasIdempotencyKey
    }

    /// Applies a record: delivers the result of an ended line, or remembers a line that may have been sent before.
    ///
    /// - Parameters:
    ///   - line: the line, which is read only if it matters; nil if it cannot be read.
    ///   - end: called if the line has ended, with the outcome, the response and the skip reason for the pump.
    func apply(
        _ record: JournalRecord, _ line: @autoclosure () -> RequestLine?, _ canHaveOutput: @autoclosure () -> Bool,
        end: (ResultLine.Outcome, ReferenceSource?, String?) -> Void
    ) {
        let step = ReopeningStep(
            record.state, isRepeatable: line().map(isRepeatable) ?? false, options: journal.options,
            hasOutput: !canHaveOutput() || hasOutput(line(), record))
        switch step {
        case .deliver(let ending):
            if ending.findings != nil, let line = line() { remember(ending, line) }
            restoreItems(of: record)
            deliver(ending, of: record, end)
        case .reportUnknown:
            restoreItems(of: record)
            report(unknown(record), end)
        case .reportLostOutput: report(lostOutput(line(), record), end)
        case .startAgain: state.withLock { _ = $0.sentBefore.insert(record.position) }
        case .start: break
        }
    }

    /// Delivers the recorded items of a line whose stream is not read again.
    private func restoreItems(of record: JournalRecord) {
        guard pump.lines.hasItems(record.position) else { return }
        var count: Int?
        if case .ended(let ending) = record.state { count = result(of: ending)?.items }
        pipelines.restoreItems(of: record.id, count: count)
    }

    /// Delivers the result of a line that ended in an earlier run.
    private func deliver(
        _ ending: JournalRecord.Ending, of record: JournalRecord,
        _ end: (ResultLine.Outcome, ReferenceSource?, String?) -> Void
    ) {
        let hasReaders = !pump.lines.readers(of: record.position).isEmpty
        let isReferenced = pump.isReferenced(record.position) || hasReaders
        let result = ending.outcome == .success && !isReferenced ? nil : result(of: ending)
        var source: ReferenceSource?
        if ending.outcome == .success, isReferenced, let result { source = self.source(of: result, ending) }
        state.withLock { $0.restoredByteCount += Int64(ending.byteCount) }
        if hasReaders, let result { pipelines.restore(record.position, result, source) }
        end(ending.outcome, source, result?.skipReason)
        deliver(
            Delivery(
                outcome: ending.outcome, byteCount: ending.byteCount, line: ending.line, result: result,
                isFromJournal: true))
        // The failure has ended the earlier run, so it ends this run too.
        if ending.outcome == .failure, settings.cancelsAtFirstFailure { stop() }
    }

    /// Passes on the values for the state file that an earlier run has recorded.
    private func remember(_ ending: JournalRecord.Ending, _ line: RequestLine) {
        guard let result = result(of: ending) else { return }
        remember(RequestLineRunner.End(recorded: result, line: ending.line, findings: ending.findings), line)
    }

    func remember(_ end: RequestLineRunner.End, _ line: RequestLine) {
        let memories = end.memories(of: line)
        if end.result.outcome == .success, !memories.isEmpty { settings.onMemories?(memories) }
    }

    /// Whether the output file of a line exists, as far as this is known.
    func hasOutput(_ line: RequestLine?, _ record: JournalRecord) -> Bool {
        guard case .ended(let ending) = record.state, let output = line?.output.flatMap(RecordedOutput.init) else {
            return true
        }
        return output.isThere(byteCount: ending.byteCount)
    }

    func unknown(_ record: JournalRecord) -> ResultLine {
        let reason = "the process ended and may have sent the request, whose outcome is unknown"
        return lost(record, .unknown, ResultLine.Failure(code: .mayHaveBeenSent, message: reason))
    }

    func lostOutput(_ line: RequestLine?, _ record: JournalRecord) -> ResultLine {
        let reason = "\(line?.output ?? ""), written by an earlier run, was removed or has another length"
        let failure = ResultLine.Failure(
            code: .cannotReadFile, message: "\(reason), and the request is not safe to repeat")
        return lost(record, .failure, failure)
    }

    /// Returns the result of a line that is not sent again although its outcome or its output file is lost. The record
    /// is kept: the file may come back.
    private func lost(
        _ record: JournalRecord, _ outcome: ResultLine.Outcome, _ reason: ResultLine.Failure
    ) -> ResultLine {
        var result = ResultLine(id: record.id, outcome: outcome)
        result.error = ResultLine.Failure(
            code: reason.code, message: "\(reason.message): the request is not resent automatically")
        return result
    }

    /// Delivers a result that is more specific than the record.
    private func report(_ result: ResultLine, _ end: (ResultLine.Outcome, ReferenceSource?, String?) -> Void) {
        end(result.outcome, nil, result.skipReason)
        deliver(
            Delivery(
                outcome: result.outcome, byteCount: 0, line: result.encodedLine(), result: result, isFromJournal: true)
        )
    }

    func deliver(_ delivery: Delivery) {
        enqueue(record: nil, isUrgent: false, delivery)
        writer.waitForRoom()
    }

    /// Decodes the result of a record. A result that cannot be decoded ends the run.
    func result(of ending: JournalRecord.Ending) -> ResultLine? {
        do throws(JournalError) {
            return try ending.result()
        } catch {
            fail(error)
            return nil
        }
    }

    /// Stops a batch that ends at its first failure if a failure is recorded, before the records are read: the failure
    /// may belong to the last line.
    func stopIfItFailedBefore() {
        guard settings.cancelsAtFirstFailure, journal.hasRecords, !journal.options.retriesFailed else { return }
        do throws(JournalError) {
            if try journal.store.hasFailure() { stop() }
        } catch {
            fail(error)
        }
    }

    func source(of result: ResultLine, _ ending: JournalRecord.Ending) -> ReferenceSource {
        let text = settings.bodyForm == .text ? result.body.map { Data($0.utf8) } : nil
        return ReferenceSource(
            status: result.status, headers: result.headers ?? [:], body: ending.referencedBody ?? text,
            values: result.values)
    }
}
