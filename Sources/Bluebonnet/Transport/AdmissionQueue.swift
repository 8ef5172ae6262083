// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides which waiting transfer may start: a limit in all and one for each origin, the highest priority first, the
/// oldest among equals. A pure value: it knows no thread, transfer or clock.
///
/// An origin at its limit never holds up another: only origins with a free place take part in the choice.
struct AdmissionQueue {
    /// One transfer that waits, or that was let in.
    struct Ticket: Hashable {
        let number: UInt64
    }

    /// Where a ticket stands in line: a higher priority first, then the lower number.
    private struct Rank: Comparable {
        let priority: Int
        let ticket: Ticket

        /// `a < b` when `a` goes first.
        static func < (a: Rank, b: Rank) -> Bool {
            (-a.priority, a.ticket.number) < (-b.priority, b.ticket.number)
        }
    }

    private struct Line {
        var waiting = Heap<Rank>()
        var runningCount = 0
        /// Who stands for this origin among the candidates; a candidate that is not it any more is passed over.
        var nominee: Rank?
    }

    private struct Candidate: Comparable {
        let rank: Rank
        let origin: Origin

        static func < (a: Candidate, b: Candidate) -> Bool { a.rank < b.rank }
        static func == (a: Candidate, b: Candidate) -> Bool { a.rank == b.rank }
    }

    let limit: Int
    let limitPerOrigin: Int
    private var lines: [Origin: Line] = [:]
    /// The first in line of each origin that has a free place, and former ones.
    private var candidates = Heap<Candidate>()
    private var waitingOrigins: [Ticket: Origin] = [:]
    private(set) var runningCount = 0

    init(limit: Int, limitPerOrigin: Int) {
        self.limit = limit
        self.limitPerOrigin = limitPerOrigin
    }

    /// How many wait.
    var waitingCount: Int { waitingOrigins.count }

    /// Puts a ticket in line. One that was in line before keeps its place among equals by its number.
    mutating func enqueue(_ ticket: Ticket, origin: Origin, priority: Int) {
        waitingOrigins[ticket] = origin
        lines[origin, default: Line()].waiting.insert(Rank(priority: priority, ticket: ticket))
        nominate(origin)
    }

    /// Takes a ticket out of the line; it was not let in.
    mutating func withdraw(_ ticket: Ticket) {
        guard let origin = waitingOrigins.removeValue(forKey: ticket) else { return }
        dropIfUnused(origin)
    }

    /// Lets the next one in, if there is one and a place for it; it holds the place until `release`.
    mutating func admitNext() -> Ticket? {
        while runningCount < limit, let candidate = candidates.popFirst() {
            let origin = candidate.origin
            guard lines[origin]?.nominee == candidate.rank else { continue }
            lines[origin]?.nominee = nil
            if dropWithdrawn(from: origin) == candidate.rank { return admit(candidate) }
            nominate(origin)
        }
        return nil
    }

    /// Gives a place back.
    mutating func release(origin: Origin) {
        runningCount -= 1
        lines[origin]?.runningCount -= 1
        nominate(origin)
        dropIfUnused(origin)
    }

    private mutating func admit(_ candidate: Candidate) -> Ticket {
        lines[candidate.origin]?.runningCount += 1
        _ = lines[candidate.origin]?.waiting.popFirst()
        waitingOrigins[candidate.rank.ticket] = nil
        runningCount += 1
        nominate(candidate.origin)
        return candidate.rank.ticket
    }

    /// Puts the first of an origin's line among the candidates, when the origin has a free place.
    private mutating func nominate(_ origin: Origin) {
        guard let runningCount = lines[origin]?.runningCount, runningCount < limitPerOrigin,
            let first = dropWithdrawn(from: origin), lines[origin]?.nominee != first
        else { return }
        lines[origin]?.nominee = first
        candidates.insert(Candidate(rank: first, origin: origin))
    }

    /// The first of an origin's line that was not withdrawn.
    private mutating func dropWithdrawn(from origin: Origin) -> Rank? {
        while let first = lines[origin]?.waiting.first {
            if waitingOrigins[first.ticket] != nil { return first }
            _ = lines[origin]?.waiting.popFirst()
        }
        return nil
    }

    private mutating func dropIfUnused(_ origin: Origin) {
        if lines[origin]?.runningCount == 0, dropWithdrawn(from: origin) == nil {
            lines[origin] = nil
        }
    }
}
