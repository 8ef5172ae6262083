// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Decides which waiting transfer may start: a limit in all and one for each origin, the highest priority first; among
/// equals each batch and each queue has its turn, with the oldest that it has. A pure value: it knows no thread, transfer
/// or clock.
///
/// An origin at its limit never holds up another: only origins with a free place take part in the choice. A batch never
/// holds up what comes after it: that waits for at most one transfer of each batch or queue that is before it.
struct AdmissionQueue {
    /// One transfer that waits, or that was let in.
    struct Ticket: Hashable {
        let number: UInt64
        var turn: UInt64 = 0

        static func == (a: Ticket, b: Ticket) -> Bool { a.number == b.number }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    /// Where a ticket stands in line: a higher priority first, then the earlier turn, then the lower number.
    private struct Rank: Comparable {
        let priority: Int
        let ticket: Ticket
        /// Tells this place in line from one that the same ticket had before it was withdrawn.
        let entry: UInt64

        /// `a < b` when `a` goes first.
        static func < (a: Rank, b: Rank) -> Bool {
            (-a.priority, a.ticket.turn, a.ticket.number, a.entry)
                < (-b.priority, b.ticket.turn, b.ticket.number, b.entry)
        }
    }

    private struct Line {
        /// Nil where another line may stand.
        var origin: Origin?
        var waiting = Heap<Rank>()
        var runningCount = 0
        /// Who stands for this origin among the candidates; a candidate that is not it any more is passed over.
        var nominee: Rank?
    }

    private struct Candidate: Comparable {
        let rank: Rank
        let line: Int

        static func < (a: Candidate, b: Candidate) -> Bool { a.rank < b.rank }
        static func == (a: Candidate, b: Candidate) -> Bool { a.rank == b.rank }
    }

    let limit: Int
    let limitPerOrigin: Int
    /// One line for each origin that has anything waiting or running.
    private var lines: [Line] = []
    private var freeLines: [Int] = []
    private var lastLine = 0
    private var lineOfOrigin: [Origin: Int] = [:]
    /// The first in line of each origin that has a free place, and former ones.
    private var candidates = Heap<Candidate>()
    /// Who waits, where and in which line.
    private var places: [Ticket: Candidate] = [:]
    private var lastEntry: UInt64 = 0
    private var lastNumber: UInt64 = 0
    private var turns = FairTurns()
    private(set) var runningCount = 0

    init(limit: Int, limitPerOrigin: Int) {
        self.limit = limit
        self.limitPerOrigin = limitPerOrigin
    }

    /// How many wait.
    var waitingCount: Int { places.count }

    /// A place in the order of turns and of age, which stays the same however often it waits.
    mutating func makeTicket(share: Int, priority: Int) -> Ticket {
        lastNumber += 1
        return Ticket(number: lastNumber, turn: turns.take(share: share, priority: priority))
    }

    /// Puts a ticket in line. One that was in line before keeps its place among equals by its number.
    mutating func enqueue(_ ticket: Ticket, origin: Origin, priority: Int) {
        let line = line(for: origin)
        lastEntry += 1
        let rank = Rank(priority: priority, ticket: ticket, entry: lastEntry)
        places[ticket] = Candidate(rank: rank, line: line)
        lines[line].waiting.insert(rank)
        nominate(line)
    }

    /// Takes a ticket out of the line; it was not let in.
    mutating func withdraw(_ ticket: Ticket) {
        guard let place = places.removeValue(forKey: ticket) else { return }
        dropIfUnused(place.line)
    }

    /// Lets the next one in, if there is one and a place for it; it holds the place until `release`.
    mutating func admitNext() -> Ticket? {
        while runningCount < limit, let candidate = candidates.popFirst() {
            let line = candidate.line
            guard lines[line].nominee == candidate.rank else { continue }
            lines[line].nominee = nil
            if dropWithdrawn(from: line) == candidate.rank { return admit(candidate) }
            nominate(line)
        }
        return nil
    }

    /// Gives a place back.
    mutating func release(origin: Origin) {
        guard let line = existingLine(of: origin) else { preconditionFailure("\(origin) holds no place") }
        runningCount -= 1
        lines[line].runningCount -= 1
        nominate(line)
        dropIfUnused(line)
    }

    private mutating func line(for origin: Origin) -> Int {
        if let line = existingLine(of: origin) { return line }
        let line = freeLines.popLast() ?? lines.count
        if line == lines.count { lines.append(Line()) }
        lines[line] = Line(origin: origin)
        lineOfOrigin[origin] = line
        return line
    }

    /// Most look-ups are for the origin of the last one.
    private mutating func existingLine(of origin: Origin) -> Int? {
        if lines.indices.contains(lastLine), lines[lastLine].origin == origin { return lastLine }
        guard let line = lineOfOrigin[origin] else { return nil }
        lastLine = line
        return line
    }

    private mutating func admit(_ candidate: Candidate) -> Ticket {
        lines[candidate.line].runningCount += 1
        _ = lines[candidate.line].waiting.popFirst()
        places[candidate.rank.ticket] = nil
        runningCount += 1
        turns.serve(candidate.rank.ticket.turn, priority: candidate.rank.priority)
        nominate(candidate.line)
        return candidate.rank.ticket
    }

    /// Puts the first of a line among the candidates, when its origin has a free place.
    private mutating func nominate(_ line: Int) {
        guard lines[line].runningCount < limitPerOrigin, let first = dropWithdrawn(from: line),
            lines[line].nominee != first
        else { return }
        lines[line].nominee = first
        candidates.insert(Candidate(rank: first, line: line))
    }

    /// The first of a line that was not withdrawn.
    private mutating func dropWithdrawn(from line: Int) -> Rank? {
        while let first = lines[line].waiting.first {
            if places[first.ticket]?.rank == first { return first }
            _ = lines[line].waiting.popFirst()
        }
        return nil
    }

    private mutating func dropIfUnused(_ line: Int) {
        guard lines[line].runningCount == 0, dropWithdrawn(from: line) == nil, let origin = lines[line].origin
        else { return }
        lines[line] = Line()
        lineOfOrigin[origin] = nil
        freeLines.append(line)
    }
}
