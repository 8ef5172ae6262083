// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetFleet
import Foundation

/// `bluebonnet schedule`: creates, pauses, resumes or removes a schedule.
struct ScheduleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "Makes a batch of the same lines again and again, at the times of a cron expression.",
        discussion: """
            The store keeps the lines and the options. Any running worker makes the batch of a tick: exactly one, \
            whatever number of workers runs, by the clock of the store. Its name is the schedule's name and the \
            tick's time in UTC, such as nightly-20300131T0415Z. If the schedule exists, it is replaced. The command \
            writes the next tick to standard output.

            The expression has the fields minute, hour, day of month, month and day of week, with lists (1,15), \
            ranges (9-17), steps (*/15) and names (mon, jan). If neither day field begins with *, a day has ticks that \
            either field permits. Where clocks are set forward, a skipped tick is made up for after the skipped \
            hour; where they are set back, the repeated hour has each tick once. If the hour field permits every \
            hour, skipped ticks have no batch, and repeated ones have two.

            Exit status: 0 the schedule is in the store; 2 the command line or a line is invalid, or the store failed.
            """)

    /// The change of an existing schedule.
    enum Change: String, EnumerableFlag {
        case pause, resume, remove

        static func help(for value: Change) -> ArgumentHelp? {
            switch value {
            case .pause: "Pause the schedule: its ticks have no batches."
            case .resume: "Resume the schedule with its next tick."
            case .remove: "Remove the schedule. Its batches stay."
            }
        }
    }

    @Argument(help: "The schedule's name, unique in the store.", transform: OptionValue.scheduleName)
    var name: String

    @OptionGroup var store: StoreOptions

    @Option(
        help: ArgumentHelp("The cron expression, in quotation marks: '*/15 * * * *'.", valueName: "fields"),
        transform: OptionValue.cron)
    var every: CronExpression?

    @Option(
        help: ArgumentHelp("The time zone of the expression, such as Europe/Berlin. (default: UTC)", valueName: "zone"),
        transform: OptionValue.timeZone)
    var timeZone: TimeZone?

    @Option(
        help: ArgumentHelp(
            "Make up for all ticks that were missed in this time, for example 7d, 12h, 30m or 90s. (default: for the "
                + "newest missed tick only)", valueName: "time"),
        transform: OptionValue.retention)
    var backfill: Duration?

    @Flag(help: "Make no batch while the last one has lines that have not ended.")
    var skipWhileRunning = false

    @Flag(exclusivity: .exclusive) var change: Change?

    @OptionGroup var options: SubmissionOptions

    func validate() throws {
        if let change {
            guard every == nil, options.file == nil else {
                throw ValidationError("--\(change.rawValue) changes an existing schedule: omit --every and the file")
            }
        } else if every == nil {
            throw ValidationError("no times: use --every '*/15 * * * *', or --pause, --resume or --remove")
        }
    }

    func run() throws {
        if let change { apply(change) }
        guard let every else { preconditionFailure("the command was validated") }
        var rule = ScheduleRule(every)
        if let timeZone { rule.timeZone = timeZone }
        (rule.backfill, rule.skipsWhileRunning) = (backfill, skipWhileRunning)
        let checked = try options.checkedBatch()
        FleetCall.run { [fleet = store.fleet, name, rule, settings = try options.settings] in
            let next = try await fleet.schedule(
                file: checked.descriptor.rawValue, named: name, rule, settings: settings)
            try FleetCall.print(next.ISO8601Format() + "\n")
            return .success
        }
    }

    private func apply(_ change: Change) -> Never {
        FleetCall.run { [fleet = store.fleet, name] in
            switch change {
            case .pause: try await fleet.pauseSchedule(name)
            case .resume: try await fleet.resumeSchedule(name)
            case .remove: try await fleet.removeSchedule(name)
            }
            return .success
        }
    }
}

/// `bluebonnet schedules`: lists the schedules of a fleet.
struct SchedulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedules",
        abstract: "Lists the schedules in the store of a fleet.",
        discussion: """
            Each line has the name, the cron expression, the time zone, the next tick, and the last tick with its \
            batch. Times are in UTC.

            Exit status: 0 the schedules were listed; 1 the batch of a due tick cannot be made; 2 the command line is \
            invalid or the store failed.
            """)

    @OptionGroup var store: StoreOptions
    @Flag(help: "Write one JSON object instead of text.") var json = false

    func run() throws {
        FleetCall.run { [fleet = store.fleet, json] in
            let schedules = try await fleet.schedules()
            try FleetCall.print(json ? ScheduleReport.json(schedules) : ScheduleReport.text(schedules))
            return schedules.allSatisfy { $0.problem == nil } ? .success : .failure
        }
    }
}
