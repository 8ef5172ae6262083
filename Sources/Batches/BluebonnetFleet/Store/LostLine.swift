// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import BluebonnetHTTP
internal import Foundation

/// Decides what happens to a line whose worker was lost. A value type.
struct LostLine: Equatable {
    /// A line fails if this many workers were lost while the line may have been in flight.
    static let limit = 3

    enum Fate: Equatable {
        /// The line waits for another worker.
        case waits
        /// The line may have been sent, and is not sent again.
        case isUnknown
        /// Too many workers were lost with the line.
        case fails
    }

    let kind: FleetLine.Kind
    /// Whether the worker has recorded durably that the line may have been sent.
    let isMarked: Bool
    /// How many workers were lost with the line before this loss.
    let lossCount: Int

    /// How many workers were lost with the line, after this loss. A marked line was in flight, and each loss counts. A
    /// safe line has no mark at first: after one loss it is suspected, and gets marks from then on.
    var newCount: Int {
        if isMarked { return lossCount + 1 }
        return kind == .safe ? max(1, lossCount) : lossCount
    }

    var fate: Fate {
        if isMarked, kind == .unsafe { return .isUnknown }
        return isMarked && newCount >= Self.limit ? .fails : .waits
    }
}

/// Settling the lines of lost workers.
extension WorkerStore {
    /// Declares a worker lost: it can no longer record anything. Its lines that may have been sent, and that are not
    /// safe to repeat, get the outcome `unknown`; lines with which three workers were lost fail; all other lines wait
    /// again.
    ///
    /// - Parameter beat: the worker's last heartbeat. If the worker has sent another heartbeat, it is alive, and
    ///   nothing happens.
    /// - Returns: whether the worker was declared lost.
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
            notices.add(.workers)
            return true
        }
    }

    /// Decides what happens to the lines of a lost claim, and records it.
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
        try recordLosses(of: batch, losses)
        try putBack(batch, waiting)
        try end(batch, .unknown, .inDoubt, unknown)
        try end(batch, .failure, .workersLost, failed)
    }

    private func recordLosses(of batch: Int, _ losses: [(position: Int, count: Int)]) throws(FleetError) {
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
        try writing.end(batch, outcome, [failure], "WITH \(ResultWriting.gone)", positions)
        let ended = positions.map { EndedLine(position: $0, outcome: outcome) }
        if try writing.settle(batch, ended) { notices.add(.work) }
    }
}

extension ResultLine.Failure {
    /// The batch was cancelled before the line was sent.
    static var cancelledBatch: ResultLine.Failure {
        .init(code: .cancelled, message: "the batch was cancelled before the operation started")
    }

    /// The worker was lost when the line may have been sent.
    static var inDoubt: ResultLine.Failure { inDoubt("the worker was lost and may have sent the request") }

    /// The worker has cancelled the line, because the worker ends, when the line may have been sent.
    static var cancelledInDoubt: ResultLine.Failure {
        inDoubt("the worker was stopped and may have sent the request")
    }

    private static func inDoubt(_ reason: String) -> ResultLine.Failure {
        .init(
            code: .mayHaveBeenSent,
            message: "\(reason): its outcome is unknown, and it is not resent automatically")
    }

    /// Too many workers were lost with the line.
    static var workersLost: ResultLine.Failure {
        .init(
            code: .workerLost,
            message: "\(LostLine.limit) workers were lost while they ran the operation: it is not assigned again")
    }
}
