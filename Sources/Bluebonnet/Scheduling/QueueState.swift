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
    typealias Slot = Int32
    static let none: Slot = -1
    /// Room for so many is kept in an empty queue.
    private static let keptCount = 64

    private struct Entry {
        var operation: Operation?
        var state = State.waiting
        /// The older the smaller.
        var number: UInt64 = 0
        var turn: UInt64 = 0
        var priority = 0
        /// It is started when admission has a place for it.
        var needsPlace = false
        var stretch = 0
        /// Tells the place in line from one that the entry had before.
        var rankCount: UInt32 = 0
        var previous = none
        var next = none

        enum State { case waiting, ready, running, barrier }

        func rank(in slot: Slot) -> ReadyLines.Rank {
            ReadyLines.Rank(priority: priority, turn: turn, number: number, slot: slot, rankCount: rankCount)
        }
    }

    /// The operations between two barriers.
    private struct Stretch {
        var count = 0
        var ready = ReadyLines()
        /// The barrier behind them.
        var barrier: Slot?
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
    private var freeSlots: [Slot] = []
    private var foreignSlots: [ObjectIdentifier: Slot] = [:]
    private var first = none
    private var last = none
    private var lastNumber: UInt64 = 0
    private var turns = FairTurns()
    private var runningCount = 0
    private var stretches = [Stretch()]
    private var finishedStretchCount = 0
    /// Cancelled operations: they only have to be started in order to end, so neither limit, suspension nor barrier
    /// holds them.
    private var cancelled: [(slot: Slot, number: UInt64)] = []
    private var isScheduled = false

    /// The unfinished operations, the oldest first; barriers are not among them.
    var operations: [Operation] {
        var operations: [Operation] = []
        operations.reserveCapacity(count)
        var slot = first
        while slot != Self.none {
            let entry = entries[Int(slot)]
            if entry.state != .barrier, let operation = entry.operation { operations.append(operation) }
            slot = entry.next
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
    ///   - needsPlace: whether it is started when admission has a place for it, rather than when it is ready.
    mutating func add(_ operation: Operation, share: Int, priority: Int, needsPlace: Bool) -> Slot {
        let slot = append(operation)
        entries[Int(slot)].priority = priority
        entries[Int(slot)].needsPlace = needsPlace
        entries[Int(slot)].turn = turns.take(share: share, priority: priority)
        stretches[stretches.count - 1].count += 1
        count += 1
        return slot
    }

    /// Adds a barrier behind everything that is there.
    mutating func addBarrier(_ operation: Operation) {
        let slot = append(operation)
        entries[Int(slot)].state = .barrier
        stretches[stretches.count - 1].barrier = slot
        stretches.append(Stretch())
    }

    private mutating func append(_ operation: Operation) -> Slot {
        let slot = freeSlots.popLast() ?? Slot(entries.count)
        if slot == entries.count { entries.append(Entry()) }
        lastNumber += 1
        let stretch = finishedStretchCount + stretches.count - 1
        entries[Int(slot)] = Entry(operation: operation, number: lastNumber, stretch: stretch, previous: last)
        if last == Self.none { first = slot } else { entries[Int(last)].next = slot }
        last = slot
        if !(operation is RequestOperation) { foreignSlots[ObjectIdentifier(operation)] = slot }
        return slot
    }

    enum Removal {
        /// It is not here.
        case unknown
        case removed
        /// The place in which it ran is taken until `freePlace` is called.
        case holdsPlace
    }

    /// Takes an operation that has ended out. Where one runs after the other, it holds its place a little longer: until
    /// its handlers are on their way, which those of the next one must not overtake.
    mutating func remove(_ operation: Operation) -> Removal {
        guard let slot = slot(of: operation) else { return .unknown }
        let state = entries[Int(slot)].state
        let holdsPlace = state == .running && limit == 1
        if state == .barrier {
            stretches.removeFirst()
            finishedStretchCount += 1
        } else {
            if state == .running && !holdsPlace { runningCount -= 1 }
            stretches[entries[Int(slot)].stretch - finishedStretchCount].count -= 1
            count -= 1
        }
        if !(operation is RequestOperation) { foreignSlots[ObjectIdentifier(operation)] = nil }
        remove(slot)
        return holdsPlace ? .holdsPlace : .removed
    }

    mutating func freePlace() { runningCount -= 1 }

    private mutating func remove(_ slot: Slot) {
        let (previous, next) = (entries[Int(slot)].previous, entries[Int(slot)].next)
        if previous == Self.none { first = next } else { entries[Int(previous)].next = next }
        if next == Self.none { last = previous } else { entries[Int(next)].previous = previous }
        entries[Int(slot)] = Entry()
        freeSlots.append(slot)
        if first == Self.none { becameEmpty() }
    }

    /// Gives the memory of many operations back; that of few is used again, for the next one is soon to come.
    private mutating func becameEmpty() {
        let isLarge = entries.count > Self.keptCount
        if isLarge { (entries, freeSlots) = ([], []) }
        if isLarge || !stretches[0].ready.isEmpty || stretches[0].ready.hasManyLines { stretches = [Stretch()] }
    }

    private func slot(of operation: Operation) -> Slot? {
        guard let request = operation as? RequestOperation else { return foreignSlots[ObjectIdentifier(operation)] }
        let slot = request.queueSlot.load(ordering: .relaxed)
        guard entries.indices.contains(Int(slot)), entries[Int(slot)].operation === operation else { return nil }
        return slot
    }
}

// MARK: - What may start

extension QueueState {
    /// Notes that an operation may start; a second time, and for one that runs, that changes nothing, except that a
    /// cancelled one goes first and that a new priority counts.
    mutating func makeReady(_ operation: Operation, priority: Int, isCancelled: Bool) {
        guard let slot = slot(of: operation) else { return }
        let state = entries[Int(slot)].state
        guard state == .waiting || state == .ready else { return }
        if isCancelled { cancelled.append((slot, entries[Int(slot)].number)) }
        guard state == .waiting || entries[Int(slot)].priority != priority else { return }
        entries[Int(slot)].state = .ready
        // One that may be skipped is started when it is ready, to end.
        if (operation as? RequestOperation)?.place.hasSeenFailure == true { entries[Int(slot)].needsPlace = false }
        insertRank(slot, priority)
    }

    /// Notes a new priority of one that is ready; any other one is asked when it becomes ready.
    mutating func changePriority(of operation: Operation, to priority: Int) {
        guard let slot = slot(of: operation), entries[Int(slot)].state == .ready else { return }
        insertRank(slot, priority)
    }

    private mutating func insertRank(_ slot: Slot, _ priority: Int) {
        entries[Int(slot)].priority = priority
        entries[Int(slot)].rankCount += 1
        let entry = entries[Int(slot)]
        let services = entry.needsPlace ? (entry.operation as? RequestOperation)?.services : nil
        stretches[entry.stretch - finishedStretchCount].ready.insert(entry.rank(in: slot), services: services)
    }

    /// Takes back an operation that could not be started: it was given another dependency after it was ready.
    mutating func putBack(_ operation: Operation) {
        guard let slot = slot(of: operation), entries[Int(slot)].state == .running else { return }
        entries[Int(slot)].state = .waiting
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
    typealias Startable = (operations: Few<Operation>, full: Few<NetworkServices>)

    /// Takes what may start now, the first in line first, up to so many: then others have their round.
    ///
    /// - Parameter room: how many more of a priority an admission has places for. What it has none for is left until
    ///   `forgetFullness` is called.
    mutating func takeStartable(limit: Int, room: (RequestOperation, Int) -> Int) -> Startable {
        isScheduled = false
        guard cancellationCount == 0 else { return (Few(), Few()) }
        var startable = Few<Operation>()
        var full = Few<NetworkServices>()
        while startable.count < limit, let (slot, number) = cancelled.popLast() {
            guard let operation = readyOperation(in: slot, number) else { continue }
            run(slot)
            startable.append(operation)
        }
        stretches[0].ready.beginTaking()
        while startable.count < limit, mayStart, hasPlace, let (rank, line) = stretches[0].ready.first {
            guard let operation = operation(at: rank) else {
                stretches[0].ready.removeFirst(of: line)
                continue
            }
            if entries[Int(rank.slot)].needsPlace, let request = operation as? RequestOperation,
                !takePlace(for: request, rank, line, room)
            {
                full.append(request.services)
                continue
            }
            stretches[0].ready.removeFirst(of: line)
            run(rank.slot)
            turns.serve(rank.turn, priority: rank.priority)
            startable.append(operation)
        }
        if mayStart, isBarrierReady, let slot = stretches[0].barrier, let barrier = entries[Int(slot)].operation {
            stretches[0].isBarrierRunning = true
            startable.append(barrier)
        }
        return (startable, full)
    }

    /// Admissions may have places again.
    mutating func forgetFullness() { stretches[0].ready.forgetFullness() }

    private var mayStart: Bool { !isSuspended && !isHeld }
    private var hasPlace: Bool { limit.map { runningCount < $0 } ?? true }
    private var isFirstReady: Bool { hasPlace && stretches[0].ready.mayHaveOne }
    private var isBarrierReady: Bool {
        stretches[0].count == 0 && stretches[0].barrier != nil && !stretches[0].isBarrierRunning
    }

    private mutating func takePlace(
        for operation: RequestOperation, _ rank: ReadyLines.Rank, _ line: Int, _ room: (RequestOperation, Int) -> Int
    ) -> Bool {
        stretches[0].ready.takePlace(line: line, priority: rank.priority) { room(operation, rank.priority) }
    }

    /// Nil when the rank stands for nothing any more.
    private func operation(at rank: ReadyLines.Rank) -> Operation? {
        guard let operation = readyOperation(in: rank.slot, rank.number),
            entries[Int(rank.slot)].rankCount == rank.rankCount
        else { return nil }
        return operation
    }

    /// Nil when it runs or has gone.
    private func readyOperation(in slot: Slot, _ number: UInt64) -> Operation? {
        guard entries.indices.contains(Int(slot)), entries[Int(slot)].number == number,
            entries[Int(slot)].state == .ready
        else { return nil }
        return entries[Int(slot)].operation
    }

    private mutating func run(_ slot: Slot) {
        entries[Int(slot)].state = .running
        runningCount += 1
    }
}
