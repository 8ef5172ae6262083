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
}

extension LineEnding {
    /// Returns the failure to record in place of an outcome that the store cannot store.
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

    /// A group of outcomes ends with the outcome that reaches this number of bytes.
    private static let groupByteCount = 8 << 20

    /// Records the first outcomes, as many as fit into one transaction.
    ///
    /// An outcome that the store cannot store, because it is too large or has an invalid character, is recorded as a
    /// failure that says so.
    ///
    /// - Returns: how many of the first outcomes are settled, and how many of these the store has from this worker.
    ///   Lines that were given to other workers are settled too.
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
            // 54000 to 54999: a limit of the server. 22P05: a character that the server's encoding does not have.
            guard let code = error.underlying, code.hasPrefix("54") || code.hasPrefix("22") else { throw error }
            guard count == 1, let refused = group.first else {
                return try recordAll(Array(endings.prefix(1)), edgeBatches: edgeBatches)
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

    private func reduceClaim(_ claim: Int, to rest: Set<Int>) throws(FleetError) {
        guard !rest.isEmpty else {
            try connection.query("DELETE FROM bluebonnet.claims WHERE number = $1", [.integer(claim)])
            return
        }
        try connection.query(
            "UPDATE bluebonnet.claims SET positions = $2::bigint[]::integer[] WHERE number = $1",
            [.integer(claim), .integers(rest.sorted())])
    }

    /// Makes lines ready again that no worker has, or cancels them if the batch was cancelled. Must run in a
    /// transaction.
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
