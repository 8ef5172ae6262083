// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetLocks
internal import Dispatch

/// Records what has become of lines, in groups: what comes while a group is being written goes into the next one. A
/// mark is written at once, what can wait waits a moment for others. Calls come from any thread.
///
/// What is to be done when a record is durable is done in the order in which the records came: for marks on the
/// writer's queue, so that requests do not wait for whoever takes results; for others, one after the other, on a queue
/// of theirs.
final class JournalWriter: Sendable {
    /// A record, and the action after it.
    struct Entry: Sendable {
        /// Nil when nothing is to be recorded.
        let record: JournalRecord?
        /// The file that has to be on the disk before the record is.
        let file: OutputSync.Place?
        let byteCount: Int
        /// Whether it is reported on the writer's queue, before others are.
        var isMark = false
        /// Called on the writer's queue before that, also after a failure; for what other lines wait for.
        var onWritten: (@Sendable () -> Void)?
        /// Told whether the record is durable: false after a failure.
        let then: @Sendable (_ isDurable: Bool) -> Void
    }

    fileprivate struct State {
        var waiting: [Entry] = []
        var byteCount = 0
        /// The bytes that are on their way to whoever is told.
        var undeliveredByteCount = 0
        var rounds = WriterRounds()
        var error: JournalError?
        var onFailure: @Sendable (JournalError) -> Void = { _ in }
    }

    /// How long a record waits for others.
    private static let patience = DispatchTimeInterval.milliseconds(15)
    /// More bytes, or records, do not wait.
    fileprivate static let groupByteCount = 1 << 20
    fileprivate static let groupCount = 512
    /// With more bytes waiting to be written, or to be delivered, who brings them waits too.
    private static let byteLimit = 16 << 20

    private let store: any JournalStore
    private let queue = DispatchQueue(label: "org.bluebonnet.journal")
    private let deliveries = DispatchQueue(label: "org.bluebonnet.journal-deliveries")
    private let outputs = OutputSync()
    private let state = Mutex(State())

    init(_ store: any JournalStore) { self.store = store }

    /// Sets what is called once, on the writer's queue, when records cannot be written; none is then. To be called
    /// before the first entry comes.
    func setFailureHandler(_ handler: @escaping @Sendable (JournalError) -> Void) {
        state.withLock { $0.onFailure = handler }
    }

    /// Hands an entry over.
    ///
    /// - Parameter isUrgent: whether it waits for no others.
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

    /// Waits while very much is waiting to be written or delivered. Not to be called on the writer's queues.
    func waitForRoom() {
        let (byteCount, undeliveredByteCount) = state.withLock { ($0.byteCount, $0.undeliveredByteCount) }
        if byteCount > Self.byteLimit { queue.sync {} }
        if undeliveredByteCount > Self.byteLimit { deliveries.sync {} }
    }

    /// Writes pending records, and releases the journal.
    ///
    /// - Throws: why records could not be written.
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

    /// - Parameter number: that of a round that has waited; nil for one that has not.
    private func writeRound(onlyIf number: Int? = nil) {
        let (group, error) = state.withLock { state in
            number.map { state.rounds.isDue($0) } ?? true ? (state.take(), state.error) : ([], nil)
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
    /// Whether what waits is enough for a group.
    fileprivate var isFull: Bool {
        waiting.count >= JournalWriter.groupCount || byteCount >= JournalWriter.groupByteCount
    }

    fileprivate mutating func take() -> [JournalWriter.Entry] {
        defer { (waiting, byteCount) = ([], 0) }
        if !waiting.isEmpty { rounds.take() }
        return waiting
    }
}
