// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetFleet
import Foundation

/// The state that a status page shows: of a fleet, or of one run.
struct StatusDocument: Sendable {
    /// A batch, with its speed.
    struct ShownBatch: Sendable {
        var name: String
        /// `open`, `paused`, `cancelled` or `complete`.
        var state: String
        var priority = 0
        var lineCount: Int
        /// Whether more lines may be added.
        var isGrowing = false
        var counts: [ResultLine.Outcome: Int]
        /// The number of lines that workers have.
        var claimedCount: Int
        var byteCount: Int
        /// When the batch began.
        var created: Date
        /// Lines that end in a second; nil if unknown.
        var rate: Double?

        var endedCount: Int { counts.values.reduce(0, +) }

        /// The seconds until the last line ends at the present rate; nil if unknown.
        var secondsLeft: Double? {
            guard state == "open", !isGrowing, let rate, rate > 0 else { return nil }
            return Double(lineCount - endedCount) / rate
        }
    }

    /// A worker of the fleet, or the process of a run.
    struct Worker: Sendable {
        var name: String
        /// Nil for the process of a run.
        var version: String?
        var slotCount: Int
        var claimedCount: Int
        var endedCount: Int
        /// The seconds since its last sign.
        var secondsSilent: Double
        var started: Date
    }

    struct Origin: Sendable {
        var name: String
        /// The number of lines; nil if unknown.
        var lineCount: Int?
        /// The number of lines that could be sent now; nil if unknown.
        var readyCount: Int?
        /// The number of lines that have ended; nil if unknown.
        var endedCount: Int?
        /// The seconds until requests continue; nil if the origin is not paused.
        var secondsHeld: Double?
        /// The limits, as text; empty without limits.
        var limits = ""
    }

    /// The details of one batch.
    struct Details: Sendable {
        var name: String
        var origins: [Origin] = []
        var waits: [LineWait] = []
        var blockedCount = 0
        var failures: [FailureGroup] = []
        /// The number of results of which the failures are.
        var examinedCount = 0
    }

    /// `fleet` or `run`.
    var kind: String
    var batches: [ShownBatch] = []
    /// The number of all batches, of which `batches` may have the newest only.
    var batchCount = 0
    var workers: [Worker] = []
    var details: [Details] = []
    /// Nil for a run, which has no schedules.
    var schedules: [FleetSchedule]?
    /// The number of all schedules, of which `schedules` may have the first only.
    var scheduleCount = 0
}

// MARK: - JSON

extension StatusDocument {
    /// Returns the JSON text for the viewers of a topic: all batches, or one batch with its details.
    ///
    /// - Parameter batch: the name of the batch; empty for all batches.
    func json(of batch: String, at date: Date) -> [UInt8] {
        let shown = batch.isEmpty ? batches : batches.filter { $0.name == batch }
        var members: JSONObject = [
            "kind": .string(kind), "time": Self.number(date.timeIntervalSince1970),
            "batches": .array(shown.map(Self.object)), "batchCount": .integer(Int64(batchCount)),
            "workers": .array(workers.map(Self.object)),
        ]
        if let schedules {
            members["schedules"] = .array(schedules.map(ScheduleReport.object))
            members["scheduleCount"] = .integer(Int64(scheduleCount))
        }
        let isOnly = kind == "run"  // one page shows everything about a run
        if let details = details.first(where: { isOnly || $0.name == batch }) {
            members["batch"] = Self.object(details)
        }
        return Array(JSONText.text(of: .object(members)).utf8)
    }

    /// Returns the JSON text for viewers while the state cannot be read.
    static func json(problem: String, at date: Date) -> [UInt8] {
        let members: JSONObject = ["problem": .string(problem), "time": number(date.timeIntervalSince1970)]
        return Array(JSONText.text(of: .object(members)).utf8)
    }

    private static func number(_ value: Double?) -> JSONValue {
        guard let value, value.isFinite else { return .null }
        return .number(JSONNumber((value * 1_000).rounded() / 1_000))
    }

    private static func number(_ value: Int?) -> JSONValue { value.map { .integer(Int64($0)) } ?? .null }

    private static func object(_ batch: ShownBatch) -> JSONValue {
        var members: JSONObject = [
            "name": .string(batch.name), "state": .string(batch.state), "priority": number(batch.priority),
            "lines": number(batch.lineCount), "isGrowing": .bool(batch.isGrowing), "ended": number(batch.endedCount),
            "withWorkers": number(batch.claimedCount), "bytes": number(batch.byteCount),
            "created": number(batch.created.timeIntervalSince1970), "rate": number(batch.rate),
            "secondsLeft": number(batch.secondsLeft),
        ]
        for outcome in ResultLine.Outcome.allCases { members[outcome.rawValue] = number(batch.counts[outcome] ?? 0) }
        return .object(members)
    }

    private static func object(_ worker: Worker) -> JSONValue {
        .object([
            "name": .string(worker.name), "version": worker.version.map { .string($0) } ?? .null,
            "slots": number(worker.slotCount), "inHand": number(worker.claimedCount),
            "recorded": number(worker.endedCount), "silent": number(worker.secondsSilent),
            "started": number(worker.started.timeIntervalSince1970),
        ])
    }

    private static func object(_ details: Details) -> JSONValue {
        .object([
            "name": .string(details.name), "blocked": number(details.blockedCount),
            "examined": number(details.examinedCount),
            "origins": .array(
                details.origins.map { origin in
                    .object([
                        "origin": .string(origin.name), "lines": number(origin.lineCount),
                        "ready": number(origin.readyCount), "ended": number(origin.endedCount),
                        "paused": number(origin.secondsHeld), "limits": .string(origin.limits),
                    ])
                }),
            "failures": .array(
                details.failures.map { group in
                    .object([
                        "code": .string(group.title), "count": number(group.count),
                        "samples": .array(
                            group.samples.map { .object(["id": .string($0.id), "message": .string($0.message)]) }),
                    ])
                }),
            "waits": .array(
                details.waits.map { wait in
                    .object([
                        "id": .string(wait.id), "count": number(wait.count), "isBlocked": .bool(wait.isBlocked),
                        "samples": .array(wait.samples.map { .string($0) }),
                    ])
                }),
        ])
    }
}
