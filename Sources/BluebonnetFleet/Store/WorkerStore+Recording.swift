// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import BluebonnetHTTP
internal import Foundation

/// What a worker gives to the store: outcomes, lines that it does not send, and the lines of workers that are lost.
extension WorkerStore {
    /// Records outcomes, and lets go on what waited for them, in one transaction. Lines that are not in the worker's
    /// claims are left out.
    ///
    /// - Parameter edgeBatches: the batches in which lines wait for others.
    func record(_ endings: [LineEnding], edgeBatches: Set<Int>) throws(FleetError) {
        let writing = ResultWriting(connection: connection, worker: worker)
        guard endings.contains(where: { edgeBatches.contains($0.batch) }) else {
            _ = try writing.record(endings)
            return
        }
        var outcomes: [Int: [Int: ResultLine.Outcome]] = [:]
        for ending in endings { outcomes[ending.batch, default: [:]][ending.position] = ending.outcome }
        try connection.transaction { () throws(FleetError) in
            var isReady = false
            for (batch, positions) in try writing.record(endings).sorted(by: { $0.key < $1.key })
            where edgeBatches.contains(batch) {
                let succeeded = positions.filter { outcomes[batch]?[$0] == .success }
                let others = positions.filter { outcomes[batch]?[$0] != .success }
                isReady = try writing.release(batch, succeeded: succeeded, others: others) || isReady
            }
            if isReady { try FleetNotice.work.send(connection) }
        }
    }

    /// The bytes of outcomes that are sent at once.
    private static let groupByteCount = 8 << 20

    /// Records the first of some outcomes, as many as fit in one transaction.
    ///
    /// An outcome that the store cannot take, because it is too large, is recorded as a failure that says so.
    ///
    /// - Returns: how many were recorded.
    func recordAll(_ endings: [LineEnding], edgeBatches: Set<Int>) throws(FleetError) -> Int {
        var (count, byteCount) = (0, 0)
        for ending in endings where count == 0 || byteCount < Self.groupByteCount {
            byteCount += ending.line.count + (ending.body?.count ?? 0)
            count += 1
        }
        let group = Array(endings.prefix(count))
        do throws(FleetError) {
            try record(group, edgeBatches: edgeBatches)
        } catch {
            // 54000 to 54999 and 22P05: a limit of the server, or a character that its encoding does not have.
            guard let code = error.underlying, code.hasPrefix("54") || code.hasPrefix("22") else { throw error }
            guard count == 1, let refused = group.first else {
                return try recordAll(Array(endings.prefix(1)), edgeBatches: edgeBatches)
            }
            try record([refused.refused(error)], edgeBatches: edgeBatches)
        }
        return count
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
    private func putBack(_ batch: Int, _ positions: [Int]) throws(FleetError) {
        guard !positions.isEmpty else { return }
        let writing = ResultWriting(connection: connection, worker: worker)
        if try writing.lock(batch) {
            return try writing.end(batch, .cancelled, .cancelledBatch, ResultWriting.named, positions)
        }
        try connection.query(
            """
            INSERT INTO bluebonnet.ready (batch, lane, rank, position)
            SELECT batch, lane, rank, position FROM bluebonnet.lines WHERE batch = $1 AND position = ANY ($2)
            """, [.integer(batch), .integers(positions)])
        try FleetNotice.work.send(connection)
    }

    // MARK: Workers that are lost

    /// Takes a worker for lost: it records nothing any more. Lines of its that may have been sent, and that are not
    /// safe to repeat, have the outcome `unknown`; one that has lost three workers fails; all others wait again.
    ///
    /// - Parameter beat: the worker's last sign. With another one it lives, and nothing happens.
    /// - Returns: whether the worker was taken for lost.
    func reap(_ lost: Int, beat: Int) throws(FleetError) -> Bool {
        try connection.transaction { () throws(FleetError) in
            let found = try connection.query(
                "SELECT number FROM bluebonnet.workers WHERE number = $1 AND beat = $2 FOR UPDATE",
                [.integer(lost), .integer(beat)])
            guard found.count == 1 else { return false }
            let claims = try connection.query(
                "SELECT batch, positions, marked FROM bluebonnet.claims WHERE worker = $1 ORDER BY number FOR UPDATE",
                [.integer(lost)])
            try connection.query("DELETE FROM bluebonnet.claims WHERE worker = $1", [.integer(lost)])
            for row in 0..<claims.count {
                try settle(claims.integer(row, 0), claims.integers(row, 1), marked: Set(claims.integers(row, 2)))
            }
            try connection.query("DELETE FROM bluebonnet.workers WHERE number = $1", [.integer(lost)])
            try FleetNotice.workers.send(connection)
            return true
        }
    }

    /// Finds out what becomes of the lines of a lost claim.
    private func settle(_ batch: Int, _ positions: [Int], marked: Set<Int>) throws(FleetError) {
        let rows = try connection.query(
            """
            SELECT l.position, l.kind, coalesce(x.count, 0::smallint)
            FROM bluebonnet.lines l LEFT JOIN bluebonnet.losses x USING (batch, position)
            WHERE l.batch = $1 AND l.position = ANY ($2) ORDER BY l.position
            """, [.integer(batch), .integers(positions)])
        var losses: [(position: Int, count: Int)] = []
        var (waiting, unknown, failed): ([Int], [Int], [Int]) = ([], [], [])
        for row in 0..<rows.count {
            let position = rows.integer(row, 0)
            let loss = LostLine(
                kind: FleetLine.Kind(rawValue: rows.integer(row, 1)) ?? .unsafe, isMarked: marked.contains(position),
                lossCount: rows.integer(row, 2))
            if loss.newCount != loss.lossCount { losses.append((position, loss.newCount)) }
            switch loss.fate {
            case .waits: waiting.append(position)
            case .isUnknown: unknown.append(position)
            case .fails: failed.append(position)
            }
        }
        try note(batch, losses)
        try putBack(batch, waiting)
        try end(batch, .unknown, .inDoubt, unknown)
        try end(batch, .failure, .workersLost, failed)
    }

    private func note(_ batch: Int, _ losses: [(position: Int, count: Int)]) throws(FleetError) {
        guard !losses.isEmpty else { return }
        try connection.query(
            """
            INSERT INTO bluebonnet.losses (batch, position, count)
            SELECT $1, * FROM unnest($2::bigint[], $3::bigint[])
            ON CONFLICT (batch, position) DO UPDATE SET count = excluded.count
            """,
            [.integer(batch), .integers(losses.map(\.position)), .integers(losses.map(\.count))])
    }

    private func end(
        _ batch: Int, _ outcome: ResultLine.Outcome, _ failure: ResultLine.Failure, _ positions: [Int]
    ) throws(FleetError) {
        guard !positions.isEmpty else { return }
        let writing = ResultWriting(connection: connection, worker: worker)
        try writing.end(batch, outcome, failure, ResultWriting.named, positions)
        _ = try writing.release(batch, succeeded: [], others: positions)
    }
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

/// What becomes of a line in the hands of a worker that is lost. A value.
struct LostLine: Equatable {
    /// A line that was on its way when so many workers were lost fails.
    static let limit = 3

    enum Fate: Equatable {
        /// It waits for another worker.
        case waits
        /// It may have been sent, and is not sent again.
        case isUnknown
        /// It has lost too many workers.
        case fails
    }

    let kind: FleetLine.Kind
    /// Whether the worker had made durable that it may have been sent.
    let isMarked: Bool
    /// The workers that were lost with it before.
    let lossCount: Int

    /// The workers that were lost with it. A line that was on its way, as its mark says, is counted each time. A safe
    /// one has no mark at first: it is under suspicion after one loss, and has marks from then on.
    var newCount: Int {
        if isMarked { return lossCount + 1 }
        return kind == .safe ? max(1, lossCount) : lossCount
    }

    var fate: Fate {
        if isMarked, kind == .unsafe { return .isUnknown }
        return isMarked && newCount >= Self.limit ? .fails : .waits
    }
}

extension ResultWriting {
    /// The expressions before `end` for lines whose positions are given.
    static let named = "WITH gone AS (SELECT unnest($5)::integer AS position)"
}

extension ResultLine.Failure {
    /// The batch was cancelled before the line was sent.
    static var cancelledBatch: ResultLine.Failure {
        .init(code: .cancelled, message: "the batch was cancelled before the operation started")
    }

    /// A worker was lost when the line may have been sent.
    static var inDoubt: ResultLine.Failure {
        .init(
            code: .mayHaveBeenSent,
            message: "the worker was lost when the request may have been sent, and its outcome is not known: "
                + "it is not sent again unless that is asked for")
    }

    /// The line has lost too many workers.
    static var workersLost: ResultLine.Failure {
        .init(
            code: .workerLost,
            message: "\(LostLine.limit) workers were lost while they had the operation: it is not given to another one")
    }
}
