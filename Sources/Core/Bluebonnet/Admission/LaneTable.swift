// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The entry of a waiting operation. Entries are ordered by higher priority, then by smaller virtual time, then by
/// lower number.
struct LaneEntry: Comparable, Sendable {
    let priority: Int
    let virtualTime: UInt64
    /// The number of the operation.
    let number: UInt64
    /// The operation's index at the owner of the entry.
    let index: Int32
    /// Distinguishes the entries of one operation: the owner of the entry knows which generations are stale.
    let generation: UInt32

    /// Returns whether `a` goes first.
    static func < (a: LaneEntry, b: LaneEntry) -> Bool {
        if a.priority != b.priority { return a.priority > b.priority }
        if a.virtualTime != b.virtualTime { return a.virtualTime < b.virtualTime }
        return a.number < b.number
    }

    static func == (a: LaneEntry, b: LaneEntry) -> Bool {
        a.number == b.number && a.index == b.index && a.generation == b.generation
    }
}

/// Waiting operations, in one lane for each origin, and one lane for operations that need no slot. An origin without a
/// free slot delays no other origin. A value that refers to no operation, queue or thread.
struct LaneTable {
    /// The first entry of a lane.
    struct Candidate: Comparable {
        let entry: LaneEntry
        /// Nil if the operation needs no slot.
        let origin: OriginTable.Index?

        static func < (a: Candidate, b: Candidate) -> Bool { a.entry < b.entry }
        static func == (a: Candidate, b: Candidate) -> Bool { a.entry == b.entry }
    }

    /// A table that has had more entries is replaced when it becomes empty, to free its memory.
    private static let keptCount = 64

    private struct Lane {
        var entries = Heap<LaneEntry>()
        /// The entry that represents the lane in `nominees`.
        var nominee: LaneEntry?
        /// Whether the origin had no free slot when the lane was first in order. A blocked lane has no nominee.
        var isBlocked = false
    }

    private struct Nominee: Comparable {
        let entry: LaneEntry
        let origin: OriginTable.Index

        static func < (a: Nominee, b: Nominee) -> Bool { a.entry < b.entry }
        static func == (a: Nominee, b: Nominee) -> Bool { a.entry == b.entry }
    }

    private var slotless = Heap<LaneEntry>()
    /// Indexed by origin.
    private var lanes: [Lane] = []
    /// The first entry of each lane that is not blocked. Outdated entries are skipped.
    private var nominees = Heap<Nominee>()
    /// The lanes that were blocked since the last `removeBlocked()`.
    private var blocked: [OriginTable.Index] = []
    /// The number of entries, including stale entries.
    private(set) var count = 0
    /// The number of entries that need no slot.
    var slotlessCount: Int { slotless.count }
    private var highestCount = 0

    /// - Parameter origin: nil if the operation needs no slot.
    mutating func insert(_ entry: LaneEntry, origin: OriginTable.Index?, in origins: OriginTable) {
        count += 1
        highestCount = max(highestCount, count)
        guard let origin else { return slotless.insert(entry) }
        while lanes.count <= origin { lanes.append(Lane()) }
        if lanes[origin].entries.isEmpty { origins.addLane(origin) }
        lanes[origin].entries.insert(entry)
        if lanes[origin].nominee != nil { return nominate(origin) }
        if origins.hasFreeSlot(origin) { unblock(origin) } else { block(origin) }
    }

    /// Returns the first entry that may start.
    ///
    /// - Parameter hasSlot: whether a slot is available for an entry whose origin has a free slot.
    mutating func first(in origins: OriginTable, hasSlot: Bool) -> Candidate? {
        let slotless = slotless.first.map { Candidate(entry: $0, origin: nil) }
        guard hasSlot, let nominee = firstNominee(in: origins) else { return slotless }
        if let slotless, slotless.entry < nominee.entry { return slotless }
        return Candidate(entry: nominee.entry, origin: nominee.origin)
    }

    private mutating func firstNominee(in origins: OriginTable) -> Nominee? {
        while let nominee = nominees.first {
            if lanes[nominee.origin].nominee == nominee.entry {
                if origins.hasFreeSlot(nominee.origin) { return nominee }
                lanes[nominee.origin].nominee = nil
                block(nominee.origin)
            }
            _ = nominees.popFirst()
        }
        return nil
    }

    /// Removes the result of `first(in:hasSlot:)`.
    mutating func removeFirst(_ candidate: Candidate, in origins: OriginTable) {
        count -= 1
        if let origin = candidate.origin {
            _ = nominees.popFirst()
            _ = lanes[origin].entries.popFirst()
            lanes[origin].nominee = nil
            if lanes[origin].entries.isEmpty { origins.removeLane(origin) } else { nominate(origin) }
        } else {
            _ = slotless.popFirst()
        }
        if count == 0, highestCount > Self.keptCount { self = LaneTable() }
    }

    /// Makes the first entry of a lane the lane's nominee.
    private mutating func nominate(_ origin: OriginTable.Index) {
        guard !lanes[origin].isBlocked, let first = lanes[origin].entries.first, lanes[origin].nominee != first else {
            return
        }
        lanes[origin].nominee = first
        nominees.insert(Nominee(entry: first, origin: origin))
    }

    private mutating func block(_ origin: OriginTable.Index) {
        guard !lanes[origin].isBlocked else { return }
        lanes[origin].isBlocked = true
        blocked.append(origin)
    }

    /// Returns the origins that were found without a free slot since the last call. Each must be unblocked when it has
    /// a free slot.
    mutating func removeBlocked() -> [OriginTable.Index] {
        guard !blocked.isEmpty else { return [] }
        defer { blocked = [] }
        return blocked
    }

    /// Unblocks an origin that may have a free slot again.
    mutating func unblock(_ origin: OriginTable.Index) {
        guard origin < lanes.count else { return }
        lanes[origin].isBlocked = false
        nominate(origin)
    }

    /// Moves the entries that need no slot from another table. This table must not contain such entries.
    mutating func adoptSlotless(from other: inout LaneTable) {
        precondition(slotless.isEmpty, "operations that need no slot wait in one table")
        swap(&slotless, &other.slotless)
        count += slotless.count
        highestCount = max(highestCount, count)
        other.count -= slotless.count
    }

    /// Returns the entries for an origin, including stale entries.
    func entries(of origin: OriginTable.Index) -> Heap<LaneEntry> {
        origin < lanes.count ? lanes[origin].entries : Heap()
    }

    /// Removes all entries.
    mutating func removeAll(in origins: OriginTable) {
        for origin in lanes.indices where !lanes[origin].entries.isEmpty { origins.removeLane(origin) }
        self = LaneTable()
    }
}

/// The origins of a scheduler that have a running or waiting operation, and how many operations run. A class, because
/// copying a value for each query costs more than the query (benchmark `mixed`). Network thread only, except in tests.
final class OriginTable {
    typealias Index = Int

    private struct Row {
        /// Nil when the row is free.
        var origin: Origin?
        var runningCount = 0
        var laneCount = 0
        /// The gates of blocked lanes.
        var blocked: [AdmissionGate] = []
        /// Nil without a governor.
        var governed: GovernedOrigin?
    }

    let limit: Int
    /// Nil without a governor.
    private var governor: GovernorCore?
    /// The client that the governor notifies when an origin is open again.
    private weak var client: (any GovernorClient)?
    @exclusivity(unchecked) private var rows: [Row] = []
    private var freeIndices: [Index] = []
    private var indexOfOrigin: [Origin: Index] = [:]
    /// The row that was used last. It stays even when unused, because the next operation usually has the same origin.
    private var last = 0

    init(limit: Int) { self.limit = limit }

    /// Puts the origins that are looked up from now on under a governor.
    func govern(by governor: GovernorCore, for client: any GovernorClient) {
        (self.governor, self.client) = (governor, client)
    }

    /// Returns the index of an origin. The index is valid as long as the origin has a running operation or a lane, or
    /// no other origin is looked up.
    func index(of origin: Origin) -> Index {
        if rows.indices.contains(last), rows[last].origin == origin { return last }
        let former = last
        last = indexOfOrigin[origin] ?? add(origin)
        dropIfUnused(former)
        return last
    }

    private func add(_ origin: Origin) -> Index {
        let index = freeIndices.popLast() ?? rows.count
        if index == rows.count { rows.append(Row()) }
        rows[index].origin = origin
        rows[index].governed = governor?.origin(origin)
        indexOfOrigin[origin] = index
        return index
    }

    func origin(at index: Index) -> Origin {
        guard let origin = rows[index].origin else { preconditionFailure("the origin is not in use") }
        return origin
    }

    /// Returns the index of an origin that has a running operation or a lane, or was looked up last.
    func knownIndex(of origin: Origin) -> Index? { indexOfOrigin[origin] }

    func runningCount(_ index: Index) -> Int { rows[index].runningCount }

    /// The origins with a running operation or a lane, and the origin that was looked up last.
    var all: [Origin] { Array(indexOfOrigin.keys) }

    /// The number of running operations of each origin that has any.
    var runningCounts: [(origin: Origin, count: Int)] {
        rows.compactMap { row in row.runningCount > 0 ? row.origin.map { ($0, row.runningCount) } : nil }
    }

    func governed(_ index: Index) -> GovernedOrigin? { rows[index].governed }

    func hasFreeSlot(_ index: Index) -> Bool {
        guard rows[index].runningCount < limit else { return false }
        guard let governed = rows[index].governed else { return true }
        if governed.isKnownToBeOpen { return true }
        guard let client else { return true }
        return governed.isOpen(for: client)
    }

    /// - Parameter isContinuation: whether the slot is for a transfer that was paused in place.
    /// - Returns: the governor's permit; nil without a governor.
    func occupySlot(_ index: Index, isContinuation: Bool, for client: any GovernorClient) -> GovernorPermit? {
        rows[index].runningCount += 1
        return isContinuation ? rows[index].governed?.continueTransfer() : rows[index].governed?.begin(for: client)
    }

    func freeSlot(_ index: Index) {
        precondition(rows[index].runningCount > 0, "the origin holds no slot")
        rows[index].runningCount -= 1
        dropIfUnused(index)
    }

    /// Records that the first operation of a gate found no free slot of the origin.
    func block(_ gate: AdmissionGate, at index: Index) { rows[index].blocked.append(gate) }

    /// Removes and returns the gates whose lanes may be unblocked, in the order in which they were blocked.
    func removeBlocked(at index: Index) -> [AdmissionGate] {
        guard !rows[index].blocked.isEmpty else { return [] }
        defer { rows[index].blocked = [] }
        return rows[index].blocked
    }

    func addLane(_ index: Index) { rows[index].laneCount += 1 }

    func removeLane(_ index: Index) {
        rows[index].laneCount -= 1
        if rows[index].laneCount == 0 { rows[index].blocked = [] }
        dropIfUnused(index)
    }

    private func dropIfUnused(_ index: Index) {
        guard index != last, rows.indices.contains(index), rows[index].runningCount == 0, rows[index].laneCount == 0,
            let origin = rows[index].origin
        else { return }
        rows[index] = Row()
        indexOfOrigin[origin] = nil
        freeIndices.append(index)
    }
}

@available(*, unavailable)
extension OriginTable: Sendable {}
