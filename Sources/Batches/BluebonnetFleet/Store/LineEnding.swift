// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import BluebonnetHTTP
internal import Foundation

/// The record of a line that has ended.
struct LineEnding {
    let claim: Int
    let batch: Int
    let position: Int
    let outcome: ResultLine.Outcome
    let byteCount: Int
    /// The result line without its line break.
    let line: Data
    /// The body, if other lines refer to it and `line` does not contain it as text.
    let body: Data?
    var step = LineStep.result
    var yield: LineYield?
}

/// The way in which a worker finishes a claimed line.
enum LineStep: Sendable, Equatable {
    /// The line has a result.
    case result
    /// The line has pages or elements, which take its place.
    case expand
    /// The line sends another request later.
    case polled(PollCourse, every: Double, elapsed: Double)
}

extension EndedLine {
    fileprivate init(_ ending: LineEnding) {
        self.init(position: ending.position, outcome: ending.outcome, yield: ending.yield)
    }
}

extension LineEnding {
    /// The bytes that the store gets, with the elements.
    fileprivate var byteCountInStore: Int {
        line.count + (body?.count ?? 0) + (yield?.source?.body?.count ?? 0)
    }

    /// Returns the failure to record instead of an outcome that the store cannot save.
    fileprivate func refused(_ error: FleetError) -> LineEnding {
        let id = (try? JSONDecoder().decode(ResultLine.self, from: line))?.id ?? ""
        var result = ResultLine(id: id, outcome: .failure)
        result.error = ResultLine.Failure(
            code: .bodyTooLarge,
            message: "the store cannot save the response: write large bodies to files with \"output\"",
            underlying: error.description)
        return LineEnding(
            claim: claim, batch: batch, position: position, outcome: .failure, byteCount: byteCount,
            line: result.encodedLine().dropLast(), body: nil)
    }
}

/// Recording outcomes, and giving back unsent lines and the lines of lost workers.
extension WorkerStore {
    /// Records outcomes and releases the lines that waited for them, in one transaction. Lines that are not in the
    /// worker's claims are left out.
    ///
    /// - Parameter edgeBatches: the batches in which lines wait for other lines.
    /// - Returns: how many of the outcomes are in the store, from this call or from a call whose answer was lost.
    @discardableResult
    func record(_ endings: [LineEnding], edgeBatches: Set<Int>) throws(FleetError) -> Int {
        let written = try write(endings, edgeBatches: edgeBatches)
        let rest = endings.filter { written[$0.batch]?.contains($0.position) != true }
        let count = endings.count - rest.count
        return rest.isEmpty ? count : count + (try countOfKnown(rest))
    }

    /// Returns how many outcomes are in the store word for word. Outcomes of other workers differ at least in their
    /// times.
    private func countOfKnown(_ endings: [LineEnding]) throws(FleetError) -> Int {
        try connection.query(
            """
            SELECT count(*) FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS u (batch, position, line)
            JOIN bluebonnet.results r ON r.batch = u.batch AND r.position = u.position AND r.line = u.line
            """,
            [
                .integers(endings.map(\.batch)), .integers(endings.map(\.position)),
                .lines(endings.map { connection.storable($0.line) }),
            ]
        ).integer(0, 0)
    }

    /// - Returns: the positions of the recorded lines, by batch.
    private func write(_ endings: [LineEnding], edgeBatches: Set<Int>) throws(FleetError) -> [Int: Set<Int>] {
        let writing = ResultWriting(connection: connection, worker: worker)
        guard endings.contains(where: { edgeBatches.contains($0.batch) }) else {
            return try writing.record(endings).mapValues(Set.init)
        }
        return try connection.transaction { () throws(FleetError) in
            let written = try writing.record(endings).mapValues(Set.init)
            var isReady = false
            for batch in written.keys.sorted() where edgeBatches.contains(batch) {
                let ended = endings.filter { $0.batch == batch && written[batch]?.contains($0.position) == true }
                isReady = try writing.settle(batch, ended.map(EndedLine.init)) || isReady
            }
            if isReady { notices.add(.work) }
            return written
        }
    }

    /// A group of outcomes ends with the outcome that reaches this number of bytes.
    private static let groupByteCount = 8 << 20

    /// Records the first outcomes. One transaction has as many results as fit into it. A line that continues without a
    /// worker has its own transaction.
    ///
    /// An outcome that the store cannot save, because it is too large or has an invalid character, is recorded as a
    /// failure with that reason.
    ///
    /// - Returns: how many of the first outcomes are settled, and how many of these the store has from this worker.
    ///   Lines that were given to other workers are settled too.
    func recordAll(
        _ endings: [LineEnding], edgeBatches: Set<Int>
    ) throws(FleetError) -> (settledCount: Int, recordedCount: Int) {
        var (settledCount, recordedCount) = (0, 0)
        repeat {
            let group = Array(endings[settledCount...])
            let counts = try recordGroup(group, edgeBatches: edgeBatches)
            settledCount += counts.settledCount
            recordedCount += counts.recordedCount
        } while settledCount < endings.count
            && endings[(settledCount - 1)...settledCount].contains { $0.step != .result }
        return (settledCount, recordedCount)
    }

    private func recordGroup(
        _ endings: [LineEnding], edgeBatches: Set<Int>
    ) throws(FleetError) -> (settledCount: Int, recordedCount: Int) {
        if let first = endings.first, first.step != .result {
            try continueLater(first)
            return (1, 0)
        }
        var (count, byteCount) = (0, 0)
        for ending in endings.prefix(while: { $0.step == .result }) where count == 0 || byteCount < Self.groupByteCount
        {
            byteCount += ending.byteCountInStore
            count += 1
        }
        let group = Array(endings.prefix(count))
        do throws(FleetError) {
            return (count, try record(group, edgeBatches: edgeBatches))
        } catch {
            // 54000 to 54999: a limit of the server. 22P05: a character that the server's encoding does not have.
            guard let code = error.underlying, code.hasPrefix("54") || code.hasPrefix("22") else { throw error }
            guard count == 1, let refused = group.first else {
                return try recordGroup(Array(endings.prefix(1)), edgeBatches: edgeBatches)
            }
            return (1, try record([refused.refused(error)], edgeBatches: edgeBatches))
        }
    }

    /// Gives unsent lines back to the store. Lines of a cancelled batch are cancelled there.
    func giveBack(_ claim: Int, batch: Int, _ positions: [Int]) throws(FleetError) {
        try connection.transaction { () throws(FleetError) in
            let claimed = try connection.query(
                "SELECT positions FROM bluebonnet.claims WHERE number = $1 AND worker = $2 FOR UPDATE",
                [.integer(claim), .integer(worker)])
            guard claimed.count == 1 else { return }
            let mine = Set(claimed.integers(0, 0))
            let given = positions.filter(mine.contains)
            try reduceClaim(claim, to: mine.subtracting(given))
            try putBack(batch, given)
        }
    }

    /// Gives back all lines of a claim that the worker does not know.
    func giveBack(claim: Int) throws(FleetError) {
        let claimed = try connection.query(
            "SELECT batch, positions FROM bluebonnet.claims WHERE number = $1 AND worker = $2",
            [.integer(claim), .integer(worker)])
        guard claimed.count == 1 else { return }
        try giveBack(claim, batch: claimed.integer(0, 0), claimed.integers(0, 1))
    }

    func reduceClaim(_ claim: Int, to rest: Set<Int>) throws(FleetError) {
        guard !rest.isEmpty else {
            try connection.query("DELETE FROM bluebonnet.claims WHERE number = $1", [.integer(claim)])
            return
        }
        try connection.query(
            "UPDATE bluebonnet.claims SET positions = $2::bigint[]::integer[] WHERE number = $1",
            [.integer(claim), .integers(rest.sorted())])
    }

    /// Makes returned lines ready again, or cancels them if the batch was cancelled. Must run in a transaction.
    func putBack(_ batch: Int, _ positions: [Int]) throws(FleetError) {
        guard !positions.isEmpty else { return }
        let writing = ResultWriting(connection: connection, worker: worker)
        if try writing.lock(batch) {
            return try writing.end(batch, .cancelled, [.cancelledBatch], "WITH \(ResultWriting.gone)", positions)
        }
        try writing.makeReady(batch, positions)
        notices.add(.work)
    }
}
