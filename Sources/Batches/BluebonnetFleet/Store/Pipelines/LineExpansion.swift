// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import BluebonnetPipelines
internal import Foundation

extension ResultWriting {
    /// Acts on ended lines of a batch in which lines wait for other lines.
    ///
    /// - Returns: whether lines have become ready.
    func settle(_ batch: Int, _ ended: [EndedLine]) throws(FleetError) -> Bool {
        guard var parts = try PartWriting(self, batch) else {
            return try release(
                batch, succeeded: ended.filter { $0.outcome == .success }.map(\.position),
                others: ended.filter { $0.outcome != .success }.map(\.position))
        }
        try parts.end(ended)
        try parts.finish()
        return parts.isReady
    }

    /// Makes a line wait. No worker may have the line.
    func block(_ batch: Int, _ position: Int, missing: Int) throws(FleetError) {
        try connection.query(
            "INSERT INTO bluebonnet.blocked (batch, position, missing) VALUES ($1, $2, $3)",
            [.integer(batch), .integer(position), .integer(missing)])
    }

    /// Records the result of a line that waits.
    ///
    /// - Parameter level: how many levels of lines of the same transaction precede the result: a line follows its pages
    ///   and elements, which follow their own pages.
    /// - Returns: false if the line no longer waits.
    func endWaiting(
        _ batch: Int, _ position: Int, _ result: ResultLine, after level: Int
    ) throws(FleetError) -> Bool {
        try connection.query(
            """
            WITH gone AS (
                DELETE FROM bluebonnet.blocked WHERE batch = $1 AND position = $2 RETURNING position
            ), written AS (
                INSERT INTO bluebonnet.results (batch, position, outcome, bytes, line, written)
                SELECT $1, position, $3, 0, ($4::text[])[1],
                       (pg_current_xact_id()::text::bigint + $5)::text::xid8 FROM gone
                ON CONFLICT DO NOTHING RETURNING position
            )
            INSERT INTO bluebonnet.tallies AS t (batch, worker, outcome, count, bytes)
            SELECT $1, $6, $3, count(*), 0 FROM written HAVING count(*) > 0
            ON CONFLICT (batch, worker, outcome) DO UPDATE SET count = t.count + excluded.count
            """,
            [
                .integer(batch), .integer(position), .text(result.outcome.rawValue),
                .lines([connection.storable(result.encodedLine().dropLast())]), .integer(level),
                .integer(connection.nextTally(of: worker)),
            ]
        ).changedCount == 1
    }
}

extension WorkerStore {
    /// Removes a line from its claim, and lets it continue without a worker: its pages and elements take its place, or
    /// it waits for its next request. Does nothing if the worker no longer has the line.
    func continueLater(_ ending: LineEnding) throws(FleetError) {
        let writing = ResultWriting(connection: connection, worker: worker)
        try connection.transaction { () throws(FleetError) in
            let claimed = try connection.query(
                "SELECT positions FROM bluebonnet.claims WHERE number = $1 AND worker = $2 FOR UPDATE",
                [.integer(ending.claim), .integer(worker)])
            guard claimed.count == 1 else { return }
            var rest = Set(claimed.integers(0, 0))
            guard rest.remove(ending.position) != nil else { return }
            try reduceClaim(ending.claim, to: rest)
            switch ending.step {
            case .result: return
            case .expand:
                guard var parts = try PartWriting(writing, ending.batch) else { return }
                try parts.expand(ending.position)
                try parts.finish()
                if parts.isReady { notices.add(.work) }
            case .polled(let course, let every, let elapsed):
                try wait(ending, course, every: every, elapsed: elapsed, writing)
            }
        }
    }
}

extension PartWriting {
    /// Begins the pages of a line or of an element, or the elements of a line whose source has ended.
    mutating func expand(_ position: Int) throws(FleetError) {
        guard !isCancelled else {
            return try writing.end(
                batch, .cancelled, [.cancelledBatch], "WITH \(ResultWriting.gone)", [position])
        }
        var found = try parent(position)
        if found == nil { found = try insertParent(position) }
        guard let parent = found else { return }
        try writing.block(batch, position, missing: 0)
        var count = 0
        if !parent.state.hasBegun {
            var state = parent.state
            state.hasBegun = true
            set(state, of: parent)
            count = try begin(parent)
        }
        if count > 0 {
            try connection.query(
                "UPDATE bluebonnet.blocked SET missing = $3 WHERE batch = $1 AND position = $2",
                [.integer(batch), .integer(position), .integer(count)])
        } else {
            try endUnblocked([position])
        }
    }

    /// Adds an element with pages to the lines with pages or elements.
    private mutating func insertParent(_ position: Int) throws(FleetError) -> StoredParent? {
        try connection.query(
            """
            INSERT INTO bluebonnet.parents (batch, position, state, kind, is_read)
            SELECT $1, $2, ($3::text[])[1], s.kind, s.is_read FROM bluebonnet.parts p
            JOIN bluebonnet.parents s ON s.batch = $1 AND s.position = p.line
            WHERE p.batch = $1 AND p.position = $2
            """, [.integer(batch), .integer(position), .lines([ParentState().encoded()])])
        return try parent(position)
    }

    /// Makes the first parts ready. Returns the number of those that have not ended.
    private mutating func begin(_ parent: StoredParent) throws(FleetError) -> Int {
        guard let each = parent.each else {
            guard let rule = parent.pipeline.paginate else { return 0 }
            return try add([.page(1, PageSequence(rule).first, of: parent)], to: parent)
        }
        switch each.source {
        case .file: return try placeStored(parent)
        case .line: return try feedStored(parent)
        }
    }

    /// Makes the elements of a file ready. They were stored with the batch.
    private mutating func placeStored(_ parent: StoredParent) throws(FleetError) -> Int {
        var (count, last) = (0, -1)
        while true {
            let found = try connection.query(
                """
                SELECT position FROM bluebonnet.parts WHERE batch = $1 AND parent = $2 AND position > $3
                ORDER BY position LIMIT \(PartRows.sliceLength)
                """, [.integer(batch), .integer(parent.position), .integer(last)])
            let positions = (0..<found.count).map { found.integer($0, 0) }
            guard let end = positions.last else { return count }
            count += try place(positions)
            last = end
        }
    }

    /// Adds the elements of the stored responses of a line that has ended.
    private mutating func feedStored(_ parent: StoredParent) throws(FleetError) -> Int {
        let sources = try connection.query(
            """
            SELECT l.position, l.line FROM bluebonnet.readers r
            JOIN bluebonnet.lines l ON l.batch = $1 AND l.position = r.source
            WHERE r.batch = $1 AND r.reader = $2
            """, [.integer(batch), .integer(parent.position)])
        guard sources.count == 1 else { return 0 }
        let (source, line) = (sources.integer(0, 0), try RequestLine(stored: sources.bytes(0, 1)))
        var count = 0
        for position in try responses(of: source, line) {
            guard let row = try response(position), let response = ReferenceSource(row.source),
                let reader = try self.parent(parent.position)
            else { continue }
            count += try feed(response, of: row.id, items: line.pipeline?.paginate?.itemPath, to: reader)
        }
        return count
    }

    /// The positions of a line's successful responses.
    private func responses(of source: Int, _ line: RequestLine) throws(FleetError) -> [Int] {
        guard line.hasParts else { return [source] }
        let isPaged = line.pipeline?.paginate != nil
        let rows = try connection.query(
            """
            WITH RECURSIVE own (position, page) AS (
                SELECT position, page FROM bluebonnet.parts WHERE batch = $1 AND parent = $2
                UNION ALL
                SELECT p.position, p.page FROM own o
                JOIN bluebonnet.parts p ON p.batch = $1 AND p.parent = o.position
            )
            SELECT coalesce(array_agg(o.position ORDER BY o.position), '{}') FROM own o
            JOIN bluebonnet.results r ON r.batch = $1 AND r.position = o.position
            WHERE r.outcome = 'success' AND (o.page IS NOT NULL) = $3
            """, [.integer(batch), .integer(source), .bool(isPaged)])
        return rows.integers(0, 0)
    }

    private func response(_ position: Int) throws(FleetError) -> (id: String, source: WorkerStore.SourceRow)? {
        let rows = try connection.query(
            """
            SELECT l.id, r.line, r.body FROM bluebonnet.results r
            JOIN bluebonnet.lines l ON l.batch = $1 AND l.position = $2
            WHERE r.batch = $1 AND r.position = $2
            """, [.integer(batch), .integer(position)])
        guard rows.count == 1 else { return nil }
        let id = rows.text(0, 0)
        return (id, WorkerStore.SourceRow(id: id, line: rows.bytes(0, 1), body: rows.optionalBytes(0, 2)))
    }
}
