// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// The state of a queue: its added, ready and running operations, and whether the gate in front of the schedulers is
/// open. A value, guarded by the queue's lock; it neither starts nor orders operations.
///
/// Each change takes constant time. Barriers divide the operations into segments; only the first segment runs.
struct QueueState: Sendable {
    /// The index of an operation's entry, valid while the operation is unfinished.
    typealias Index = Int32
    static let none: Index = -1
    /// The number of entries whose memory an empty queue keeps.
    private static let keptCount = 64
    /// The largest number of cancelled operations that are taken at once.
    private static let cancelledLimit = 256

    private struct Entry {
        var operation: Operation?
        var state = State.waiting
        /// Ascending in the order of addition.
        var number: UInt64 = 0
        var virtualTime: UInt64 = 0
        var priority = 0
        /// Whether the operation starts only when its scheduler has a slot for it.
        var needsSlot = false
        var segment = 0
        /// Counts the operation's lane entries; all but the last are stale.
        var generation: UInt32 = 0
        var previous = none
        var next = none

        enum State { case waiting, ready, running, barrier }

        func laneEntry(at index: Index) -> LaneEntry {
            LaneEntry(
                priority: priority, virtualTime: virtualTime, number: number, index: index, generation: generation)
        }
    }

    /// The operations between two barriers.
    private struct BarrierSegment {
        var count = 0
        /// The operations that have become ready, or have a new priority, since the network thread last took them.
        var arrivals = Deque<(index: Index, generation: UInt32, number: UInt64)>()
        /// The barrier that ends the segment.
        var barrier: Index?
        var isBarrierRunning = false
    }

    var limit: Int?
    var isSuspended = false { didSet { recordGate() } }
    /// Whether foreign operations (not a `RequestOperation`) are cancelled when they are added.
    var isClosed = false
    /// Whether operations wait for the network, and whether they wait now.
    var holdsWithoutConnectivity = false
    var isWaitingForNetwork = false { didSet { recordGate() } }
    /// When and why no operation of the queue could start.
    private var history = WaitHistory()
    /// When the last barrier ended.
    private var barrierEnd: UInt64 = 0
    /// While this is not 0, no operation starts: an operation that is about to be cancelled should not start, and
    /// starting the cancelled operations would make two threads contend for each operation's lock.
    var cancellationCount = 0
    var name: String?
    /// The number of unfinished operations, without barriers.
    private(set) var count = 0
    private var entries: [Entry] = []
    private var freeIndices: [Index] = []
    private var foreignIndices: [ObjectIdentifier: Index] = [:]
    private var first = none
    private var last = none
    private var lastNumber: UInt64 = 0
    private var fairQueue = FairQueue()
    private var runningCount = 0
    private var segments = Deque(BarrierSegment())
    private var finishedSegmentCount = 0
    /// Cancelled operations. They start only to end, so limits, suspension and barriers do not apply to them.
    private var cancelled: [(index: Index, number: UInt64)] = []
    private var isScheduled = false
    /// Whether the network thread has seen the gate closed, and must be notified when it opens.
    private var isAwaitedOpen = false
    /// The number of arrivals that the network thread has taken since its entries were last reported as stale.
    private var takenCount = 0
    private var admittedCount = 0

    /// Whether nothing in the queue makes a new operation wait.
    var startsAtOnce: Bool {
        !isSuspended && !isWaitingForNetwork && limit == nil && segments.count == 1 && cancellationCount == 0
    }

    /// The unfinished operations without barriers, oldest first.
    var operations: [Operation] {
        var operations: [Operation] = []
        operations.reserveCapacity(count)
        var index = first
        while index != Self.none {
            let entry = entries[Int(index)]
            if entry.state != .barrier, let operation = entry.operation { operations.append(operation) }
            index = entry.next
        }
        return operations
    }
}

// MARK: - Adding and removing

extension QueueState {
    /// Adds an operation after the last barrier.
    ///
    /// - Parameters:
    ///   - flow: the batch or queue that the operation belongs to.
    ///   - needsSlot: whether the operation starts only when its scheduler has a slot for it.
    mutating func add(_ operation: Operation, flow: Int, priority: Int, needsSlot: Bool) -> Index {
        let index = append(operation)
        entries[Int(index)].priority = priority
        entries[Int(index)].needsSlot = needsSlot
        entries[Int(index)].virtualTime = fairQueue.assignTime(flow: flow, priority: priority)
        segments[segments.count - 1].count += 1
        count += 1
        return index
    }

    /// Adds a barrier after all operations that have been added.
    mutating func addBarrier(_ operation: Operation) {
        let index = append(operation)
        entries[Int(index)].state = .barrier
        segments[segments.count - 1].barrier = index
        segments.append(BarrierSegment())
    }

    private mutating func append(_ operation: Operation) -> Index {
        let index = freeIndices.popLast() ?? Index(entries.count)
        if index == entries.count { entries.append(Entry()) }
        lastNumber += 1
        let segment = finishedSegmentCount + segments.count - 1
        entries[Int(index)] = Entry(operation: operation, number: lastNumber, segment: segment, previous: last)
        if last == Self.none { first = index } else { entries[Int(last)].next = index }
        last = index
        if !(operation is RequestOperation) { foreignIndices[ObjectIdentifier(operation)] = index }
        return index
    }

    enum Removal {
        /// The operation is not in the queue.
        case unknown
        case removed
        /// The operation's slot stays occupied until `freeSlot` is called.
        case holdsSlot
    }

    /// Removes an operation that has ended. In a serial queue its slot stays occupied until its handlers are submitted,
    /// so that the next operation's handlers cannot overtake them.
    mutating func remove(_ operation: Operation) -> Removal {
        guard let index = index(of: operation) else { return .unknown }
        let state = entries[Int(index)].state
        let holdsSlot = state == .running && limit == 1
        if state == .barrier {
            segments.removeFirst()
            finishedSegmentCount += 1
            barrierEnd = MonotonicClock.now()
        } else {
            if state == .running && !holdsSlot { runningCount -= 1 }
            segments[entries[Int(index)].segment - finishedSegmentCount].count -= 1
            count -= 1
        }
        if !(operation is RequestOperation) { foreignIndices[ObjectIdentifier(operation)] = nil }
        remove(index)
        return holdsSlot ? .holdsSlot : .removed
    }

    mutating func freeSlot() { runningCount -= 1 }

    private mutating func remove(_ index: Index) {
        let (previous, next) = (entries[Int(index)].previous, entries[Int(index)].next)
        if previous == Self.none { first = next } else { entries[Int(previous)].next = next }
        if next == Self.none { last = previous } else { entries[Int(next)].previous = previous }
        entries[Int(index)] = Entry()
        freeIndices.append(index)
        if first == Self.none { becameEmpty() }
    }

    /// Frees the memory of many entries; the memory of a few entries is kept for later operations.
    private mutating func becameEmpty() {
        guard entries.count > Self.keptCount else { return }
        (entries, freeIndices) = ([], [])
        segments = Deque(BarrierSegment())
    }

    private func index(of operation: Operation) -> Index? {
        guard let request = operation as? RequestOperation else { return foreignIndices[ObjectIdentifier(operation)] }
        let index = request.queueIndex.load(ordering: .relaxed)
        guard entries.indices.contains(Int(index)), entries[Int(index)].operation === operation else { return nil }
        return index
    }
}

// MARK: - Starting

extension QueueState {
    /// Records that an operation may start. A second call changes nothing, except that a cancelled operation goes first
    /// and that a new priority applies. A call for a running operation changes nothing.
    mutating func makeReady(_ operation: Operation, priority: Int, isCancelled: Bool) {
        guard let index = index(of: operation) else { return }
        let state = entries[Int(index)].state
        guard state == .waiting || state == .ready else { return }
        if isCancelled { cancelled.append((index, entries[Int(index)].number)) }
        guard state == .waiting || entries[Int(index)].priority != priority else { return }
        entries[Int(index)].state = .ready
        // An operation that may be skipped starts without a slot, only to end.
        if (operation as? RequestOperation)?.dependencyNode.hasSeenFailure == true {
            entries[Int(index)].needsSlot = false
        }
        arrive(index, priority)
    }

    /// Records the new priority of a ready operation. For other operations the priority is read when they become ready.
    mutating func changePriority(of operation: Operation, to priority: Int) {
        guard let index = index(of: operation), entries[Int(index)].state == .ready else { return }
        arrive(index, priority)
    }

    private mutating func arrive(_ index: Index, _ priority: Int) {
        entries[Int(index)].priority = priority
        entries[Int(index)].generation += 1
        let entry = entries[Int(index)]
        segments[entry.segment - finishedSegmentCount].arrivals.append((index, entry.generation, entry.number))
    }

    /// Takes back an operation that could not start, because it got another dependency after it was ready.
    mutating func putBack(_ operation: Operation) {
        guard let index = index(of: operation), entries[Int(index)].state == .running else { return }
        entries[Int(index)].state = .waiting
        runningCount -= 1
    }

    /// Returns whether the network thread has to look at the queue and has not been notified; marks it as notified.
    mutating func claimScheduling() -> Bool {
        guard !isScheduled, cancellationCount == 0,
            !cancelled.isEmpty || !segments[0].arrivals.isEmpty || isAwaitedOpen && isOpen || isBarrierReady
                || areTakenEntriesStale
        else { return false }
        isScheduled = true
        return true
    }

    /// Removes and returns the changes, with up to `limit` ready operations.
    mutating func removeChanges(limit: Int) -> GateChanges {
        var changes = GateChanges()
        changes.isOpen = isOpen
        isAwaitedOpen = !isOpen
        isScheduled = false
        guard cancellationCount == 0 else { return changes }
        changes.areFormerEntriesStale = areTakenEntriesStale
        if areTakenEntriesStale { (takenCount, admittedCount) = (0, 0) }
        while changes.cancelled.count < Self.cancelledLimit, let (index, number) = cancelled.popLast() {
            guard let operation = readyOperation(at: index, number) else { continue }
            run(index)
            changes.cancelled.append(operation)
        }
        removeArrivals(limit: limit, into: &changes)
        if isBarrierReady, let index = segments[0].barrier {
            segments[0].isBarrierRunning = true
            changes.barrier = entries[Int(index)].operation
        }
        isScheduled = changes.hasMore
        return changes
    }

    private mutating func removeArrivals(limit: Int, into changes: inout GateChanges) {
        while changes.arrivals.count < limit, !segments[0].arrivals.isEmpty {
            let (index, generation, number) = segments[0].arrivals.removeFirst()
            guard let operation = readyOperation(at: index, number), entries[Int(index)].generation == generation
            else { continue }
            let entry = entries[Int(index)]
            changes.arrivals.append(
                GateChanges.Arrival(entry: entry.laneEntry(at: index), operation: entry.needsSlot ? operation : nil))
            takenCount += 1
        }
        changes.hasMore = !segments[0].arrivals.isEmpty || !cancelled.isEmpty
    }

    /// Admits an operation, unless the gate is closed or the entry is stale.
    mutating func admit(_ entry: LaneEntry) -> GateAdmission {
        guard let operation = waitingOperation(of: entry) else { return .stale }
        guard isOpen else {
            isAwaitedOpen = true
            return .closed
        }
        run(entry.index)
        admittedCount += 1
        fairQueue.serve(entry.virtualTime, priority: entry.priority)
        return .admitted(operation, .first)
    }

    /// Returns how many of these entries are not stale.
    func waitingCount(among entries: Heap<LaneEntry>) -> Int {
        entries.unordered.count { waitingOperation(of: $0) != nil }
    }

    /// Returns the operation of an entry; nil if the entry is stale.
    private func waitingOperation(of entry: LaneEntry) -> Operation? {
        guard let operation = readyOperation(at: entry.index, entry.number) else { return nil }
        return entries[Int(entry.index)].generation == entry.generation ? operation : nil
    }

    /// Returns why a ready operation has not started. Nil if its scheduler decides that, or if it was started.
    func waitReason(of operation: Operation) -> WaitReason? {
        guard let index = index(of: operation), entries[Int(index)].state == .ready else { return nil }
        if isSuspended { return .suspended }
        if isWaitingForNetwork { return .connectivity }
        if entries[Int(index)].segment > finishedSegmentCount { return .barrier }
        guard let limit, runningCount >= limit else { return nil }
        return .queueLimit(limit)
    }

    private mutating func recordGate() {
        let reason: WaitReason.Kind? = isSuspended ? .suspended : isWaitingForNetwork ? .connectivity : nil
        if reason != nil || !history.isEmpty { history.record(reason, now: MonotonicClock.now()) }
    }

    /// Divides the time for which an operation has been ready, which starts now.
    ///
    /// - Returns: the time of each reason, and the queue's limit if it is reached now that the operation runs.
    func waits(from start: UInt64, to end: UInt64) -> QueueWaits {
        var waits = QueueWaits()
        // An operation that became ready before the last barrier ended most likely follows the barrier: the operations
        // before the barrier have ended.
        if barrierEnd > start { waits.others.append((.barrier, min(barrierEnd, end) - start)) }
        history.divide(from: max(start, barrierEnd), to: end) { waits.others.append(($0, $1)) }
        if let limit, runningCount >= limit { waits.isLimitReached = true }
        return waits
    }

    private var mayStart: Bool { !isSuspended && !isWaitingForNetwork }
    private var isOpen: Bool { mayStart && cancellationCount == 0 && (limit.map { runningCount < $0 } ?? true) }
    private var isBarrierReady: Bool {
        mayStart && segments[0].count == 0 && segments[0].barrier != nil && !segments[0].isBarrierRunning
    }
    /// Whether the network thread has only entries of removed operations.
    private var areTakenEntriesStale: Bool { first == Self.none && takenCount > admittedCount }

    /// Returns the operation of an entry; nil if the operation runs or was removed.
    private func readyOperation(at index: Index, _ number: UInt64) -> Operation? {
        guard entries.indices.contains(Int(index)), entries[Int(index)].number == number,
            entries[Int(index)].state == .ready
        else { return nil }
        return entries[Int(index)].operation
    }

    private mutating func run(_ index: Index) {
        entries[Int(index)].state = .running
        runningCount += 1
    }
}
