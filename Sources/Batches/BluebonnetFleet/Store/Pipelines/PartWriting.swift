// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetPipelines
internal import Foundation

/// The facts of a response for the next page, and the response for lines that use its elements.
struct LineYield: Sendable {
    var page: PageCandidate?
    /// The response, if a line uses its elements at once.
    var source: ReferenceSource?
}

/// A line, a page or an element with a result.
struct EndedLine {
    let position: Int
    let outcome: ResultLine.Outcome
    var yield: LineYield?
}

/// Adds pages and elements to a batch when the lines before have ended, and ends lines whose pages and elements have
/// ended. Runs in the caller's transaction.
///
/// A line with pages or elements waits in `blocked`: `missing` counts those that have not ended, and the lines that
/// it needs. One transaction at a time changes the pages and elements of a batch. Locks are taken in the order
/// worker, claims, `expansions`, batch, waiting lines.
struct PartWriting {
    /// The place of a page or an element.
    private struct Place {
        let parent: Int
        let line: Int
        let page: Int?
    }

    let writing: ResultWriting
    let batch: Int
    let isCancelled: Bool
    var rows: PartRows
    private var parents: [Int: StoredParent] = [:]
    private var changed: Set<Int> = []
    /// Whether lines have become ready.
    var isReady = false

    var connection: PostgreSQLConnection { writing.connection }

    /// Locks the pages and elements of a batch; nil if no line of the batch has any.
    init?(_ writing: ResultWriting, _ batch: Int) throws(FleetError) {
        let found = try writing.connection.query(
            "SELECT next_position FROM bluebonnet.expansions WHERE batch = $1 FOR UPDATE", [.integer(batch)])
        guard found.count == 1 else { return nil }
        (self.writing, self.batch) = (writing, batch)
        isCancelled = try writing.lock(batch)
        rows = PartRows(writing, batch, nextPosition: found.integer(0, 0))
    }

    /// Stores the states of the lines. To be called at the end of the transaction.
    func finish() throws(FleetError) {
        try connection.query(
            "UPDATE bluebonnet.expansions SET next_position = $2 WHERE batch = $1 AND next_position <> $2",
            [.integer(batch), .integer(rows.nextPosition)])
        let states = changed.sorted().compactMap { parents[$0] }
        guard !states.isEmpty else { return }
        try connection.query(
            """
            UPDATE bluebonnet.parents p SET state = u.state
            FROM unnest($2::bigint[], $3::text[]) AS u (position, state)
            WHERE p.batch = $1 AND p.position = u.position
            """,
            [
                .integer(batch), .integers(states.map(\.position)),
                .lines(states.map { connection.storable($0.state.encoded()) }),
            ])
    }

    // MARK: Parents

    /// Returns a line with pages or elements; nil for other lines, and for elements whose pages have not begun.
    mutating func parent(_ position: Int) throws(FleetError) -> StoredParent? {
        if parents[position] == nil { parents[position] = try writing.parents(batch, at: [position]).first }
        return parents[position]
    }

    mutating func set(_ state: ParentState, of parent: StoredParent) {
        var parent = parent
        parent.state = state
        parents[parent.position] = parent
        changed.insert(parent.position)
    }

    /// Inserts parts and makes them ready.
    ///
    /// - Returns: the number of parts that have not ended.
    mutating func add(_ parts: [NewPart], to parent: StoredParent) throws(FleetError) -> Int {
        // An element with pages is expanded again, which changes nothing at the server.
        let isExpanded = parent.each != nil && parent.pipeline.paginate != nil
        let positions = try rows.insert(parts, of: parent, kind: isExpanded ? .safe : parent.kind)
        return try place(positions)
    }

    mutating func place(_ positions: [Int]) throws(FleetError) -> Int {
        let count = try rows.place(positions, isCancelled: isCancelled)
        if count > 0 { isReady = true }
        return count
    }

    /// Changes the number of parts for which lines wait.
    ///
    /// - Returns: the lines that no longer wait for anything.
    private func countUp(_ counts: [Int: Int]) throws(FleetError) -> [Int] {
        guard !counts.isEmpty else { return [] }
        let sorted = counts.sorted { $0.key < $1.key }
        let rows = try connection.query(
            """
            UPDATE bluebonnet.blocked b SET missing = b.missing + u.count
            FROM unnest($2::bigint[], $3::bigint[]) AS u (position, count)
            WHERE b.batch = $1 AND b.position = u.position RETURNING b.position, b.missing
            """, [.integer(batch), .integers(sorted.map(\.key)), .integers(sorted.map(\.value))])
        return (0..<rows.count).filter { rows.integer($0, 1) <= 0 }.map { rows.integer($0, 0) }
    }
}

// MARK: - Ending lines

extension PartWriting {
    /// Acts on lines, pages and elements that have results: adds what follows, releases what waits, and ends lines
    /// that have nothing left to wait for.
    mutating func end(_ ended: [EndedLine]) throws(FleetError) {
        var (queue, level) = (ended, 0)
        while !queue.isEmpty {
            level += 1
            let places = try places(of: queue.map(\.position))
            var counts: [Int: Int] = [:]
            for line in queue {
                let place = places[line.position]
                if let source = line.yield?.source {
                    for (reader, count) in try feed(source, of: line.position, place?.line) {
                        counts[reader, default: 0] += count
                    }
                }
                guard let place else { continue }
                let hasNext = place.page != nil ? try turnPage(line, place) : false
                counts[place.parent, default: 0] -= hasNext ? 0 : 1
            }
            let lines = queue.filter { places[$0.position] == nil }
            let others = lines.filter { $0.outcome != .success }.map(\.position)
            for reader in try closeReaders(of: others) { counts[reader, default: 0] -= 1 }
            try writing.skip(batch, after: others)
            // Elements are counted before their source no longer counts.
            var free = try countUp(counts)
            free += try writing.countDown(batch, lines.filter { $0.outcome == .success }.map(\.position))
            queue = try release(Set(free).sorted(), level: level)
        }
    }

    /// Ends lines that wait for nothing, or makes them ready.
    mutating func endUnblocked(_ positions: [Int]) throws(FleetError) {
        try end(try release(positions, level: 0))
    }

    private func places(of positions: [Int]) throws(FleetError) -> [Int: Place] {
        let rows = try connection.query(
            "SELECT position, parent, line, page FROM bluebonnet.parts WHERE batch = $1 AND position = ANY ($2)",
            [.integer(batch), .integers(positions)])
        return Dictionary(
            uniqueKeysWithValues: (0..<rows.count).map { row in
                let page = rows.isNull(row, 3) ? nil : rows.integer(row, 3)
                return (
                    rows.integer(row, 0), Place(parent: rows.integer(row, 1), line: rows.integer(row, 2), page: page)
                )
            })
    }

    /// Makes lines ready that no longer wait for anything. Lines whose pages and elements have ended get their results.
    ///
    /// - Returns: the lines with results.
    mutating func release(_ positions: [Int], level: Int) throws(FleetError) -> [EndedLine] {
        guard !positions.isEmpty else { return [] }
        let unknown = positions.filter { parents[$0] == nil }
        for parent in try writing.parents(batch, at: unknown) { parents[parent.position] = parent }
        var (ready, ended): ([Int], [EndedLine]) = ([], [])
        for position in positions {
            guard let parent = parents[position], parent.state.hasBegun else {
                ready.append(position)
                continue
            }
            let result = try writing.result(of: parent, batch)
            if try writing.endWaiting(batch, position, result, after: level) {
                ended.append(EndedLine(position: position, outcome: result.outcome))
            }
        }
        if try writing.unblock(batch, ready) { isReady = true }
        return ended
    }

    /// Decides what follows a page. Returns whether there is another page.
    private mutating func turnPage(_ line: EndedLine, _ place: Place) throws(FleetError) -> Bool {
        guard let parent = try parent(place.parent), let rule = parent.pipeline.paginate else { return false }
        var state = parent.state
        guard line.outcome == .success, let page = line.yield?.page else {
            let error = try writing.results(batch, at: [line.position])[line.position]?.error
            state.outcome = line.outcome == .success ? .failure : line.outcome
            state.failure = error.map { error in
                let message = "page \(place.page ?? 0): \(error.message)"
                return ResultLine.Failure(code: error.code, message: message, underlying: error.underlying)
            }
            set(state, of: parent)
            return false
        }
        var sequence = PageSequence(rule, after: state.pages)
        var step = sequence.step(after: page)
        state.pages = sequence.course
        if sequence.pageCount == 1, let key = sequence.key(ofFirst: page) {
            _ = try rows.insertKeys([key], of: parent.position)
        }
        if case .next(let change) = step, let key = sequence.key(of: change),
            try rows.insertKeys([key], of: parent.position).isEmpty
        {
            step = sequence.loop(to: change)
        }
        if case .fail(let code, let message) = step {
            (state.outcome, state.failure) = (.failure, ResultLine.Failure(code: code, message: message))
        }
        set(state, of: parent)
        guard case .next(let change) = step else { return false }
        return try add([.page(sequence.pageCount + 1, change, of: parent)], to: parent) > 0
    }

    /// Records in lines that have elements already that their source has ended without success. Lines without elements
    /// are skipped like other lines that depend on the source.
    ///
    /// - Returns: the lines that no longer wait for their source.
    private mutating func closeReaders(of positions: [Int]) throws(FleetError) -> [Int] {
        guard !positions.isEmpty else { return [] }
        let found = try connection.query(
            "SELECT source, reader FROM bluebonnet.readers WHERE batch = $1 AND source = ANY ($2) AND is_early",
            [.integer(batch), .integers(positions)])
        var closed: [Int] = []
        for row in 0..<found.count {
            let (source, reader) = (found.integer(row, 0), found.integer(row, 1))
            guard let parent = try parent(reader), parent.state.elements.elementCount > 0,
                let result = try writing.results(batch, at: [source])[source]
            else { continue }
            var state = parent.state
            state.source = ParentState.Source(outcome: result.outcome, reason: result.skipReason)
            set(state, of: parent)
            try connection.query(
                "DELETE FROM bluebonnet.edges WHERE batch = $1 AND dependency = $2 AND dependent = $3",
                [.integer(batch), .integer(source), .integer(reader)])
            closed.append(reader)
        }
        return closed
    }
}

extension NewPart {
    /// A page of a line or of an element.
    static func page(_ number: Int, _ change: PageChange?, of parent: StoredParent) -> NewPart {
        let text = change.flatMap { try? JSONEncoder().encode($0) } ?? Data()
        return NewPart(name: String(number), page: number, change: text, element: parent.element ?? Data())
    }
}
