// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// A queue's books: what was added, what is ready, what runs. A value, guarded by the queue's lock; it starts nothing.
struct QueueState: Sendable {
    var limit: Int?
    var isSuspended = false
    /// Whether operations wait for the network, and whether they do now.
    var holdsWithoutConnectivity = false
    var isHeld = false
    var name: String?
    private var entries: [ObjectIdentifier: Entry] = [:]
    private var nextNumber = 0
    private var runningCount = 0
    private var ready = Heap<Rank>()
    /// Cancelled operations: they only have to be started in order to end, so neither limit nor suspension holds them.
    private var cancelled: [Operation] = []
    private var isScheduled = false

    private struct Entry {
        let operation: Operation
        let number: Int
        var state = State.waiting

        enum State { case waiting, ready, running }
    }

    private struct Rank: Comparable {
        let priority: Int
        let number: Int
        let id: ObjectIdentifier

        static func < (a: Rank, b: Rank) -> Bool { (-a.priority, a.number) < (-b.priority, b.number) }
    }

    var count: Int { entries.count }

    var operations: [Operation] {
        entries.values.sorted { $0.number < $1.number }.map(\.operation)
    }

    mutating func add(_ operation: Operation) {
        entries[ObjectIdentifier(operation)] = Entry(operation: operation, number: nextNumber)
        nextNumber += 1
    }

    /// Notes that an operation may start; a second time, and for one that runs, that changes nothing, except that a
    /// cancelled one goes first.
    mutating func makeReady(_ operation: Operation, priority: Int, isCancelled: Bool) {
        let id = ObjectIdentifier(operation)
        guard let entry = entries[id], entry.state != .running else { return }
        if isCancelled { cancelled.append(operation) }
        guard entry.state == .waiting else { return }
        entries[id]?.state = .ready
        ready.insert(Rank(priority: priority, number: entry.number, id: id))
    }

    /// Takes back an operation that could not be started: it was given another dependency after it was ready.
    mutating func putBack(_ operation: Operation) {
        guard entries[ObjectIdentifier(operation)]?.state == .running else { return }
        entries[ObjectIdentifier(operation)]?.state = .waiting
        runningCount -= 1
    }

    /// Takes an operation out; false when it is not here.
    mutating func finish(_ operation: Operation) -> Bool {
        guard let entry = entries.removeValue(forKey: ObjectIdentifier(operation)) else { return false }
        if entry.state == .running { runningCount -= 1 }
        return true
    }

    /// Whether somebody has to look at the queue, and nobody was asked yet.
    mutating func takeScheduling() -> Bool {
        guard !isScheduled, !cancelled.isEmpty || mayStart && !ready.isEmpty && hasPlace else { return false }
        isScheduled = true
        return true
    }

    /// Takes what may start now: the highest priority first, the oldest among equals.
    mutating func takeStartable() -> [Operation] {
        isScheduled = false
        var startable: [Operation] = []
        for operation in cancelled where run(ObjectIdentifier(operation)) != nil { startable.append(operation) }
        cancelled = []
        while mayStart, hasPlace, let rank = ready.popFirst() {
            if let operation = run(rank.id) { startable.append(operation) }
        }
        return startable
    }

    private var mayStart: Bool { !isSuspended && !isHeld }

    private var hasPlace: Bool { limit.map { runningCount < $0 } ?? true }

    private mutating func run(_ id: ObjectIdentifier) -> Operation? {
        guard let entry = entries[id], entry.state == .ready else { return nil }
        entries[id]?.state = .running
        runningCount += 1
        return entry.operation
    }
}
