// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A queue in front of schedulers: it says whether its next operation may be considered, and starts it.
protocol GateSource: AnyObject {
    var gate: QueueGate { get }
    /// Takes what has changed since the last time, with up to `limit` entries.
    func takeChanges(limit: Int) -> GateChanges
    /// Where an operation waits for a slot; nil when its origin is not known.
    func destination(of operation: Operation) -> (scheduler: Scheduler, origin: Origin)?
    /// Lets an operation through, if the gate is open and the entry is not stale.
    func admit(_ entry: LaneEntry) -> GateAdmission
    /// How many of these entries are not stale.
    func waitingCount(among entries: Heap<LaneEntry>) -> Int
    /// Starts an operation that was let through, or that is only to end.
    func start(_ operation: Operation)
}

/// What has changed in a queue.
struct GateChanges: Sendable {
    struct Arrival: Sendable {
        let entry: LaneEntry
        /// The operation, when it needs a slot.
        let operation: Operation?
    }

    var arrivals = SmallList<Arrival>()
    /// Operations that are started only to end: neither limit, suspension nor barrier applies to them.
    var cancelled = SmallList<Operation>()
    /// A barrier before which no operation is unfinished.
    var barrier: Operation?
    var isOpen = false
    /// Whether all entries that were taken before are stale.
    var areFormerEntriesStale = false
    var hasMore = false
}

/// Whether the first operation of a gate is let through.
enum GateAdmission {
    case admitted(Operation)
    case stale
    /// The gate is suspended or at its limit, and tells when it is open again.
    case closed
}

/// The network thread's part of a queue: the operations that wait behind it. Those that need a slot wait in the lanes
/// of their managers' schedulers, the others here. All of them start in one order, as far as there are slots: a limited
/// queue serves several managers, and operations of other kinds, by priority and fairness. Knows no thread.
final class QueueGate {
    /// The number of empty parts that are kept.
    private static let keptCount = 8
    /// The memory of more entries without a slot is not kept.
    private static let keptEntryCount = 64

    fileprivate(set) var isOpen = false
    /// Whether the round knows that operations without a slot may start.
    var isInRound = false
    /// Operations that need no slot, and stale entries.
    @exclusivity(unchecked) private var unslotted = Heap<LaneEntry>()
    private var unslottedCount = 0
    private var highestUnslottedCount = 0
    /// One for each manager that uses the queue.
    @exclusivity(unchecked) private(set) var parts: [GatePart] = []

    /// Takes what has changed in its queue, except the operations that are to be started.
    func take(_ changes: GateChanges, of source: any GateSource) {
        if changes.areFormerEntriesStale {
            forgetUnslotted()
            for part in parts { part.removeAll() }
        }
        if changes.isOpen && !isOpen { for part in parts where !part.isEmpty { part.scheduler.mayServe() } }
        isOpen = changes.isOpen
        changes.arrivals.visit { arrival in
            if let operation = arrival.operation, let destination = source.destination(of: operation) {
                part(for: destination.scheduler).insert(arrival.entry, origin: destination.origin, source)
            } else {
                unslotted.insert(arrival.entry)
                unslottedCount += 1
                highestUnslottedCount = max(highestUnslottedCount, unslottedCount)
            }
        }
    }

    private func part(for scheduler: Scheduler) -> GatePart {
        if let part = parts.first(where: { $0.scheduler === scheduler }) { return part }
        if parts.count >= Self.keptCount { parts.removeAll(where: \.isEmpty) }
        let part = GatePart(scheduler)
        parts.append(part)
        return part
    }

    /// Starts the next operation that needs no slot, or one that goes before it; or finds the gate closed, or removes a
    /// stale entry.
    func serveNext(of source: any GateSource) -> ServiceStep {
        guard isOpen, let first = unslotted.first else { return .nothing }
        if let part = firstPart, let entry = part.firstStartable, entry < first { return part.scheduler.serve(part) }
        switch source.admit(first) {
        case .closed:
            isOpen = false
            return .cleared
        case .stale:
            removeFirstUnslotted()
            return .cleared
        case .admitted(let operation):
            removeFirstUnslotted()
            source.start(operation)
            return .started
        }
    }

    private func removeFirstUnslotted() {
        _ = unslotted.popFirst()
        unslottedCount -= 1
        if unslottedCount == 0, highestUnslottedCount > Self.keptEntryCount { forgetUnslotted() }
    }

    private func forgetUnslotted() {
        unslotted = Heap()
        (unslottedCount, highestUnslottedCount) = (0, 0)
    }

    /// Whether an operation of a part is the first of those that may start now.
    func isFirst(_ entry: LaneEntry, of part: GatePart) -> Bool {
        if let first = unslotted.first, first < entry { return false }
        return parts.count == 1 || firstPart === part
    }

    /// Starts what goes before an operation that is not the first.
    func serveFirst(of source: any GateSource) -> ServiceStep {
        unslotted.isEmpty ? firstPart.map { $0.scheduler.serve($0) } ?? .nothing : serveNext(of: source)
    }

    /// The part whose first operation goes first, of those that have a slot for it.
    private var firstPart: GatePart? {
        var first: (part: GatePart, entry: LaneEntry)?
        for part in parts {
            guard let entry = part.firstStartable, first.map({ entry < $0.entry }) ?? true else { continue }
            first = (part, entry)
        }
        return first?.part
    }
}

/// The operations of one queue that wait for a slot of one manager.
///
/// Parts of one manager take turns as the flows of a fair queue do: a part's virtual time goes on with each round that
/// its queue makes through its flows.
final class GatePart {
    private struct Round {
        let priority: Int
        /// The virtual time, in the queue's fair queue, of the operation that was served last, and the part's own.
        var inner: UInt64?
        var outer: UInt64 = 0
    }

    let scheduler: Scheduler
    /// The queue, while entries wait.
    private(set) var source: (any GateSource)?
    @exclusivity(unchecked) private(set) var lanes = LaneTable()
    @exclusivity(unchecked) private var rounds: [Round] = []

    fileprivate init(_ scheduler: Scheduler) { self.scheduler = scheduler }

    var isEmpty: Bool { lanes.count == 0 }

    fileprivate func insert(_ entry: LaneEntry, origin: Origin, _ source: any GateSource) {
        if isEmpty {
            self.source = source
            scheduler.addPart(self)
        }
        scheduler.changeOrigins { lanes.insert(entry, origin: $0.index(of: origin), in: &$0) }
        scheduler.mayServe()
    }

    fileprivate func removeAll() {
        guard !isEmpty else { return }
        scheduler.changeOrigins { lanes.removeAll(in: &$0) }
        leaveIfEmpty()
    }

    /// The first operation whose origin has a free slot.
    func first(in origins: OriginTable) -> LaneTable.Candidate? { lanes.first(in: origins) }

    /// Removes what `first(in:)` returned.
    func removeFirst(_ candidate: LaneTable.Candidate, in origins: inout OriginTable) {
        lanes.removeFirst(candidate, in: &origins)
    }

    /// The number of operations that wait for a slot of an origin.
    func waitingCount(for origin: OriginTable.Index) -> Int {
        source?.waitingCount(among: lanes.entries(of: origin)) ?? 0
    }

    func nominate(_ origin: OriginTable.Index, in origins: OriginTable) { lanes.nominate(origin, in: origins) }

    func leaveIfEmpty() {
        guard isEmpty else { return }
        source = nil
        scheduler.removePart(self)
    }

    func close() { source?.gate.isOpen = false }

    /// The first operation of the part, if there is a slot for it.
    fileprivate var firstStartable: LaneEntry? { scheduler.firstStartable(of: self) }

    // MARK: Turns

    /// The virtual time of an operation among those of other queues.
    ///
    /// - Parameter now: the virtual time that the scheduler serves.
    func virtualTime(of entry: LaneEntry, now: UInt64) -> UInt64 {
        guard let round = rounds.first(where: { $0.priority == entry.priority }), let inner = round.inner else {
            return now
        }
        return inner == entry.virtualTime ? round.outer : max(round.outer + 1, now)
    }

    /// Notes that an operation was served, at the virtual time that it had.
    func noteService(of entry: LaneEntry, at virtualTime: UInt64) {
        let round = Round(priority: entry.priority, inner: entry.virtualTime, outer: virtualTime)
        if let index = rounds.firstIndex(where: { $0.priority == entry.priority }) {
            rounds[index] = round
        } else {
            rounds.append(round)
        }
    }
}

@available(*, unavailable)
extension QueueGate: Sendable {}

@available(*, unavailable)
extension GatePart: Sendable {}
