// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization

/// Records what has become of lines, in groups: what comes while a group is being written goes into the next one. A
/// mark is written at once, what can wait waits a moment for others. Calls come from any thread.
///
/// What is to be done when a record is durable is done in the order in which the records came: for marks on the
/// writer's queue, so that requests do not wait for whoever takes results; for others, one after the other, on a queue
/// of theirs.
final class JournalWriter: Sendable {
    /// What is recorded, and done then.
    struct Entry: Sendable {
        /// Nil when nothing is to be recorded.
        let record: JournalRecord?
        /// The file that has to be on the disk before the record is.
        let file: OutputSync.Place?
        let byteCount: Int
        /// Whether it is told on the writer's queue, before others are.
        var isMark = false
        /// Told whether the record is durable: false after a failure.
        let then: @Sendable (_ isDurable: Bool) -> Void
    }

    fileprivate struct State {
        var waiting: [Entry] = []
        var byteCount = 0
        /// The bytes that are on their way to whoever is told.
        var undeliveredByteCount = 0
        /// Whether a round is on its way, and whether it is to wait for others.
        var round = Round.none
        var error: JournalError?
        var onFailure: @Sendable (JournalError) -> Void = { _ in }
    }

    fileprivate enum Round { case none, later, now }

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
            return state.nextRound(isUrgent: isUrgent)
        }
        schedule(round)
    }

    /// Waits while very much is waiting to be written or delivered. Not to be called on the writer's queues.
    func waitForRoom() {
        let (byteCount, undeliveredByteCount) = state.withLock { ($0.byteCount, $0.undeliveredByteCount) }
        if byteCount > Self.byteLimit { queue.sync {} }
        if undeliveredByteCount > Self.byteLimit { deliveries.sync {} }
    }

    /// Writes what waits, and lets go of the journal.
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

    private func schedule(_ round: Round) {
        switch round {
        case .none: return
        case .now: queue.async { [self] in writeRound() }
        case .later: queue.asyncAfter(deadline: .now() + Self.patience) { [self] in writeRound() }
        }
    }

    private func writeRound() {
        let (group, error) = state.withLock { ($0.take(), $0.error) }
        guard !group.isEmpty else { return }
        let isDurable = error == nil && write(group)
        for entry in group where entry.isMark { entry.then(isDurable) }
        deliver(group.filter { !$0.isMark }, isDurable)
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
    /// What has to be scheduled for an entry that was added. A round that is to come at once overtakes a later one,
    /// which then finds nothing.
    fileprivate mutating func nextRound(isUrgent: Bool) -> JournalWriter.Round {
        let isFull = waiting.count >= JournalWriter.groupCount || byteCount >= JournalWriter.groupByteCount
        if isUrgent || isFull {
            defer { round = .now }
            return round == .now ? .none : .now
        }
        defer { if round == .none { round = .later } }
        return round == .none ? .later : .none
    }

    fileprivate mutating func take() -> [JournalWriter.Entry] {
        defer { (waiting, byteCount, round) = ([], 0, .none) }
        return waiting
    }
}
