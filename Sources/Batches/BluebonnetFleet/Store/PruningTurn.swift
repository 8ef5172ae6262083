// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Synchronization

/// The turn of one worker among all to remove old batches. Confined to one thread.
final class PruningTurn {
    private static let name = "prune"
    /// The statements return times in microseconds.
    private static let time = "(extract(epoch FROM t.until) * 1000000)::bigint"

    private let connection: PostgreSQLConnection
    /// How long the other workers wait after the last call.
    private let length: Duration
    /// When the turn ends. No other worker has set the same time.
    private var end: Int?

    init(_ connection: PostgreSQLConnection, length: Duration) {
        (self.connection, self.length) = (connection, length)
    }

    /// Acquires the turn, unless another worker has it.
    func acquire() throws(FleetError) -> Bool {
        let rows = try connection.query(
            """
            INSERT INTO bluebonnet.turns AS t (name, until) VALUES ($1, now() + $2 * interval '1 second')
            ON CONFLICT (name) DO UPDATE SET until = excluded.until WHERE t.until <= now() RETURNING \(Self.time)
            """, [.text(Self.name), .double(length / .seconds(1))])
        end = rows.count == 1 ? rows.integer(0, 0) : nil
        return end != nil
    }

    /// Keeps the turn for a time.
    ///
    /// - Parameter work: how long the next piece of work may take. Default none.
    /// - Throws: `workerLost` if another worker has the turn.
    func extend(for work: Duration = .zero) throws(FleetError) {
        let rows = try connection.query(
            """
            UPDATE bluebonnet.turns t SET until = now() + $2 * interval '1 second'
            WHERE t.name = $1 AND \(Self.time) = $3 RETURNING \(Self.time)
            """,
            [.text(Self.name), .double((length + work) / .seconds(1)), end.map { .integer($0) } ?? .null])
        guard rows.count == 1 else { throw Self.lost }
        end = rows.integer(0, 0)
    }

    /// Pruning ends before the next slice: another worker has the turn, or this worker ends.
    static let lost = FleetError(.workerLost, "the worker has no longer the turn to remove old batches")
}

@available(*, unavailable)
extension PruningTurn: Sendable {}

/// Prunes again and again while a worker runs. One worker of the fleet does it at a time, with its own connection.
struct RetentionLoop: Sendable {
    let store: String
    let retention: Duration?
    let interval: Duration
    /// Receives the error of each attempt, or nil. That the store is unreachable, or has no tables yet, is the worker's
    /// to report.
    let onEnd: @Sendable (FleetError?) -> Void

    /// Runs until the task is cancelled. Work that has begun ends with its slice.
    func run() async {
        while true {
            do { try await Task.sleep(for: interval) } catch { return }
            let stop = StopFlag()
            let error = await withTaskCancellationHandler {
                await prune(stop)
            } onCancel: {
                stop.isSet.store(true, ordering: .relaxed)
            }
            if error.map({ ![.unreachable, .noBatch, .workerLost].contains($0.code) }) ?? true { onEnd(error) }
        }
    }

    private func prune(_ stop: StopFlag) async -> FleetError? {
        do throws(FleetError) {
            try await StoreThread.run(store) { connection throws(FleetError) in try prune(connection, stop) }
            return nil
        } catch {
            return error
        }
    }

    private func prune(_ connection: PostgreSQLConnection, _ stop: StopFlag) throws(FleetError) {
        try FleetSchema.check(connection)
        let turn = PruningTurn(connection, length: interval)
        guard try turn.acquire() else { return }
        let pruning = BatchPruning(connection: connection, retention: retention) { () throws(FleetError) in
            guard !stop.isSet.load(ordering: .relaxed) else { throw PruningTurn.lost }
            try turn.extend(for: BatchRemoval.timeout)
        }
        defer { try? turn.extend() }
        _ = try pruning.prune()
    }

    /// Tells the thread that the task was cancelled.
    private final class StopFlag: Sendable {
        let isSet = Atomic<Bool>(false)
    }
}
