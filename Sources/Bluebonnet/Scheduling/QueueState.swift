// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
internal import Synchronization

/// A queue's books: what was added, what is ready, what runs. A value, guarded by the queue's lock; it starts nothing.
///
/// Everything costs the same however many operations there are, but for the logarithm in choosing the first. Barriers
/// divide the operations into stretches, of which only the first runs.
struct QueueState: Sendable {
    /// An operation's number here, for as long as it is unfinished.
    typealias Index = Int32
    static let none: Index = -1
    /// Room for so many is kept in an empty queue.
    private static let keptCount = 64

    private struct Entry {
        var operation: Operation?
        var state = State.waiting
        /// The older the smaller.
        var number: UInt64 = 0
        var virtualTime: UInt64 = 0
        var priority = 0
        /// It is started when admission has a place for it.
        var needsSlot = false
        var segment = 0
        /// Tells the place in line from one that the entry had before.
        var rankCount: UInt32 = 0
        var previous = none
        var next = none

        enum State { case waiting, ready, running, barrier }

        func rank(in index: Index) -> ReadyLanes.Rank {
            ReadyLanes.Rank(
                priority: priority, virtualTime: virtualTime, number: number, index: index, rankCount: rankCount)
        }
    }

    /// The operations between two barriers.
    private struct BarrierSegment {
        var count = 0
        var ready = ReadyLanes()
        /// The barrier behind them.
        var barrier: Index?
        var isBarrierRunning = false
    }

    var limit: Int?
    var isSuspended = false
    /// Whether operations wait for the network, and whether they do now.
    var holdsWithoutConnectivity = false
    var isHeld = false
    /// While operations are being cancelled none is started: neither one that will be cancelled next, nor the cancelled
    /// ones, for whose sake two threads would contend for each operation's lock.
    var cancellationCount = 0
    var name: String?
    /// How many operations are unfinished; barriers do not count.
    private(set) var count = 0
    private var entries: [Entry] = []
    private var freeIndices: [Index] = []
    private var foreignIndices: [ObjectIdentifier: Index] = [:]
    private var first = none
    private var last = none
    private var lastNumber: UInt64 = 0
    private var fairQueue = FairQueue()
    private var runningCount = 0
    private var segments = [BarrierSegment()]
    private var finishedSegmentCount = 0
    /// Cancelled operations: they only have to be started in order to end, so neither limit, suspension nor barrier
    /// holds them.
    private var cancelled: [(index: Index, number: UInt64)] = []
    private var isScheduled = false

    /// The unfinished operations, the oldest first; barriers are not among them.
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

// MARK: - What comes and goes

extension QueueState {
    /// Adds an operation behind the last barrier.
    ///
    /// - Parameters:
    ///   - share: whose turn it takes.
    ///   - needsSlot: whether it is started when admission has a place for it, rather than when it is ready.
    mutating func add(_ operation: Operation, flow: Int, priority: Int, needsSlot: Bool) -> Index {
        let index = append(operation)
        entries[Int(index)].priority = priority
        entries[Int(index)].needsSlot = needsSlot
        entries[Int(index)].virtualTime = fairQueue.take(flow: flow, priority: priority)
        segments[segments.count - 1].count += 1
        count += 1
        return index
    }

    /// Adds a barrier behind everything that is there.
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
        /// It is not here.
        case unknown
        case removed
        /// The place in which it ran is taken until `freeSlot` is called.
        case holdsSlot
    }

    /// Takes an operation that has ended out. Where one runs after the other, it holds its place a little longer: until
    /// its handlers are on their way, which those of the next one must not overtake.
    mutating func remove(_ operation: Operation) -> Removal {
        guard let index = index(of: operation) else { return .unknown }
        let state = entries[Int(index)].state
        let holdsSlot = state == .running && limit == 1
        if state == .barrier {
            segments.removeFirst()
            finishedSegmentCount += 1
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

    /// Gives the memory of many operations back; that of few is used again, for the next one is soon to come.
    private mutating func becameEmpty() {
        let isLarge = entries.count > Self.keptCount
        if isLarge { (entries, freeIndices) = ([], []) }
        if isLarge || !segments[0].ready.isEmpty || segments[0].ready.hasManyLanes { segments = [BarrierSegment()] }
    }

    private func index(of operation: Operation) -> Index? {
        guard let request = operation as? RequestOperation else { return foreignIndices[ObjectIdentifier(operation)] }
        let index = request.queueIndex.load(ordering: .relaxed)
        guard entries.indices.contains(Int(index)), entries[Int(index)].operation === operation else { return nil }
        return index
    }
}

// MARK: - What may start

extension QueueState {
    /// Notes that an operation may start; a second time, and for one that runs, that changes nothing, except that a
    /// cancelled one goes first and that a new priority counts.
    mutating func makeReady(_ operation: Operation, priority: Int, isCancelled: Bool) {
        guard let index = index(of: operation) else { return }
        let state = entries[Int(index)].state
        guard state == .waiting || state == .ready else { return }
        if isCancelled { cancelled.append((index, entries[Int(index)].number)) }
        guard state == .waiting || entries[Int(index)].priority != priority else { return }
        entries[Int(index)].state = .ready
        // One that may be skipped is started when it is ready, to end.
        if (operation as? RequestOperation)?.dependencyNode.hasSeenFailure == true {
            entries[Int(index)].needsSlot = false
        }
        insertRank(index, priority)
    }

    /// Notes a new priority of one that is ready; any other one is asked when it becomes ready.
    mutating func changePriority(of operation: Operation, to priority: Int) {
        guard let index = index(of: operation), entries[Int(index)].state == .ready else { return }
        insertRank(index, priority)
    }

    private mutating func insertRank(_ index: Index, _ priority: Int) {
        entries[Int(index)].priority = priority
        entries[Int(index)].rankCount += 1
        let entry = entries[Int(index)]
        let services = entry.needsSlot ? (entry.operation as? RequestOperation)?.services : nil
        segments[entry.segment - finishedSegmentCount].ready.insert(entry.rank(in: index), services: services)
    }

    /// Takes back an operation that could not be started: it was given another dependency after it was ready.
    mutating func putBack(_ operation: Operation) {
        guard let index = index(of: operation), entries[Int(index)].state == .running else { return }
        entries[Int(index)].state = .waiting
        runningCount -= 1
    }

    /// Whether somebody has to look at the queue, and nobody was asked yet.
    mutating func takeScheduling() -> Bool {
        guard !isScheduled, cancellationCount == 0,
            !cancelled.isEmpty || mayStart && (isFirstReady || isBarrierReady)
        else { return false }
        isScheduled = true
        return true
    }

    /// What may start now, and the admissions that have no place for more of what is ready.
    typealias Startable = (operations: SmallList<Operation>, full: SmallList<NetworkServices>)

    /// Takes what may start now, the first in line first, up to so many: then others have their round.
    ///
    /// - Parameter room: how many more of a priority an admission has places for. What it has none for is left until
    ///   `clearBlockedPriorities` is called.
    mutating func takeStartable(limit: Int, availableSlotCount: (RequestOperation, Int) -> Int) -> Startable {
        isScheduled = false
        guard cancellationCount == 0 else { return (SmallList(), SmallList()) }
        var startable = SmallList<Operation>()
        var full = SmallList<NetworkServices>()
        while startable.count < limit, let (index, number) = cancelled.popLast() {
            guard let operation = readyOperation(in: index, number) else { continue }
            run(index)
            startable.append(operation)
        }
        segments[0].ready.beginTaking()
        while startable.count < limit, mayStart, hasFreeSlot, let (rank, lane) = segments[0].ready.first {
            guard let operation = operation(at: rank) else {
                segments[0].ready.removeFirst(of: lane)
                continue
            }
            if entries[Int(rank.index)].needsSlot, let request = operation as? RequestOperation,
                !takeSlot(for: request, rank, lane, availableSlotCount)
            {
                full.append(request.services)
                continue
            }
            segments[0].ready.removeFirst(of: lane)
            run(rank.index)
            fairQueue.serve(rank.virtualTime, priority: rank.priority)
            startable.append(operation)
        }
        if mayStart, isBarrierReady, let index = segments[0].barrier, let barrier = entries[Int(index)].operation {
            segments[0].isBarrierRunning = true
            startable.append(barrier)
        }
        return (startable, full)
    }

    /// Admissions may have places again.
    mutating func clearBlockedPriorities() { segments[0].ready.clearBlockedPriorities() }

    private var mayStart: Bool { !isSuspended && !isHeld }
    private var hasFreeSlot: Bool { limit.map { runningCount < $0 } ?? true }
    private var isFirstReady: Bool { hasFreeSlot && segments[0].ready.mayHaveOne }
    private var isBarrierReady: Bool {
        segments[0].count == 0 && segments[0].barrier != nil && !segments[0].isBarrierRunning
    }

    private mutating func takeSlot(
        for operation: RequestOperation, _ rank: ReadyLanes.Rank, _ lane: Int,
        _ availableSlotCount: (RequestOperation, Int) -> Int
    ) -> Bool {
        segments[0].ready.takeSlot(lane: lane, priority: rank.priority) { availableSlotCount(operation, rank.priority) }
    }

    /// Nil when the rank stands for nothing any more.
    private func operation(at rank: ReadyLanes.Rank) -> Operation? {
        guard let operation = readyOperation(in: rank.index, rank.number),
            entries[Int(rank.index)].rankCount == rank.rankCount
        else { return nil }
        return operation
    }

    /// Nil when it runs or has gone.
    private func readyOperation(in index: Index, _ number: UInt64) -> Operation? {
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
