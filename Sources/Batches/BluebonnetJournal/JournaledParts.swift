// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetHTTP
internal import BluebonnetLocks
internal import Dispatch
internal import Foundation

/// Records the pages, elements and items of a journaled run. A part is recorded by its id; the pages of a line and the
/// elements of a response are found again from the records of the pages before, and of the response. The items of a
/// stream are found again by their numbers.
///
/// Records are written in the order in which they arrive. A response is recorded before its elements are marked, so a
/// mark on the disk belongs to a response on the disk.
final class JournaledParts: PartRecorder {
    private struct WeakRun { weak var run: JournaledRun? }

    private static let queue = DispatchQueue(label: "org.bluebonnet.journal-parts")
    private let owner = Mutex(WeakRun())

    func setRun(_ run: JournaledRun) { owner.withLock { $0.run = run } }

    private var run: JournaledRun? { owner.withLock { $0.run } }

    func earlier(_ instance: LineInstance, of position: Int) -> EarlierPart {
        run?.earlier(instance, of: position) ?? .start(wasSentBefore: false)
    }

    func keyed(_ instance: LineInstance, of position: Int) -> LineInstance {
        guard let run, instance.node.line.line.idempotencyKey == .automatic else { return instance }
        return instance.with(idempotencyKey: .value(run.journal.batch.key(ofPart: instance.id, of: position)))
    }

    func start(
        _ instance: LineInstance, of position: Int, needs: [RunnerDependency], wasSentBefore: Bool,
        _ body: @escaping @Sendable (any Sendable) -> Void
    ) {
        guard let run else { return body(()) }
        let line = run.part(instance, of: position, needs: needs, wasSentBefore: wasSentBefore) { body($0) }
        if line.needsMark { run.update { $0.add(line) } } else { body(line) }
    }

    func end(
        _ end: RequestLineRunner.End, _ instance: LineInstance, of position: Int, _ ticket: (any Sendable)?,
        then: @escaping @Sendable () -> Void
    ) {
        guard let run else { return then() }
        if let line = end.recordedLine {
            run.remember(end, instance.node.line.line)
            run.deliver(restored: end, line)
            return then()
        }
        let line =
            ticket as? JournaledLine
            ?? run.part(instance, of: position, needs: [], wasSentBefore: false) { _ in }
        // A marked part ends on the writer's queue. The next steps may record, and wait for that queue.
        run.ended(line, end) { if line.isMarked { Self.queue.async { then() } } else { then() } }
        if end.result.outcome == .failure, run.settings.cancelsAtFirstFailure { run.stop() }
    }

    func deliverItems(of id: String, from number: Int, count: Int?) -> Int {
        run?.deliverItems(of: id, from: number, count: count) ?? 0
    }
}

extension JournaledRun {
    fileprivate func part(
        _ instance: LineInstance, of position: Int, needs: [RunnerDependency], wasSentBefore: Bool,
        _ run: @escaping @Sendable (JournaledLine) -> Void
    ) -> JournaledLine {
        // Far above the positions of lines.
        let number = state.withLock { state in
            state.partCount += 1
            return 1 << 40 + state.partCount
        }
        return JournaledLine(
            id: instance.id, node: instance.node, position: number, linePosition: position, needs: needs,
            wasSentBefore: wasSentBefore, run: run)
    }

    fileprivate func earlier(_ instance: LineInstance, of position: Int) -> EarlierPart {
        guard journal.hasRecords, let record = partRecord(of: instance.id) else { return .start(wasSentBefore: false) }
        let line = instance.node.line.line
        let step = ReopeningStep(
            record.state, isRepeatable: isRepeatable(line), options: journal.options, hasOutput: hasOutput(line, record)
        )
        switch step {
        case .start: return .start(wasSentBefore: false)
        case .startAgain: return .start(wasSentBefore: true)
        case .deliver(let ending): return restored(ending)
        case .reportUnknown: return ended(unknown(record))
        case .reportLostOutput: return ended(lostOutput(line, record))
        }
    }

    private func ended(_ result: ResultLine) -> EarlierPart {
        .ended(RequestLineRunner.End(recorded: result, line: result.encodedLine()))
    }

    private func partRecord(of id: String) -> JournalRecord? {
        do throws(JournalError) {
            return try journal.store.partRecord(of: id)
        } catch {
            fail(error)
            return nil
        }
    }

    private func restored(_ ending: JournalRecord.Ending) -> EarlierPart {
        guard let result = result(of: ending) else { return .start(wasSentBefore: true) }
        state.withLock { $0.restoredByteCount += Int64(ending.byteCount) }
        let source = ending.outcome == .success ? source(of: result, ending) : nil
        return .ended(
            RequestLineRunner.End(recorded: result, line: ending.line, source: source, findings: ending.findings))
    }

    fileprivate func deliverItems(of id: String, from first: Int, count: Int?) -> Int {
        guard journal.hasRecords else { return 0 }
        var number = first
        while number <= count ?? .max, case .ended(let ending)? = partRecord(of: "\(id)/\(number)")?.state {
            deliver(
                Delivery(
                    outcome: ending.outcome, byteCount: ending.byteCount, line: ending.line,
                    result: result(of: ending), isFromJournal: true))
            number += 1
        }
        return number - first
    }

    /// Delivers the result of a part that ended in an earlier run.
    fileprivate func deliver(restored end: RequestLineRunner.End, _ line: Data) {
        deliver(
            Delivery(
                outcome: end.result.outcome, byteCount: end.result.bytes ?? 0, line: line,
                result: end.result, isFromJournal: true))
    }
}
