// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Waits to be let in. Network thread only.
protocol AdmissionClient: AnyObject {
    func wasAdmitted()
}

/// Decides which waiting transfer may start: a limit in all and one for each origin, the highest priority first; among
/// equals each batch and each queue has its turn, with the oldest that it has. It knows no thread, transfer or clock.
///
/// An origin at its limit never holds up another: only origins with a free place take part in the choice. A batch never
/// holds up what comes after it: that waits for at most one transfer of each batch or queue that is before it.
struct AdmissionQueue {
    /// One who waits, again and again: an object, so that its place in line is found without looking it up.
    final class Ticket {
        let number: UInt64
        let virtualTime: UInt64
        /// Where it is counted while it is in line.
        fileprivate let counts: WaitingCounts?
        /// Whether it has never been on the wire.
        var hasNeverStarted = true
        /// Who is told when it is let in; kept while it is in line.
        fileprivate(set) var client: (any AdmissionClient)?
        /// Its place in line, told from those that it had before; 0 outside.
        fileprivate var entry: UInt64 = 0
        fileprivate var lane = 0
        fileprivate var priority = 0

        init(number: UInt64, virtualTime: UInt64 = 0, counts: WaitingCounts? = nil) {
            self.number = number
            self.virtualTime = virtualTime
            self.counts = counts
        }

        /// Lets the client go.
        func takeClient() -> (any AdmissionClient)? {
            let taken = client
            client = nil
            return taken
        }
    }

    /// Where a ticket stands in line: a higher priority first, then the earlier turn, then the lower number.
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
        /// Nil where another line may stand.
        var origin: Origin?
        var waiting = Heap<WaitingTicket>()
        var runningCount = 0
        /// The place of the one that stands for this origin among the candidates; a candidate that is not it any more
        /// is passed over.
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
    /// One line for each origin that has anything waiting or running, and for the last one.
    private var lanes: [Lane] = []
    private var freeLanes: [Int] = []
    private var lastLane = 0
    private var laneOfOrigin: [Origin: Int] = [:]
    /// The first in line of each origin that has a free place, and former ones.
    private var candidates = Heap<Candidate>()
    private var lastEntry: UInt64 = 0
    private var lastNumber: UInt64 = 0
    private var fairQueue = FairQueue()
    private(set) var runningCount = 0
    /// How many wait.
    private(set) var waitingCount = 0

    init(limit: Int, limitPerOrigin: Int) {
        self.limit = limit
        self.limitPerOrigin = limitPerOrigin
    }

    /// A place in the order of turns and of age, which stays the same however often it waits.
    ///
    /// - Parameter counts: where it is counted while it waits.
    mutating func makeTicket(flow: Int, priority: Int, counts: WaitingCounts? = nil) -> Ticket {
        lastNumber += 1
        return Ticket(number: lastNumber, virtualTime: fairQueue.take(flow: flow, priority: priority), counts: counts)
    }

    /// How many more of this priority can be let in: as many as there are free places, less those that are taken care
    /// of by what `counts` counts with this priority or a higher one. What waits for a place of its origin takes care of
    /// none.
    func availableSlotCount(besides counts: WaitingCounts, priority: Int) -> Int {
        let free = limit - runningCount
        guard free > 0 else { return 0 }
        return free - counts.admissibleCount(from: priority, limit: free) { limitPerOrigin - lanes[$0].runningCount }
    }

    /// Puts a ticket in line. One that was in line before keeps its place among equals by its number.
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

    /// Takes a ticket out of the line; it was not let in.
    mutating func withdraw(_ ticket: Ticket) {
        guard ticket.entry != 0 else { return }
        leave(ticket)
        dropIfUnused(ticket.lane)
    }

    /// Takes out all that have never been on the wire.
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

    /// Lets the next one in, if there is one and a place for it; it holds the place until `release`.
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

    /// Gives a place back.
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

    /// Most look-ups are for the origin of the last one.
    private mutating func existingLane(of origin: Origin) -> Int? {
        if lanes.indices.contains(lastLane), lanes[lastLane].origin == origin { return lastLane }
        guard let lane = laneOfOrigin[origin] else { return nil }
        useNext(lane)
        return lane
    }

    /// The last line stays while it is the last one, though nobody is in it: the next comer mostly has the same origin.
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

    /// Puts the first of a line among the candidates, when its origin has a free place.
    private mutating func nominate(_ lane: Int) {
        guard lanes[lane].runningCount < limitPerOrigin, let first = dropWithdrawn(from: lane),
            lanes[lane].nominee != first.entry
        else { return }
        lanes[lane].nominee = first.entry
        candidates.insert(Candidate(rank: first, lane: lane))
    }

    /// The first of a line that was not withdrawn.
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
