// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The owner of operations that wait in lanes of a scheduler: it decides whether an operation may start, and starts it.
protocol LaneOwner: AnyObject {
    /// Admits an operation if its gate is open and the entry is not stale.
    func admit(_ entry: LaneEntry) -> GateAdmission
    /// Returns how many of these entries are not stale.
    func waitingCount(among entries: Heap<LaneEntry>) -> Int
    /// Starts an operation that was admitted, or that is started only to end.
    ///
    /// - Parameter slot: the operation's slot; nil if the operation does not need a slot. A slot that is not consumed
    ///   returns to its scheduler.
    func start(_ operation: Operation, _ slot: inout TransferSlot?)
}

/// A queue whose operations wait in schedulers.
protocol GateSource: LaneOwner {
    var gates: QueueGates { get }
    /// The scheduler of operations that need no slot, as long as the queue has never had an operation that needs a
    /// slot.
    var slotless: Scheduler { get }
    /// Removes and returns the changes since the last call, with up to `limit` entries.
    func removeChanges(limit: Int) -> GateChanges
    /// Returns where an operation waits for a slot; nil if the operation's origin is not known.
    func destination(of operation: Operation) -> (scheduler: Scheduler, origin: Origin)?
}

extension LaneOwner {
    /// Starts an operation without a slot.
    func start(_ operation: Operation) {
        var none: TransferSlot?
        start(operation, &none)
    }
}

/// The changes in a queue.
struct GateChanges: Sendable {
    struct Arrival: Sendable {
        let entry: LaneEntry
        /// The operation, if it needs a slot.
        let operation: Operation?
    }

    var arrivals = InlineList<Arrival>()
    /// Operations that are started only to end: limits, suspension and barriers do not apply to them.
    var cancelled = InlineList<Operation>()
    /// A barrier whose preceding operations are all finished.
    var barrier: Operation?
    var isOpen = false
    /// Whether all entries that were taken before are stale.
    var areFormerEntriesStale = false
    var hasMore = false
}

/// Whether the first operation at a gate is admitted.
enum GateAdmission {
    case admitted(Operation, SlotDemand)
    case stale
    /// The queue is suspended or at its limit. It reports when it is open again.
    case closed
}

/// The gates of one queue: one gate for each scheduler in which its operations wait. Operations that need no slot wait
/// together with operations that need a slot, so that both start in one order. Network thread only, except in tests.
final class QueueGates {
    /// Above this number, gates without waiting operations are removed.
    private static let keptCount = 8

    private(set) var all: [AdmissionGate] = []
    /// The gate of the operations that need no slot.
    private var home: AdmissionGate?

    /// Applies the changes in the queue, except the operations to start.
    func apply(_ changes: GateChanges, of source: any GateSource) {
        if changes.areFormerEntriesStale { for gate in all { gate.removeAll() } }
        changes.arrivals.visit { insert($0, source) }
        for gate in all { gate.isOpen = changes.isOpen }
        guard changes.isOpen else { return }
        for gate in all where !gate.isEmpty {
            let scheduler = gate.scheduler
            scheduler.gateChanged(gate)
            scheduler.setNeedsService()
        }
        if all.count > 1 { orderSchedulers() }
    }

    /// Requests service of the schedulers in the order of the queue's first operations: a serial queue keeps one order
    /// for all its managers.
    private func orderSchedulers() {
        let waiting = all.compactMap { gate in gate.first.map { (gate, entry: $0) } }.sorted { $0.entry < $1.entry }
        for (gate, _) in waiting.reversed() { gate.scheduler.setNeedsServiceFirst() }
    }

    private func insert(_ arrival: GateChanges.Arrival, _ source: any GateSource) {
        guard let operation = arrival.operation, let destination = source.destination(of: operation) else {
            let gate = home ?? gate(in: source.slotless)
            home = gate
            gate.insert(arrival.entry, origin: nil, source)
            return gate.scheduler.gateChanged(gate)
        }
        let scheduler = destination.scheduler
        let gate = gate(in: scheduler)
        gate.insert(arrival.entry, origin: scheduler.origins.index(of: destination.origin), source)
        scheduler.gateChanged(gate)
        guard home.map({ $0.scheduler === source.slotless }) ?? true else { return }
        if let home {
            gate.adoptSlotless(from: home, source)
            scheduler.gateChanged(gate)
            all.removeAll { $0 === home }
        }
        home = gate
    }

    private func gate(in scheduler: Scheduler) -> AdmissionGate {
        if let gate = all.first(where: { $0.scheduler === scheduler }) { return gate }
        if all.count >= Self.keptCount { all.removeAll { $0.isEmpty && $0 !== home } }
        let gate = AdmissionGate(of: scheduler)
        all.append(gate)
        return gate
    }
}

/// The order in which gates are served: higher priority first, then smaller virtual time, then the earlier last
/// service.
struct GateTurn: Comparable {
    let priority: Int
    let virtualTime, lastService: UInt64

    /// Returns whether `a` goes first.
    static func < (a: GateTurn, b: GateTurn) -> Bool {
        if a.priority != b.priority { return a.priority > b.priority }
        return (a.virtualTime, a.lastService) < (b.virtualTime, b.lastService)
    }
}

/// The operations of one queue that wait in one scheduler. They wait while the gate is closed, even if slots are free.
/// When the gate opens, they have the same positions as before.
///
/// The gates of a scheduler take turns like the flows of a fair queue. A gate's virtual time advances with each round
/// that its queue makes through its own flows, so a queue with two batches starts two operations in its turn.
final class AdmissionGate {
    /// The last service at one priority.
    private struct Service {
        let priority: Int
        /// The virtual time, in its queue, of the served operation.
        let inner: UInt64
        /// The same service in the scheduler's virtual time.
        let outer: UInt64
    }

    unowned let scheduler: Scheduler
    private let origins: OriginTable
    /// The scheduler, retained by a queue's gate; nil for a gate that belongs to its scheduler.
    private let queuesScheduler: Scheduler?
    /// Nil while no operation waits.
    private(set) var owner: (any LaneOwner)?
    fileprivate(set) var isOpen: Bool
    /// The number of the gate's last service, or of the moment when operations began to wait.
    private(set) var lastService: UInt64 = 0
    /// The gate's index in the scheduler's list of gates.
    var position = 0
    /// The turn under which the scheduler has stored the gate; nil if it is not stored.
    var turn: GateTurn?
    @exclusivity(unchecked) private(set) var lanes = LaneTable()
    @exclusivity(unchecked) private var services: [Service] = []

    /// Creates a gate that is always open and has no queue.
    init(_ scheduler: Scheduler) {
        (self.scheduler, queuesScheduler, origins, isOpen) = (scheduler, nil, scheduler.origins, true)
    }

    /// Creates a queue's gate.
    fileprivate init(of scheduler: Scheduler) {
        (self.scheduler, queuesScheduler, origins, isOpen) = (scheduler, scheduler, scheduler.origins, false)
    }

    var isOfQueue: Bool { queuesScheduler != nil }

    var isEmpty: Bool { lanes.count == 0 }

    /// - Parameter origin: nil if the operation needs no slot.
    func insert(_ entry: LaneEntry, origin: OriginTable.Index?, _ owner: any LaneOwner) {
        join(owner)
        lanes.insert(entry, origin: origin, in: origins)
        if origin == nil { scheduler.slotlessCount += 1 }
        reportBlocked()
    }

    private func reportBlocked() {
        for origin in lanes.removeBlocked() { origins.block(self, at: origin) }
    }

    /// Moves the operations that need no slot from another gate of the queue.
    fileprivate func adoptSlotless(from other: AdmissionGate, _ owner: any LaneOwner) {
        join(owner)
        lanes.adoptSlotless(from: &other.lanes)
        other.scheduler.slotlessCount -= lanes.slotlessCount
        scheduler.slotlessCount += lanes.slotlessCount
        other.leaveIfEmpty()
    }

    private func join(_ owner: any LaneOwner) {
        guard self.owner == nil else { return }
        self.owner = owner
        lastService = scheduler.add(self)
    }

    private func leaveIfEmpty() {
        guard isEmpty, owner != nil else { return }
        owner = nil
        scheduler.remove(self)
    }

    fileprivate func removeAll() {
        scheduler.slotlessCount -= lanes.slotlessCount
        lanes.removeAll(in: origins)
        leaveIfEmpty()
    }

    /// The first operation that may start when the scheduler has a free slot.
    fileprivate var first: LaneEntry? { first(hasSlot: true)?.entry }

    /// - Parameter hasSlot: whether the scheduler has a slot for an operation that needs a slot.
    func first(hasSlot: Bool) -> LaneTable.Candidate? {
        let first = lanes.first(in: origins, hasSlot: hasSlot)
        reportBlocked()
        return first
    }

    /// Removes the result of `first(hasSlot:)`.
    func removeFirst(_ candidate: LaneTable.Candidate) {
        lanes.removeFirst(candidate, in: origins)
        if candidate.origin == nil { scheduler.slotlessCount -= 1 }
        leaveIfEmpty()
    }

    /// Closes the gate, because the queue has reported that it is closed.
    func close() { isOpen = false }

    /// Unblocks an origin that may have a free slot again.
    func unblock(_ origin: OriginTable.Index) { lanes.unblock(origin) }

    /// Returns the number of operations that wait for a slot of an origin.
    func waitingCount(for origin: OriginTable.Index) -> Int {
        owner?.waitingCount(among: lanes.entries(of: origin)) ?? 0
    }

    // MARK: Turns

    /// Returns an operation's virtual time in the scheduler: without a queue, the virtual time of its ticket.
    ///
    /// - Parameter now: the virtual time that the scheduler currently serves.
    func virtualTime(of entry: LaneEntry, now: UInt64) -> UInt64 {
        guard isOfQueue else { return entry.virtualTime }
        guard let last = services.first(where: { $0.priority == entry.priority }) else { return now }
        return last.inner == entry.virtualTime ? last.outer : max(last.outer + 1, now)
    }

    /// Records that an operation was served.
    ///
    /// - Parameter virtualTime: the operation's virtual time in the scheduler; nil if the operation needed no slot.
    func recordService(_ number: UInt64, of entry: LaneEntry, at virtualTime: UInt64?) {
        lastService = number
        guard isOfQueue, let virtualTime else { return }
        let last = Service(priority: entry.priority, inner: entry.virtualTime, outer: virtualTime)
        guard let index = services.firstIndex(where: { $0.priority == entry.priority }) else {
            return services.append(last)
        }
        services[index] = last
    }
}

@available(*, unavailable)
extension QueueGates: Sendable {}

@available(*, unavailable)
extension AdmissionGate: Sendable {}
