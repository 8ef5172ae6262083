// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Is told of its admission. Network thread only.
protocol AdmissionClient: AnyObject {
    func wasAdmitted()
}

/// Decides which waiting transfer starts next, within a limit in all and a limit for each origin. The highest priority
/// goes first; transfers of equal priority are ordered by start-time fair queueing, with each batch and each queue as a
/// flow, and inside a flow by age. The type knows no thread, transfer or clock.
///
/// An origin at its limit never delays another origin: only origins with a free slot are candidates. A batch never
/// delays a later transfer by more than one transfer for each flow that was there before.
struct AdmissionQueue {
    /// Identifies an operation that waits, possibly several times. An object, so that its entry is found without a
    /// look-up.
    final class Ticket {
        let number: UInt64
        let virtualTime: UInt64
        /// Counts the ticket while it waits.
        fileprivate let counts: WaitingCounts?
        /// Whether the operation has never had a slot.
        var hasNeverStarted = true
        /// The client to tell of the admission; kept while the ticket waits.
        fileprivate(set) var client: (any AdmissionClient)?
        /// The number of its current entry; stale entries have other numbers. 0 while the ticket does not wait.
        fileprivate var entry: UInt64 = 0
        fileprivate var lane = 0
        fileprivate var priority = 0

        init(number: UInt64, virtualTime: UInt64 = 0, counts: WaitingCounts? = nil) {
            self.number = number
            self.virtualTime = virtualTime
            self.counts = counts
        }

        /// Returns the client and drops the reference to it.
        func takeClient() -> (any AdmissionClient)? {
            let taken = client
            client = nil
            return taken
        }
    }

    /// The order of tickets: a higher priority first, then the smaller virtual time, then the lower number.
    private struct Rank: Comparable {
        let priority: Int
        let virtualTime: UInt64
        let number: UInt64
        let entry: UInt64

        /// `a < b` when `a` goes first.
        static func < (a: Rank, b: Rank) -> Bool {
            if a.priority != b.priority { return a.priority > b.priority }
            if a.virtualTime != b.virtualTime { return a.virtualTime < b.virtualTime }
            return (a.number, a.entry) < (b.number, b.entry)
        }
    }

    private struct WaitingTicket: Comparable {
        let rank: Rank
        let ticket: Ticket

        static func < (a: WaitingTicket, b: WaitingTicket) -> Bool { a.rank < b.rank }
        static func == (a: WaitingTicket, b: WaitingTicket) -> Bool { a.rank == b.rank }
    }

    private struct Lane {
        /// Nil when the lane is free.
        var origin: Origin?
        var waiting = Heap<WaitingTicket>()
        var runningCount = 0
        /// The entry that represents this origin among the candidates; stale candidates are skipped.
        var nominee: UInt64 = 0
    }

    private struct Candidate: Comparable {
        let rank: Rank
        let lane: Int

        static func < (a: Candidate, b: Candidate) -> Bool { a.rank < b.rank }
        static func == (a: Candidate, b: Candidate) -> Bool { a.rank == b.rank }
    }

    let limit: Int
    let limitPerOrigin: Int
    /// One lane for each origin with a waiting or running transfer, and for the origin that was used last.
    private var lanes: [Lane] = []
    private var freeLanes: [Int] = []
    private var lastLane = 0
    private var laneOfOrigin: [Origin: Int] = [:]
    /// The first ticket of each lane with a free slot, and stale entries.
    private var candidates = Heap<Candidate>()
    private var lastEntry: UInt64 = 0
    private var lastNumber: UInt64 = 0
    private var fairQueue = FairQueue()
    private(set) var runningCount = 0
    /// The number of waiting tickets.
    private(set) var waitingCount = 0

    init(limit: Int, limitPerOrigin: Int) {
        self.limit = limit
        self.limitPerOrigin = limitPerOrigin
    }

    /// Makes a ticket, whose virtual time and number stay the same however often it waits.
    ///
    /// - Parameter counts: counts the ticket while it waits.
    mutating func makeTicket(flow: Int, priority: Int, counts: WaitingCounts? = nil) -> Ticket {
        lastNumber += 1
        return Ticket(number: lastNumber, virtualTime: fairQueue.take(flow: flow, priority: priority), counts: counts)
    }

    /// How many more transfers of this priority can be admitted: the free slots, less the waiting transfers in `counts`
    /// of this priority or a higher one. Transfers that wait for a slot of their origin do not count.
    func availableSlotCount(besides counts: WaitingCounts, priority: Int) -> Int {
        let free = limit - runningCount
        guard free > 0 else { return 0 }
        return free - counts.admissibleCount(from: priority, limit: free) { limitPerOrigin - lanes[$0].runningCount }
    }

    /// Adds a ticket to the lane of its origin. A ticket that has waited before keeps its rank among equals by its
    /// number.
    mutating func enqueue(_ ticket: Ticket, origin: Origin, priority: Int, client: (any AdmissionClient)? = nil) {
        if ticket.entry != 0 { leave(ticket) }
        let lane = lane(for: origin)
        lastEntry += 1
        (ticket.entry, ticket.lane, ticket.client, ticket.priority) = (lastEntry, lane, client, priority)
        noteWaiting(ticket, 1)
        let rank = Rank(priority: priority, virtualTime: ticket.virtualTime, number: ticket.number, entry: lastEntry)
        lanes[lane].waiting.insert(WaitingTicket(rank: rank, ticket: ticket))
        nominate(lane)
    }

    /// Removes a ticket that was not admitted.
    mutating func withdraw(_ ticket: Ticket) {
        guard ticket.entry != 0 else { return }
        leave(ticket)
        dropIfUnused(ticket.lane)
    }

    /// Removes all tickets of operations that have never started.
    mutating func withdrawNeverStarted() {
        let neverStarted = lanes.flatMap { lane in lane.waiting.unordered.map(\.ticket).filter(\.hasNeverStarted) }
        for ticket in neverStarted { withdraw(ticket) }
    }

    private mutating func leave(_ ticket: Ticket) {
        noteWaiting(ticket, -1)
        (ticket.entry, ticket.client) = (0, nil)
    }

    private mutating func noteWaiting(_ ticket: Ticket, _ change: Int) {
        waitingCount += change
        ticket.counts?.note(lane: ticket.lane, priority: ticket.priority, change)
    }

    /// Admits the next ticket, if there is one and a free slot. The ticket holds the slot until `release`.
    mutating func admitNext() -> Ticket? {
        while runningCount < limit, let candidate = candidates.popFirst() {
            let lane = candidate.lane
            guard lanes[lane].nominee == candidate.rank.entry else { continue }
            lanes[lane].nominee = 0
            if dropWithdrawn(from: lane)?.entry == candidate.rank.entry { return admit(candidate) }
            nominate(lane)
        }
        return nil
    }

    /// Returns a slot.
    mutating func release(origin: Origin) {
        guard let lane = existingLane(of: origin) else { preconditionFailure("\(origin) holds no slot") }
        runningCount -= 1
        lanes[lane].runningCount -= 1
        nominate(lane)
        dropIfUnused(lane)
    }

    private mutating func lane(for origin: Origin) -> Int {
        if let lane = existingLane(of: origin) { return lane }
        let lane = freeLanes.popLast() ?? lanes.count
        if lane == lanes.count { lanes.append(Lane()) }
        lanes[lane] = Lane(origin: origin)
        laneOfOrigin[origin] = lane
        useNext(lane)
        return lane
    }

    /// Most look-ups are for the origin of the previous look-up.
    private mutating func existingLane(of origin: Origin) -> Int? {
        if lanes.indices.contains(lastLane), lanes[lastLane].origin == origin { return lastLane }
        guard let lane = laneOfOrigin[origin] else { return nil }
        useNext(lane)
        return lane
    }

    /// Keeps the lane that was used last, even when it is empty: the next ticket mostly has the same origin.
    private mutating func useNext(_ lane: Int) {
        let former = lastLane
        lastLane = lane
        dropIfUnused(former)
    }

    private mutating func admit(_ candidate: Candidate) -> Ticket? {
        guard let ticket = lanes[candidate.lane].waiting.popFirst()?.ticket else { return nil }
        ticket.entry = 0
        lanes[candidate.lane].runningCount += 1
        runningCount += 1
        noteWaiting(ticket, -1)
        fairQueue.serve(candidate.rank.virtualTime, priority: candidate.rank.priority)
        nominate(candidate.lane)
        return ticket
    }

    /// Makes the first ticket of a lane a candidate, when its origin has a free slot.
    private mutating func nominate(_ lane: Int) {
        guard lanes[lane].runningCount < limitPerOrigin, let first = dropWithdrawn(from: lane),
            lanes[lane].nominee != first.entry
        else { return }
        lanes[lane].nominee = first.entry
        candidates.insert(Candidate(rank: first, lane: lane))
    }

    /// The first rank of a lane that was not withdrawn.
    private mutating func dropWithdrawn(from lane: Int) -> Rank? {
        while let first = lanes[lane].waiting.first {
            if first.ticket.entry == first.rank.entry { return first.rank }
            _ = lanes[lane].waiting.popFirst()
        }
        return nil
    }

    private mutating func dropIfUnused(_ lane: Int) {
        guard lane != lastLane, lanes[lane].runningCount == 0, dropWithdrawn(from: lane) == nil,
            let origin = lanes[lane].origin
        else { return }
        lanes[lane] = Lane()
        laneOfOrigin[origin] = nil
        freeLanes.append(lane)
    }
}

extension AdmissionQueue.Ticket: Hashable {
    static func == (a: AdmissionQueue.Ticket, b: AdmissionQueue.Ticket) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

@available(*, unavailable)
extension AdmissionQueue.Ticket: Sendable {}
