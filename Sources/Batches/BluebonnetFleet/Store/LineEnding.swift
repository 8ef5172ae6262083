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
    /// The result line, without its line end.
    let line: Data
    /// The body, where other lines refer to it and the line does not have it as text.
    let body: Data?
}

extension LineEnding {
    /// The outcome that is recorded instead of one that the store cannot take.
    fileprivate func refused(_ error: FleetError) -> LineEnding {
        let id = (try? JSONDecoder().decode(ResultLine.self, from: line))?.id ?? ""
        var result = ResultLine(id: id, outcome: .failure)
        result.error = ResultLine.Failure(
            code: .bodyTooLarge,
            message: "the response has come, and the store cannot take it: write large bodies to files with \"output\"",
            underlying: error.description)
        return LineEnding(
            claim: claim, batch: batch, position: position, outcome: .failure, byteCount: byteCount,
            line: result.encodedLine().dropLast(), body: nil)
    }
}

/// What a worker gives to the store: outcomes, lines that it does not send, and the lines of workers that are lost.
extension WorkerStore {
    /// Records outcomes, and lets go on what waited for them, in one transaction. Lines that are not in the worker's
    /// claims are left out.
    ///
    /// - Parameter edgeBatches: the batches in which lines wait for others.
    /// - Returns: how many of the outcomes the store has, from this call or from one whose answer was lost.
    @discardableResult
    func record(_ endings: [LineEnding], edgeBatches: Set<Int>) throws(FleetError) -> Int {
        let written = try write(endings, edgeBatches: edgeBatches)
        let rest = endings.filter { written[$0.batch]?.contains($0.position) != true }
        let count = endings.count - rest.count
        return rest.isEmpty ? count : count + (try countOfKnown(rest))
    }

    /// How many outcomes are in the store word for word: those of other workers differ, in their times at least.
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

    /// - Returns: the positions of the lines that were recorded, by batch.
    private func write(_ endings: [LineEnding], edgeBatches: Set<Int>) throws(FleetError) -> [Int: Set<Int>] {
        let writing = ResultWriting(connection: connection, worker: worker)
        guard endings.contains(where: { edgeBatches.contains($0.batch) }) else {
            return try writing.record(endings).mapValues(Set.init)
        }
        var outcomes: [Int: [Int: ResultLine.Outcome]] = [:]
        for ending in endings { outcomes[ending.batch, default: [:]][ending.position] = ending.outcome }
        return try connection.transaction { () throws(FleetError) in
            let written = try writing.record(endings)
            var isReady = false
            for (batch, positions) in written.sorted(by: { $0.key < $1.key }) where edgeBatches.contains(batch) {
                let succeeded = positions.filter { outcomes[batch]?[$0] == .success }
                let others = positions.filter { outcomes[batch]?[$0] != .success }
                isReady = try writing.release(batch, succeeded: succeeded, others: others) || isReady
            }
            if isReady { try FleetNotice.work.send(connection) }
            return written.mapValues(Set.init)
        }
    }

    /// The bytes of outcomes that are sent at once.
    private static let groupByteCount = 8 << 20

    /// Records the first of some outcomes, as many as fit in one transaction.
    ///
    /// An outcome that the store cannot take, because it is too large, is recorded as a failure that says so.
    ///
    /// - Returns: how many of the first are settled, and how many of these the store has from this worker: lines that
    ///   were given to others are settled too.
    func recordAll(
        _ endings: [LineEnding], edgeBatches: Set<Int>
    ) throws(FleetError) -> (settledCount: Int, recordedCount: Int) {
        var (count, byteCount) = (0, 0)
        for ending in endings where count == 0 || byteCount < Self.groupByteCount {
            byteCount += ending.line.count + (ending.body?.count ?? 0)
            count += 1
        }
        let group = Array(endings.prefix(count))
        do throws(FleetError) {
            return (count, try record(group, edgeBatches: edgeBatches))
        } catch {
            // 54000 to 54999 and 22P05: a limit of the server, or a character that its encoding does not have.
            guard let code = error.underlying, code.hasPrefix("54") || code.hasPrefix("22") else { throw error }
            guard count == 1, let refused = group.first else {
                return try recordAll(Array(endings.prefix(1)), edgeBatches: edgeBatches)
            }
            return (1, try record([refused.refused(error)], edgeBatches: edgeBatches))
        }
    }

    /// Gives lines back that were not sent. Of a batch that was cancelled they are cancelled.
    func giveBack(_ claim: Int, batch: Int, _ positions: [Int]) throws(FleetError) {
        try connection.transaction { () throws(FleetError) in
            let held = try connection.query(
                "SELECT positions FROM bluebonnet.claims WHERE number = $1 AND worker = $2 FOR UPDATE",
                [.integer(claim), .integer(worker)])
            guard held.count == 1 else { return }
            let mine = Set(held.integers(0, 0))
            let given = positions.filter(mine.contains)
            try takeOut(claim, rest: mine.subtracting(given))
            try putBack(batch, given)
        }
    }

    /// Gives all lines of a claim back of which the worker does not know.
    func giveBack(claim: Int) throws(FleetError) {
        let held = try connection.query(
            "SELECT batch, positions FROM bluebonnet.claims WHERE number = $1 AND worker = $2",
            [.integer(claim), .integer(worker)])
        guard held.count == 1 else { return }
        try giveBack(claim, batch: held.integer(0, 0), held.integers(0, 1))
    }

    private func takeOut(_ claim: Int, rest: Set<Int>) throws(FleetError) {
        guard !rest.isEmpty else {
            try connection.query("DELETE FROM bluebonnet.claims WHERE number = $1", [.integer(claim)])
            return
        }
        try connection.query(
            "UPDATE bluebonnet.claims SET positions = $2::bigint[]::integer[] WHERE number = $1",
            [.integer(claim), .integers(rest.sorted())])
    }

    /// Lines that are nobody's wait again. In a transaction.
    func putBack(_ batch: Int, _ positions: [Int]) throws(FleetError) {
        guard !positions.isEmpty else { return }
        let writing = ResultWriting(connection: connection, worker: worker)
        if try writing.lock(batch) {
            return try writing.end(batch, .cancelled, [.cancelledBatch], "WITH \(ResultWriting.gone)", positions)
        }
        try connection.query(
            """
            INSERT INTO bluebonnet.ready (batch, lane, rank, position)
            SELECT batch, lane, rank, position FROM bluebonnet.lines WHERE batch = $1 AND position = ANY ($2)
            """, [.integer(batch), .integers(positions)])
        try FleetNotice.work.send(connection)
    }
}
