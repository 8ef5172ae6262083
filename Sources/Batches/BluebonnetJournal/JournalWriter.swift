// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Dispatch

/// Writes the records of lines to a store in groups: records that arrive while a group is being written are written
/// with the next group. A mark is written at once; other records wait briefly for more records. Calls may come from
/// any thread.
///
/// When a record is durable, its completion is called, in the order in which the records arrived. The completions of
/// marks run on the writer's queue, so that requests do not wait for the receiver of results. All other completions
/// run one after the other on a second queue.
final class JournalWriter: Sendable {
    /// A record and its completion.
    struct Entry: Sendable {
        /// The record; nil if nothing is to be recorded.
        let record: JournalRecord?
        /// The file that must be on the disk before the record is.
        let file: OutputSync.Place?
        let byteCount: Int
        /// Whether the completion runs on the writer's queue, before the completions of other entries.
        var isMark = false
        /// Called on the writer's queue before `then`, even after a failure, for actions on which other lines wait.
        var onWritten: (@Sendable () -> Void)?
        /// The completion. `isDurable` is false after a failure.
        let then: @Sendable (_ isDurable: Bool) -> Void
    }

    fileprivate struct State {
        var waiting: [Entry] = []
        var byteCount = 0
        /// The bytes of entries whose completions have not run yet.
        var undeliveredByteCount = 0
        var rounds = WriterRounds()
        var error: JournalError?
        var onFailure: @Sendable (JournalError) -> Void = { _ in }
    }

    /// How long a record waits for more records.
    private static let patience = DispatchTimeInterval.milliseconds(15)
    /// A group with more bytes or records is written at once.
    fileprivate static let groupByteCount = 1 << 20
    fileprivate static let groupCount = 512
    /// If more bytes wait to be written or delivered, the caller that adds entries waits too.
    private static let byteLimit = 16 << 20

    private let store: any JournalStore
    private let queue = DispatchQueue(label: "org.bluebonnet.journal")
    private let deliveries = DispatchQueue(label: "org.bluebonnet.journal-deliveries")
    private let outputs = OutputSync()
    private let state = Mutex(State())

    init(_ store: any JournalStore) { self.store = store }

    /// Sets the handler that is called once, on the writer's queue, when records cannot be written. No records are
    /// written after that. To be called before the first entry is added.
    func setFailureHandler(_ handler: @escaping @Sendable (JournalError) -> Void) {
        state.withLock { $0.onFailure = handler }
    }

    /// Adds an entry.
    ///
    /// - Parameter isUrgent: whether the entry is written without waiting for more entries.
    func append(_ entry: Entry, isUrgent: Bool) {
        let round = state.withLock { state in
            state.waiting.append(entry)
            state.byteCount += entry.byteCount
            return state.rounds.add(isUrgent: isUrgent || state.isFull)
        }
        switch round {
        case .none: return
        case .now: queue.async { [self] in writeRound() }
        case .later(let number):
            queue.asyncAfter(deadline: .now() + Self.patience) { [self] in writeRound(onlyIf: number) }
        }
    }

    /// Blocks while too many bytes wait to be written or delivered. Must not be called on the writer's queues.
    func waitForRoom() {
        let (byteCount, undeliveredByteCount) = state.withLock { ($0.byteCount, $0.undeliveredByteCount) }
        if byteCount > Self.byteLimit { queue.sync {} }
        if undeliveredByteCount > Self.byteLimit { deliveries.sync {} }
    }

    /// Writes pending records, waits for their completions, and closes the journal.
    ///
    /// - Throws: why records could not be written, or why the journal could not be closed.
    func finish() throws(JournalError) {
        queue.sync { writeRound() }
        deliveries.sync {}
        var failure = state.withLock { $0.error }
        do throws(JournalError) {
            try store.close()
        } catch {
            failure = failure ?? error
        }
        if let failure { throw failure }
    }

    /// - Parameter number: the number of a delayed round; nil for an immediate round.
    private func writeRound(onlyIf number: Int? = nil) {
        let (group, error) = state.withLock { state in
            number.map { state.rounds.isDue($0) } ?? true ? (state.removeWaiting(), state.error) : ([], nil)
        }
        guard !group.isEmpty else { return }
        let isDurable = error == nil && write(group)
        for entry in group {
            entry.onWritten?()
            if entry.isMark { entry.then(isDurable) }
        }
        deliver(group.contains(where: \.isMark) ? group.filter { !$0.isMark } : group, isDurable)
    }

    private func deliver(_ group: [Entry], _ isDurable: Bool) {
        guard !group.isEmpty else { return }
        state.withLock { $0.undeliveredByteCount += group.reduce(0) { $0 + $1.byteCount } }
        deliveries.async { [self] in
            for entry in group {
                entry.then(isDurable)
                state.withLock { $0.undeliveredByteCount -= entry.byteCount }
            }
        }
    }

    private func write(_ group: [Entry]) -> Bool {
        let records = group.compactMap(\.record)
        do throws(JournalError) {
            try outputs.sync(group.compactMap(\.file))
            if !records.isEmpty { try store.record(records) }
            return true
        } catch {
            let onFailure = state.withLock { state in
                state.error = error
                return state.onFailure
            }
            onFailure(error)
            return false
        }
    }
}

extension JournalWriter.State {
    /// Whether the waiting entries are enough for a group.
    fileprivate var isFull: Bool {
        waiting.count >= JournalWriter.groupCount || byteCount >= JournalWriter.groupByteCount
    }

    fileprivate mutating func removeWaiting() -> [JournalWriter.Entry] {
        defer { (waiting, byteCount) = ([], 0) }
        if !waiting.isEmpty { rounds.recordRound() }
        return waiting
    }
}
