// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// When a schedule makes batches. A value type.
public struct ScheduleRule: Sendable, Hashable {
    /// The times at which batches are made.
    public var expression: CronExpression
    /// The time zone of the times. Default GMT.
    public var timeZone = TimeZone.gmt
    /// How long a missed tick can be made up for: a batch is made for each such tick, the oldest tick first. Default
    /// nil: of several missed ticks, only the newest one has a batch.
    public var backfill: Duration?
    /// Whether a tick has no batch while the last batch of the schedule has lines that have not ended. Default false.
    public var skipsWhileRunning = false

    /// Creates a rule with the default settings.
    public init(_ expression: CronExpression) { self.expression = expression }
}

/// A snapshot of a schedule in a fleet's store.
public struct FleetSchedule: Sendable, Hashable {
    /// The schedule's name, with which the names of its batches begin.
    public let name: String
    /// The cron expression.
    public let expression: String
    /// The name of the time zone in the IANA database.
    public let timeZone: String
    /// How long missed ticks can be made up for; nil if only the newest one has a batch.
    public let backfill: Duration?
    /// Whether ticks have no batch while the last batch runs.
    public let skipsWhileRunning: Bool
    /// Whether the schedule makes no batches.
    public let isPaused: Bool
    /// The next tick; in the past if no worker has made its batch yet. Nil for a paused schedule.
    public let nextTick: Date?
    /// The last tick that had a batch or was skipped; nil before the first one.
    public let lastTick: Date?
    /// Whether the last tick was skipped, because the batch before it had not ended.
    public let wasSkipped: Bool
    /// The name of the last batch; nil before the first one. The batch may have been removed.
    public let lastBatch: String?
    /// Why the batch of the next tick could not be made when a worker last tried; nil without a problem. Workers try
    /// again.
    public let problem: String?

    package init(
        name: String, expression: String, timeZone: String, backfill: Duration?, skipsWhileRunning: Bool,
        isPaused: Bool, nextTick: Date?, lastTick: Date?, wasSkipped: Bool, lastBatch: String?, problem: String?
    ) {
        (self.name, self.expression, self.timeZone) = (name, expression, timeZone)
        (self.backfill, self.skipsWhileRunning, self.isPaused) = (backfill, skipsWhileRunning, isPaused)
        (self.nextTick, self.lastTick, self.wasSkipped) = (nextTick, lastTick, wasSkipped)
        (self.lastBatch, self.problem) = (lastBatch, problem)
    }
}
