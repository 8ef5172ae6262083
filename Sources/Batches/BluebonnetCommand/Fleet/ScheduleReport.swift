// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
internal import BluebonnetFleet
import Foundation

/// The list of a fleet's schedules: lines for people, or a JSON object for programs.
enum ScheduleReport {
    /// Returns a line for each schedule, and another one for a problem.
    static func text(_ schedules: [FleetSchedule]) -> String {
        guard !schedules.isEmpty else { return "no schedules\n" }
        return schedules.map { schedule in
            var parts = ["\(schedule.expression) (\(schedule.timeZone))"]
            if schedule.isPaused { parts.append("paused") }
            if let next = schedule.nextTick { parts.append("next \(next.ISO8601Format())") }
            if let last = schedule.lastTick {
                let batch = schedule.wasSkipped ? "skipped" : schedule.lastBatch ?? ""
                parts.append("last \(last.ISO8601Format()) \(TerminalText.clean(batch))")
            }
            let problem = schedule.problem.map { "    problem: \(TerminalText.clean($0))\n" } ?? ""
            return "\(TerminalText.clean(schedule.name))  \(parts.joined(separator: ", "))\n" + problem
        }.joined()
    }

    /// Returns a JSON object with the member `schedules`, and a line end. Times are seconds since 1970.
    static func json(_ schedules: [FleetSchedule]) -> String {
        JSONText.text(of: .object(["schedules": .array(schedules.map(object))])) + "\n"
    }

    /// Returns the object of one schedule.
    static func object(_ schedule: FleetSchedule) -> JSONValue {
        .object([
            "name": .string(schedule.name), "every": .string(schedule.expression),
            "timeZone": .string(schedule.timeZone),
            "backfill": schedule.backfill.map { .integer(Int64($0 / .seconds(1))) } ?? .null,
            "skipsWhileRunning": .bool(schedule.skipsWhileRunning), "isPaused": .bool(schedule.isPaused),
            "next": seconds(schedule.nextTick), "last": seconds(schedule.lastTick),
            "wasSkipped": .bool(schedule.wasSkipped), "lastBatch": schedule.lastBatch.map { .string($0) } ?? .null,
            "problem": schedule.problem.map { .string($0) } ?? .null,
        ])
    }

    private static func seconds(_ date: Date?) -> JSONValue {
        date.map { .integer(Int64($0.timeIntervalSince1970)) } ?? .null
    }
}
