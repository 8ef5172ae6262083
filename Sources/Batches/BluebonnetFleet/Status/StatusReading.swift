// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import BluebonnetBatch
internal import BluebonnetJournal
internal import Foundation

/// Reads the state of a fleet again and again, with one statement each time. Each statement visits a bounded number of
/// rows for each batch, whatever the size of the batch.
struct StatusReading: Sendable {
    /// The largest number that is counted; more lines are this number.
    static let countLimit = 1_001
    static let batchLimit = 200
    static let scheduleLimit = 200
    static let originLimit = 16
    /// The number of results of a watched batch that are examined with one statement.
    static let resultLimit = 5_000
    private static let blockedLimit = 500

    /// How far the results of a watched batch were examined.
    struct Progress {
        var number = 0
        var epoch = 0
        var cursor = ResultCursor()
        var failures = FailureGroups()
        var examinedCount = 0
    }

    private var progress: [String: Progress] = [:]

    /// Reads the state.
    ///
    /// - Parameter names: the batches with details. Names that are no batches are left out.
    mutating func read(_ names: [String], _ connection: PostgreSQLConnection) throws(FleetError) -> FleetStatus {
        progress = progress.filter { names.contains($0.key) }
        let known = names.map { progress[$0] ?? Progress() }
        let rows = try connection.query(
            Self.statement,
            [
                .texts(names), .integers(known.map(\.number)), .integers(known.map(\.epoch)),
                .integers(known.map(\.cursor.transaction)), .integers(known.map(\.cursor.position)),
            ])
        do {
            let answer = try JSONDecoder().decode(Answer.self, from: rows.bytes(0, 0))
            return FleetStatus(
                batches: answer.batches.map(FleetBatch.init), batchCount: answer.batchCount,
                members: answer.workers.map(FleetMember.init), schedules: answer.schedules.map(FleetSchedule.init),
                scheduleCount: answer.scheduleCount, details: answer.details.map { advance($0) })
        } catch {
            throw FleetError(.failed, "the state of the fleet cannot be read", underlying: String(describing: error))
        }
    }

    /// Adds the results that were examined to the earlier ones.
    private mutating func advance(_ details: Answer.Details) -> FleetStatus.Details {
        var known = progress[details.name] ?? Progress()
        if known.number != details.number || known.epoch != details.epoch {
            known = Progress(number: details.number, epoch: details.epoch)
        }
        for group in details.failures {
            known.failures.add(
                .shown(code: group.code, status: group.status.flatMap(Int.init)), count: group.count,
                samples: group.samples.map { FailureGroup.Sample(id: $0.id, message: $0.message) })
        }
        known.examinedCount += details.examined.count
        if let written = details.examined.written.flatMap(Int.init), let position = details.examined.position {
            known.cursor = ResultCursor(transaction: written, position: position)
        }
        progress[details.name] = known
        return FleetStatus.Details(
            name: details.name, origins: details.origins.map(FleetOrigin.init),
            settings: try? FleetSettings(stored: details.settings), waits: details.waits,
            blockedCount: details.blocked, failures: known.failures.groups, examinedCount: known.examinedCount)
    }
}

// MARK: - The statement

extension StatusReading {
    private static let statement = """
        WITH watched AS (
            SELECT b.number, b.name, b.epoch, b.settings, w.ordinal,
                   CASE WHEN w.number = b.number AND w.epoch = b.epoch THEN w.written ELSE 0 END AS written,
                   CASE WHEN w.number = b.number AND w.epoch = b.epoch THEN w.position ELSE -1 END AS position
            FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) WITH ORDINALITY
                 AS w (name, number, epoch, written, position, ordinal)
            JOIN bluebonnet.batches b ON b.name = w.name
        )
        SELECT json_build_object(
            'batchCount', (SELECT count(*) FROM bluebonnet.batches),
            'batches', (SELECT coalesce(json_agg(\(batch) ORDER BY b.number), '[]'::json) FROM (
                SELECT * FROM bluebonnet.batches ORDER BY number DESC LIMIT \(batchLimit)) b),
            'workers', (SELECT coalesce(json_agg(\(worker) ORDER BY w.number), '[]'::json) FROM bluebonnet.workers w
                LEFT JOIN (SELECT worker & \(TallyKey.workerMask) AS worker, sum(count)::bigint AS count
                           FROM bluebonnet.tallies GROUP BY 1) t ON t.worker = w.number),
            'scheduleCount', (SELECT count(*) FROM bluebonnet.schedules),
            'schedules', (SELECT coalesce(json_agg(s ORDER BY s.name COLLATE "C"), '[]'::json) FROM (
                \(ScheduleStore.rows) ORDER BY s.name COLLATE "C" LIMIT \(scheduleLimit)) s),
            'details', (SELECT coalesce(json_agg(\(details) ORDER BY w.ordinal), '[]'::json) FROM watched w)
        )::text
        """

    private static let batch = """
        json_build_object('name', b.name, 'state', b.state, 'priority', b.priority, 'lines', b.line_count,
            'created', extract(epoch FROM b.created)::double precision,
            'claimed', (SELECT coalesce(sum(cardinality(c.positions)), 0)::bigint FROM bluebonnet.claims c
                        WHERE c.batch = b.number),
            'tallies', (SELECT coalesce(json_agg(json_build_object('outcome', outcome, 'count', count, 'bytes', bytes)),
                        '[]'::json) FROM (SELECT outcome, sum(count)::bigint AS count, sum(bytes)::bigint AS bytes
                        FROM bluebonnet.tallies WHERE batch = b.number GROUP BY outcome) t))
        """

    private static let worker = """
        json_build_object('name', w.name, 'version', w.version, 'slots', w.slots, 'recorded', coalesce(t.count, 0),
            'claimed', (SELECT coalesce(sum(cardinality(c.positions)), 0)::bigint FROM bluebonnet.claims c
                        WHERE c.worker = w.number),
            'silent', extract(epoch FROM now() - w.seen)::double precision,
            'started', extract(epoch FROM w.started)::double precision)
        """

    private static let details = """
        json_build_object('name', w.name, 'number', w.number, 'epoch', w.epoch, 'settings', w.settings,
            'origins', (SELECT coalesce(json_agg(\(origin) ORDER BY l.line_count DESC, l.lane), '[]'::json) FROM (
                SELECT * FROM bluebonnet.lanes WHERE batch = w.number ORDER BY line_count DESC, lane
                LIMIT \(originLimit)) l
                LEFT JOIN bluebonnet.holds h ON h.origin = l.origin AND h.until > now()),
            'blocked', (SELECT count(*) FROM (SELECT FROM bluebonnet.blocked b WHERE b.batch = w.number
                LIMIT \(countLimit)) b),
            'waits', (SELECT coalesce(json_agg(json_build_object('id', n.id, 'count', n.count, 'samples', n.samples,
                'isBlocked', n.is_blocked) ORDER BY n.count DESC, n.need), '[]'::json) FROM (\(needs)) n),
            'examined', (SELECT json_build_object('count', count(*),
                'written', (max(ARRAY[r.written::text::bigint, r.position]))[1]::text,
                'position', (max(ARRAY[r.written::text::bigint, r.position]))[2]) FROM (\(results)) r),
            'failures', (SELECT coalesce(json_agg(json_build_object('code', f.code, 'status', f.status,
                'count', f.count, 'samples', f.samples) ORDER BY f.count DESC), '[]'::json) FROM (\(failures)) f))
        """

    private static let origin = """
        json_build_object('origin', l.origin, 'lines', l.line_count,
            'ready', (SELECT count(*) FROM (SELECT FROM bluebonnet.ready r WHERE r.batch = l.batch AND r.lane = l.lane
                      LIMIT \(countLimit)) r),
            'pause', extract(epoch FROM h.until - now())::double precision)
        """

    /// The lines that others need and that have not ended.
    private static let needs = """
        SELECT u.need, coalesce(min(d.id), '#' || u.need) AS id, count(*) AS count,
               (array_agg(l.id ORDER BY l.position))[1:\(FailureGroups.shownSampleLimit)] AS samples,
               EXISTS (SELECT FROM bluebonnet.blocked x WHERE x.batch = w.number AND x.position = u.need) AS is_blocked
        FROM (SELECT position FROM bluebonnet.blocked WHERE batch = w.number ORDER BY position
              LIMIT \(blockedLimit)) b
        JOIN bluebonnet.lines l ON l.batch = w.number AND l.position = b.position
        CROSS JOIN LATERAL unnest(l.needs[1:64]) AS u (need)
        LEFT JOIN bluebonnet.lines d ON d.batch = w.number AND d.position = u.need
        WHERE NOT EXISTS (SELECT FROM bluebonnet.results r WHERE r.batch = w.number AND r.position = u.need)
        GROUP BY u.need ORDER BY count(*) DESC, u.need LIMIT 12
        """

    /// The next results of a batch. As in `FleetReading`, later results may still be committed before results
    /// of transactions that are running.
    private static let results = """
        SELECT r.written, r.position, r.outcome, r.line FROM bluebonnet.results r
        WHERE r.batch = w.number AND (r.written, r.position) > (w.written::text::xid8, w.position)
          AND r.written < pg_snapshot_xmin(pg_current_snapshot())
        ORDER BY r.written, r.position LIMIT \(resultLimit)
        """

    /// The failures among them. PostgreSQL's JSON has no U+0000: such lines have no code.
    private static let failures = """
        SELECT j.line->'error'->>'code' AS code, j.line->>'status' AS status, count(*) AS count,
               (array_agg(json_build_object('id', coalesce(j.line->>'id', ''),
                'message', coalesce(left(j.line->'error'->>'message', \(FailureGroups.shownTextLimit + 1)), ''))
                ORDER BY j.position))[1:\(FailureGroups.shownSampleLimit)] AS samples
        FROM (SELECT r.position, CASE WHEN strpos(r.line, '\\u0000') = 0 THEN r.line::json END AS line
              FROM (\(results)) r WHERE r.outcome IN ('failure', 'unknown')) j
        GROUP BY 1, 2
        """
}

// MARK: - The answer

/// The JSON of the statement's answer.
private struct Answer: Decodable {
    struct BatchRow: Decodable {
        struct Tally: Decodable {
            let outcome: String
            let count, bytes: Int
        }

        let name, state: String
        let priority, lines, claimed: Int
        let created: Double
        let tallies: [Tally]
    }

    struct Worker: Decodable {
        let name, version: String
        let slots, recorded, claimed: Int
        let silent, started: Double
    }

    struct OriginRow: Decodable {
        let origin: String
        let lines, ready: Int
        let pause: Double?
    }

    struct Failures: Decodable {
        struct Sample: Decodable {
            let id, message: String
        }

        let code, status: String?
        let count: Int
        let samples: [Sample]
    }

    struct Examined: Decodable {
        let count: Int
        let written: String?
        let position: Int?
    }

    /// A row of `ScheduleStore.rows`.
    struct Schedule: Decodable {
        let name, expression, zone: String
        let skips, paused, skipped: Bool
        let backfill, next, last: Double?
        let batch, problem: String?
    }

    struct Details: Decodable {
        let name: String
        let number, epoch: Int
        let settings: String
        let origins: [OriginRow]
        let blocked: Int
        let waits: [LineWait]
        let examined: Examined
        let failures: [Failures]
    }

    let batchCount, scheduleCount: Int
    let batches: [BatchRow]
    let workers: [Worker]
    let schedules: [Schedule]
    let details: [Details]
}

extension FleetBatch {
    fileprivate init(_ batch: Answer.BatchRow) {
        let tallies = batch.tallies.filter { $0.count != 0 }
        let counts = tallies.compactMap { tally in
            ResultLine.Outcome(rawValue: tally.outcome).map { ($0, tally.count) }
        }
        let added = batch.tallies.first { $0.outcome == "added" }?.count ?? 0
        self.init(
            name: batch.name, state: State(rawValue: batch.state) ?? .open, priority: batch.priority,
            lineCount: batch.lines - added, claimedCount: batch.claimed,
            counts: Dictionary(counts) { first, _ in first }, byteCount: batch.tallies.reduce(0) { $0 + $1.bytes },
            created: Date(timeIntervalSince1970: batch.created))
    }
}

extension FleetMember {
    fileprivate init(_ worker: Answer.Worker) {
        self.init(
            name: worker.name, version: worker.version, slotCount: worker.slots, claimedCount: worker.claimed,
            endedCount: worker.recorded, secondsSilent: max(0, worker.silent),
            started: Date(timeIntervalSince1970: worker.started))
    }
}

extension FleetSchedule {
    fileprivate init(_ schedule: Answer.Schedule) {
        self.init(
            name: schedule.name, expression: schedule.expression, timeZone: schedule.zone,
            backfill: schedule.backfill.map { .seconds($0) }, skipsWhileRunning: schedule.skips,
            isPaused: schedule.paused, nextTick: schedule.next.map(Date.init(timeIntervalSince1970:)),
            lastTick: schedule.last.map(Date.init(timeIntervalSince1970:)), wasSkipped: schedule.skipped,
            lastBatch: schedule.batch, problem: schedule.problem)
    }
}

extension FleetOrigin {
    fileprivate init(_ origin: Answer.OriginRow) {
        self.init(
            origin: origin.origin, lineCount: origin.lines, readyCount: origin.ready, secondsHeld: origin.pause)
    }
}
