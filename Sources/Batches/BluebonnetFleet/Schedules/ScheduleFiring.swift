// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import Foundation
internal import Glibc

/// Makes the batches of ticks that are due. Any number of workers may do so at the same time.
///
/// A tick is due by the clock of the store. One transaction locks the schedule, inserts the unique row of the tick,
/// stores the batch and moves the schedule to its next tick; so each tick has at most one batch, and a tick whose
/// transaction was interrupted stays due.
struct ScheduleFiring {
    /// Storing a large batch takes longer than the usual time limit of a statement.
    private static let timeout = Duration.seconds(600)
    /// How long the rows of ticks are kept.
    private static let tickAge = Duration.seconds(30 * 86_400)

    /// A schedule with a tick that is due.
    private struct Due {
        let number: Int
        let name: String
        let expression: CronExpression
        let zone: TimeZone
        let backfill: Double?
        let skipsWhileRunning: Bool
        let settings: FleetSettings
        /// The oldest tick without a batch.
        let first: Date
        /// The time of the store.
        let now: Date
        let lastBatch: Int?

        /// The tick that has a batch now.
        var tick: Date {
            let newest = { expression.last(after: first - 1, notAfter: now, in: zone) ?? first }
            guard let backfill else { return newest() }
            let limit = now - backfill
            guard first < limit else { return first }
            guard let next = expression.next(after: limit, in: zone), next <= now else { return newest() }
            return next
        }

        /// The name of the batch of a tick, with the tick's time in GMT.
        func batchName(_ tick: Date) -> String {
            "\(name)-\(tick.ISO8601Format().prefix("2030-01-31T04:15".count).filter { $0 != "-" && $0 != ":" })Z"
        }
    }

    /// The result of one transaction.
    private enum Step {
        case fired(String?)
        /// The batch cannot be made now.
        case failed(schedule: Int, FleetError)
        case nothing
    }

    let connection: PostgreSQLConnection

    /// Returns the seconds until the next tick of any schedule; nil without schedules. Zero or less if a tick is due.
    func secondsUntilNextTick() throws(FleetError) -> Double? {
        try connection.query(
            """
            SELECT extract(epoch FROM min(next_tick) - clock_timestamp())::double precision
            FROM bluebonnet.schedules WHERE NOT is_paused AND $1
            """, [.bool(true)]
        ).optionalDouble(0, 0)
    }

    /// Makes the batches of all ticks that are due.
    ///
    /// - Returns: the names of the batches.
    func fire() throws(FleetError) -> [String] {
        let patience = connection.timeout
        connection.timeout = Self.timeout
        defer { connection.timeout = patience }
        var (names, failed): ([String], [Int]) = ([], [])
        while true {
            switch try step(without: failed) {
            case .fired(let name): if let name { names.append(name) }
            case .failed(let schedule, let error):
                failed.append(schedule)
                try connection.query(
                    "UPDATE bluebonnet.schedules SET problem = $2 WHERE number = $1",
                    [.integer(schedule), .text(error.description)])
            case .nothing: return names
            }
        }
    }

    private func step(without failed: [Int]) throws(FleetError) -> Step {
        var schedule: Int?
        do throws(FleetError) {
            return try connection.transaction { () throws(FleetError) in
                let found = try find(without: failed)
                guard found.count == 1 else { return .nothing }
                schedule = found.integer(0, 0)
                return .fired(try fire(try Self.due(found)))
            }
        } catch {
            guard let schedule, error.code != .unreachable else { throw error }
            return .failed(schedule: schedule, error)
        }
    }

    /// Locks the schedule whose tick has been due for longest. Schedules that other workers have locked are left out.
    private func find(without failed: [Int]) throws(FleetError) -> PostgreSQLResult {
        try connection.query(
            """
            SELECT number, name, expression, zone, backfill, skips_while_running, settings,
                   extract(epoch FROM next_tick)::double precision,
                   extract(epoch FROM clock_timestamp())::double precision, last_batch
            FROM bluebonnet.schedules
            WHERE NOT is_paused AND next_tick <= clock_timestamp() AND number <> ALL ($1)
            ORDER BY next_tick, number LIMIT 1 FOR UPDATE SKIP LOCKED
            """, [.integers(failed)])
    }

    private static func due(_ row: PostgreSQLResult) throws(FleetError) -> Due {
        let (expression, zone) = try ScheduleStore.rule(row.text(0, 2), row.text(0, 3))
        return Due(
            number: row.integer(0, 0), name: row.text(0, 1), expression: expression, zone: zone,
            backfill: row.optionalDouble(0, 4), skipsWhileRunning: row.bool(0, 5),
            settings: try FleetSettings(stored: row.text(0, 6)),
            first: Date(timeIntervalSince1970: row.double(0, 7)), now: Date(timeIntervalSince1970: row.double(0, 8)),
            lastBatch: row.isNull(0, 9) ? nil : row.integer(0, 9))
    }

    /// Makes the batch of a tick, and moves the schedule to the next tick.
    ///
    /// - Returns: the name of the batch; nil if the tick has no batch.
    private func fire(_ due: Due) throws(FleetError) -> String? {
        let tick = due.tick
        let isNew =
            try connection.query(
                "INSERT INTO bluebonnet.ticks (schedule, tick) VALUES ($1, to_timestamp($2)) ON CONFLICT DO NOTHING",
                [.integer(due.number), .double(tick.timeIntervalSince1970)]
            ).changedCount == 1
        var name: String?
        if isNew, try due.skipsWhileRunning ? !isRunning(due) : true {
            let batchName = due.batchName(tick)
            let batch = try submit(batchName, due)
            try connection.query(
                "UPDATE bluebonnet.ticks SET batch = $3 WHERE schedule = $1 AND tick = to_timestamp($2)",
                [.integer(due.number), .double(tick.timeIntervalSince1970), .integer(batch)])
            try connection.query(
                "UPDATE bluebonnet.schedules SET last_batch = $2, last_name = $3 WHERE number = $1",
                [.integer(due.number), .integer(batch), .text(batchName)])
            name = batchName
        }
        try advance(due, after: tick)
        return name
    }

    private func advance(_ due: Due, after tick: Date) throws(FleetError) {
        let next = due.expression.next(after: tick, in: due.zone)
        try connection.query(
            """
            UPDATE bluebonnet.schedules SET last_tick = to_timestamp($2), next_tick = to_timestamp($3), problem = NULL
            WHERE number = $1
            """,
            [
                .integer(due.number), .double(tick.timeIntervalSince1970),
                next.map { .double($0.timeIntervalSince1970) } ?? .null,
            ])
        try connection.query(
            """
            DELETE FROM bluebonnet.ticks
            WHERE schedule = $1 AND tick < to_timestamp($2) - $3 * interval '1 second'
            """,
            [
                .integer(due.number), .double(tick.timeIntervalSince1970),
                .double(Self.tickAge / .seconds(1)),
            ])
    }

    /// Whether the last batch of a schedule has lines that have not ended.
    private func isRunning(_ due: Due) throws(FleetError) -> Bool {
        guard let batch = due.lastBatch else { return false }
        return try connection.query(
            """
            SELECT EXISTS (
                SELECT FROM bluebonnet.batches WHERE number = $1 AND line_count > (
                    SELECT coalesce(sum(count), 0) FROM bluebonnet.tallies t WHERE t.batch = $1))
            """, [.integer(batch)]
        ).bool(0, 0)
    }

    // MARK: Lines

    /// Stores a batch of a schedule's lines, and returns its number.
    private func submit(_ name: String, _ due: Due) throws(FleetError) -> Int {
        guard let file = NamelessFile.open() else {
            throw FleetError(.failed, "cannot create a temporary file for the lines of the schedule \(due.name)")
        }
        defer { close(file) }
        try copyLines(of: due.number, to: file)
        let submission = Submission(name: name, settings: due.settings, lines: try Self.check(file, due.name))
        guard case .stored(let number) = try submission.insert(connection) else {
            throw FleetError(.nameTaken, "the store already has a batch named \(name)")
        }
        return number
    }

    private func copyLines(of schedule: Int, to file: CInt) throws(FleetError) {
        var part = 0
        while true {
            let rows = try connection.query(
                "SELECT text FROM bluebonnet.schedule_lines WHERE schedule = $1 AND part = $2",
                [.integer(schedule), .integer(part)])
            guard rows.count == 1 else { break }
            var rest = Array(rows.bytes(0, 0))[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw FleetError(.failed, "cannot write the lines to a temporary file") }
                rest = rest.dropFirst(count)
            }
            part += 1
        }
        lseek(file, 0, SEEK_SET)
    }

    /// Checks the lines again: the program may be another version, and files with elements may have changed.
    private static func check(_ file: CInt, _ schedule: String) throws(FleetError) -> SubmittedLines {
        do throws(BatchFileCheck.Failure) {
            let checked = try BatchFileCheck.check(
                file, limits: .init(concurrency: 1, concurrencyPerOrigin: 1),
                rules: LineRules(hasState: false, isForFleet: true))
            return SubmittedLines(checked.file, checked.schedule)
        } catch {
            guard case .badLines(let errors) = error, let first = errors.errors.first else {
                throw FleetError(.failed, "the lines of the schedule \(schedule) cannot be read")
            }
            throw FleetError(.notPossible, "the lines of the schedule \(schedule) cannot be run: \(first)")
        }
    }
}
