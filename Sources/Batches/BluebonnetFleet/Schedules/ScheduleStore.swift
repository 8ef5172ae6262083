// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import Foundation
internal import Glibc

/// Creates, changes, removes and lists schedules.
struct ScheduleStore {
    /// The bytes of request lines in a row.
    private static let partByteCount = 1 << 20
    /// The most bytes of a schedule's name. The names of its batches are longer.
    private static let longestName = 900
    /// Storing the lines of a large batch takes longer than the usual time limit of a statement.
    private static let timeout = Duration.seconds(600)

    let connection: PostgreSQLConnection

    /// Creates a schedule, or replaces the rule, the settings and the lines of the schedule with the name.
    ///
    /// - Parameter file: the descriptor of a file with checked request lines, from its position on.
    /// - Returns: the next tick.
    func set(
        _ name: String, _ rule: ScheduleRule, _ settings: FleetSettings, file: CInt
    ) throws(FleetError) -> Date {
        guard !name.isEmpty, name.utf8.count <= Self.longestName, !name.utf8.contains(0) else {
            throw FleetError(
                .notPossible, "the name of a schedule has 1 to \(Self.longestName) bytes, and no NUL byte")
        }
        let patience = connection.timeout
        connection.timeout = Self.timeout
        defer { connection.timeout = patience }
        return try connection.transaction { () throws(FleetError) in
            let number = try connection.query(
                """
                INSERT INTO bluebonnet.schedules AS s (name, expression, zone, backfill, skips_while_running, settings)
                VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (name) DO UPDATE SET expression = excluded.expression,
                    zone = excluded.zone, backfill = excluded.backfill,
                    skips_while_running = excluded.skips_while_running, settings = excluded.settings,
                    next_tick = NULL, problem = NULL
                RETURNING number
                """,
                [
                    .text(name), .text(rule.expression.description), .text(Self.name(of: rule.timeZone)),
                    rule.backfill.map { .double($0 / .seconds(1)) } ?? .null, .bool(rule.skipsWhileRunning),
                    .text(settings.encoded()),
                ]
            ).integer(0, 0)
            try insertLines(number, file)
            guard let next = try setNextTick(number, rule.expression, rule.timeZone) else {
                throw FleetError(.notPossible, "the schedule \(name) would have no tick in the next years")
            }
            try FleetNotice.workers.send(connection)
            return next
        }
    }

    private func insertLines(_ schedule: Int, _ file: CInt) throws(FleetError) {
        try connection.query(
            "DELETE FROM bluebonnet.schedule_lines WHERE schedule = $1", [.integer(schedule)])
        var (part, offset) = (0, max(0, Int(lseek(file, 0, SEEK_CUR))))
        while let bytes = try Self.read(file, at: offset), !bytes.isEmpty {
            try connection.query(
                "INSERT INTO bluebonnet.schedule_lines (schedule, part, text) VALUES ($1, $2, $3)",
                [.integer(schedule), .integer(part), .bytes(bytes)])
            (part, offset) = (part + 1, offset + bytes.count)
        }
    }

    private static func read(_ file: CInt, at offset: Int) throws(FleetError) -> Data? {
        var bytes = [UInt8](repeating: 0, count: partByteCount)
        while true {
            let count = pread(file, &bytes, bytes.count, offset)
            if count >= 0 { return Data(bytes[..<count]) }
            guard errno == EINTR else { throw FleetError(.notPossible, "the request lines cannot be read") }
        }
    }

    /// Sets the next tick after the present time of the store. The first tick of a schedule is after its creation.
    private func setNextTick(
        _ number: Int, _ expression: CronExpression, _ zone: TimeZone
    ) throws(FleetError) -> Date? {
        let now = try connection.query(
            "SELECT extract(epoch FROM clock_timestamp())::double precision WHERE $1", [.bool(true)]
        ).double(0, 0)
        guard let next = expression.next(after: Date(timeIntervalSince1970: now), in: zone) else { return nil }
        try connection.query(
            "UPDATE bluebonnet.schedules SET next_tick = to_timestamp($2) WHERE number = $1",
            [.integer(number), .double(next.timeIntervalSince1970)])
        return next
    }

    /// Stops a schedule: its ticks have no batches.
    func pause(_ name: String) throws(FleetError) {
        let changed = try connection.query(
            "UPDATE bluebonnet.schedules SET is_paused = true, next_tick = NULL, problem = NULL WHERE name = $1",
            [.text(name)])
        guard changed.changedCount == 1 else { throw .noSchedule(name) }
    }

    /// Continues a paused schedule with the next tick. Ticks during the pause have no batches.
    func resume(_ name: String) throws(FleetError) {
        try connection.transaction { () throws(FleetError) in
            let found = try connection.query(
                "SELECT number, is_paused, expression, zone FROM bluebonnet.schedules WHERE name = $1 FOR UPDATE",
                [.text(name)])
            guard found.count == 1 else { throw .noSchedule(name) }
            guard found.bool(0, 1) else { return }
            let number = found.integer(0, 0)
            let (expression, zone) = try Self.rule(found.text(0, 2), found.text(0, 3))
            _ = try setNextTick(number, expression, zone)
            try connection.query(
                "UPDATE bluebonnet.schedules SET is_paused = false WHERE number = $1", [.integer(number)])
            try FleetNotice.workers.send(connection)
        }
    }

    /// Removes a schedule. Its batches stay.
    func remove(_ name: String) throws(FleetError) {
        let gone = try connection.query("DELETE FROM bluebonnet.schedules WHERE name = $1", [.text(name)])
        guard gone.changedCount == 1 else { throw .noSchedule(name) }
    }

    /// The rows of all schedules, without an order and a condition.
    static let rows = """
        SELECT s.name, s.expression, s.zone, s.backfill, s.skips_while_running AS skips, s.is_paused AS paused,
               extract(epoch FROM CASE WHEN NOT s.is_paused THEN s.next_tick END)::double precision AS next,
               extract(epoch FROM s.last_tick)::double precision AS last,
               t.schedule IS NOT NULL AND t.batch IS NULL AS skipped, s.last_name AS batch, s.problem
        FROM bluebonnet.schedules s LEFT JOIN bluebonnet.ticks t ON t.schedule = s.number AND t.tick = s.last_tick
        """

    /// Returns the schedules, sorted by name.
    func list() throws(FleetError) -> [FleetSchedule] {
        let rows = try connection.query(
            "\(Self.rows) WHERE s.number > $1 ORDER BY s.name COLLATE \"C\"", [.integer(0)])
        return (0..<rows.count).map { row in
            FleetSchedule(
                name: rows.text(row, 0), expression: rows.text(row, 1), timeZone: rows.text(row, 2),
                backfill: rows.optionalDouble(row, 3).map { .seconds($0) }, skipsWhileRunning: rows.bool(row, 4),
                isPaused: rows.bool(row, 5),
                nextTick: rows.optionalDouble(row, 6).map(Date.init(timeIntervalSince1970:)),
                lastTick: rows.optionalDouble(row, 7).map(Date.init(timeIntervalSince1970:)),
                wasSkipped: rows.bool(row, 8), lastBatch: rows.optionalText(row, 9),
                problem: rows.optionalText(row, 10))
        }
    }

    /// Returns the name of a zone, as the IANA database has it.
    private static func name(of zone: TimeZone) -> String {
        zone.identifier == TimeZone.gmt.identifier ? "UTC" : zone.identifier
    }

    /// Returns the expression and the zone of a stored rule.
    ///
    /// - Throws: `failed` if this program does not know them.
    static func rule(_ expression: String, _ zone: String) throws(FleetError) -> (CronExpression, TimeZone) {
        guard let timeZone = TimeZone(identifier: zone) else {
            throw FleetError(.failed, "this machine does not know the time zone \(zone)")
        }
        do throws(CronExpression.ParseError) {
            return (try CronExpression(expression), timeZone)
        } catch {
            throw FleetError(.failed, "this version cannot read the expression \(expression): \(error.message)")
        }
    }
}

extension FleetError {
    static func noSchedule(_ name: String) -> FleetError {
        FleetError(.noSchedule, "the store has no schedule named \(name)")
    }
}
