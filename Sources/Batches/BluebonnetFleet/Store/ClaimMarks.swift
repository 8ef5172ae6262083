// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Remembers where the waiting lines of each batch begin, so that a claim does not read the rows of lines that were
/// claimed long ago. PostgreSQL cannot remove such rows while any transaction of the server is older than they are,
/// and a search from the beginning would visit all of them. A value type; the caller passes the instants.
///
/// The lines of an origin and a priority have two ranges in the order of their entries: lines that became ready later,
/// whose entry is the time in microseconds, and after them the submitted lines, whose entry is `submittedStart` and the
/// position. Nothing is added to the second range.
///
/// A mark is a hint. A claim that was rolled back, or a transaction that took longer than `lag` to make lines ready,
/// leaves lines below a mark. A complete search, from time to time, forgets the marks and finds them. Parts that it
/// does not reach, because it has enough lines, or because their lanes are full, have no marks until a later search
/// visits them.
struct ClaimMarks {
    typealias Instant = ContinuousClock.Instant

    /// The first entry of submitted lines. Times are smaller.
    static let submittedStart = 1 << 60
    /// Larger than every entry.
    static let end = 1 << 62
    /// The number of priorities.
    static let rankCount = 5

    /// A part of the waiting lines of a batch.
    struct Part: Hashable {
        let lane: Int
        let rank: Int
        let isSubmitted: Bool

        var start: Int { isSubmitted ? ClaimMarks.submittedStart : 0 }
        var end: Int { isSubmitted ? ClaimMarks.end : ClaimMarks.submittedStart }
    }

    /// A lane to be searched.
    struct Lane: Equatable {
        let number: Int
        /// The most lines to claim.
        let count: Int
        /// The priorities of its lines, a bit for each rank.
        var ranks = (1 << ClaimMarks.rankCount) - 1
    }

    /// The lanes and parts that a search visits, in order.
    struct Search: Equatable {
        /// The lanes, with the indices of their first and last parts.
        var lanes: [(lane: Lane, first: Int, last: Int)] = []
        var parts: [Part] = []
        /// The entry at which the search of each part begins.
        var starts: [Int] = []
        /// Whether the search ignores the marks.
        var isComplete = false

        static func == (one: Search, other: Search) -> Bool {
            one.parts == other.parts && one.starts == other.starts && one.isComplete == other.isComplete
                && one.lanes.map(\.lane) == other.lanes.map(\.lane)
        }
    }

    /// The lines that a search has found in a part.
    struct Found: Equatable {
        let part: Part
        let count: Int
        let firstEntry: Int
        let lastEntry: Int
    }

    private struct BatchMarks {
        var epoch: Int
        /// Where the waiting lines of a part begin, for the parts that were visited since the marks were forgotten.
        var starts: [Part: Int] = [:]
        /// How long the searches of unmarked parts took since then.
        var cost = Duration.zero
        var nextComplete: Instant
        var nextCompleteWhenIdle: Instant
        var isIdle = false
    }

    /// Lines that became ready less than this time before a search may be invisible to it: their transaction has not
    /// ended.
    private let lag: Duration
    private var batches: [Int: BatchMarks] = [:]

    init(lag: Duration = .seconds(5)) { self.lag = lag }

    /// Whether anything is known about a batch.
    func knows(_ batch: Int) -> Bool { batches[batch] != nil }

    /// Forgets the other batches.
    mutating func keep(_ numbers: Set<Int>) { batches = batches.filter { numbers.contains($0.key) } }

    /// Forgets what is known about a batch if its state was changed since then: lines may run again.
    ///
    /// - Parameter epoch: a number that changes with the batch's state.
    mutating func update(_ batch: Int, epoch: Int, now: Instant) {
        guard let known = batches[batch]?.epoch, known != epoch else { return }
        batches[batch] = BatchMarks(epoch: epoch, nextComplete: now, nextCompleteWhenIdle: now)
    }

    /// Plans a search of lanes, in their order.
    func search(_ batch: Int, _ lanes: [Lane], now: Instant) -> Search {
        let known = batches[batch]
        let due = known.map { $0.isIdle ? min($0.nextComplete, $0.nextCompleteWhenIdle) : $0.nextComplete }
        var search = Search(isComplete: due.map { now >= $0 } ?? true)
        for lane in lanes {
            let first = search.parts.count
            for rank in 0..<Self.rankCount where lane.ranks & (1 << rank) != 0 {
                for isSubmitted in [false, true] {
                    let part = Part(lane: lane.number, rank: rank, isSubmitted: isSubmitted)
                    search.parts.append(part)
                    search.starts.append(search.isComplete ? part.start : known?.starts[part] ?? part.start)
                }
            }
            search.lanes.append((lane, first, search.parts.count - 1))
        }
        return search
    }

    /// Records what a search has found.
    ///
    /// - Parameters:
    ///   - found: the lines that were claimed, by part.
    ///   - limit: the most lines of the search.
    ///   - time: the store's time at the beginning of the search, in microseconds.
    ///   - start: when the search began.
    ///   - now: when the search ended.
    mutating func record(
        _ batch: Int, epoch: Int, _ search: Search, _ found: [Found], limit: Int, time: Int, start: Instant,
        now: Instant
    ) {
        var known = batches[batch] ?? BatchMarks(epoch: epoch, nextComplete: now, nextCompleteWhenIdle: now)
        let found = Dictionary(uniqueKeysWithValues: found.map { ($0.part, $0) })
        let horizon = time - Int(lag / .microseconds(1))
        if search.isComplete { (known.starts, known.cost) = ([:], .zero) }
        var visitsUnmarked = false
        for index in visited(search, found, limit: limit) {
            let part = search.parts[index.part]
            let last = index.isExhausted ? part.end : found[part]?.lastEntry ?? part.start
            if known.starts[part] == nil { visitsUnmarked = true }
            known.starts[part] = max(known.starts[part] ?? part.start, part.isSubmitted ? last : min(last, horizon))
        }
        known.isIdle = found.isEmpty
        if visitsUnmarked || search.isComplete {
            known.cost += start.duration(to: now)
            known.nextComplete = now + max(.seconds(30), known.cost * 200)
            known.nextCompleteWhenIdle = now + max(.seconds(1), known.cost * 20)
        }
        batches[batch] = known
    }

    /// Returns the parts that a search has visited, and whether it has reached their ends: a search stops when it has
    /// enough lines, of a lane or in all.
    private func visited(
        _ search: Search, _ found: [Part: Found], limit: Int
    ) -> [(part: Int, isExhausted: Bool)] {
        let isCut = found.values.reduce(0) { $0 + $1.count } >= limit
        let lastOfAll = search.parts.lastIndex { found[$0] != nil } ?? -1
        var visited: [(part: Int, isExhausted: Bool)] = []
        for (lane, first, last) in search.lanes where first <= last && !(isCut && first > lastOfAll) {
            let count = (first...last).reduce(0) { $0 + (found[search.parts[$1]]?.count ?? 0) }
            let lastFound = (first...last).last { found[search.parts[$0]] != nil } ?? last
            let isStopped = count >= lane.count || (isCut && lastFound == lastOfAll)
            for index in first...(isStopped ? lastFound : last) {
                visited.append((index, !(isStopped && index == lastFound)))
            }
        }
        return visited
    }
}

/// The marks of a connection. Confined to the worker's thread.
final class ClaimMemory {
    var marks = ClaimMarks()
}

@available(*, unavailable)
extension ClaimMemory: Sendable {}
