// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetFleet
import Foundation

/// `bluebonnet submit`: stores a batch in a fleet's store.
struct SubmitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "submit",
        abstract: "Puts a batch into the store of a fleet, whose workers run it.",
        discussion: """
            All lines are checked first; a batch with a wrong line is not submitted. The store gets all of a batch or \
            nothing: after an error the same command can be given again. With --name that is safe in any case: a batch \
            that the store has under its name already is not submitted a second time. The name is written on standard \
            output.

            Secrets do not belong in a batch: write ${env:NAME} instead, and the worker that sends the request puts \
            its environment variable there. Paths of files are paths on the workers.

            Exit status: 0 the store has the batch; 2 the command line, a line or the store is wrong.
            """)

    @Argument(help: ArgumentHelp("The request lines; standard input when absent or \"-\".", valueName: "file"))
    var file: String?

    @OptionGroup var store: StoreOptions

    @Option(
        help: ArgumentHelp(
            "The batch's name, once in the store. (default: the file's name with the time)", valueName: "name"),
        transform: OptionValue.batchName)
    var name: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Batches of a higher priority go first, -1000 to 1000. (default: 0)", valueName: "n"),
        transform: OptionValue.batchPriority)
    var priority = 0

    @OptionGroup var lines: LineOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Transfers in flight to one scheme, host and port, of all workers together, 1 to 1000000. (default: each "
                + "worker's limit)", valueName: "n"),
        transform: OptionValue.count)
    var perOrigin: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Requests of all workers together that begin in a second, minute or hour (/s, /m, /h) to one scheme, host "
                + "and port, 1 to 1000000000. (default: no limit)", valueName: "n/s"),
        transform: OptionValue.rate)
    var originRate: RateLimit?

    @Flag(help: "Send requests again that are not safe to repeat and that a lost worker may have sent.")
    var resendUnsafe = false

    @OptionGroup var bodies: BodyOptions

    @OptionGroup(title: "Limits") var limits: LineLimits
    @OptionGroup(title: "Trust") var trust: RunOptions.Trust

    func run() throws {
        let batch = try CheckedBatch(
            InputSource.open(file).source.file(), limits: .init(concurrency: 1, concurrencyPerOrigin: 1))
        guard let schedule = batch.removeSchedule() else { preconditionFailure("the schedule was just made") }
        let lines = SubmittedLines(batch.file, schedule)
        let settings = try settings
        let name = name ?? defaultName
        FleetCall.run { [fleet = store.fleet] in
            let isNew = try await fleet.submit(lines, named: name, settings: settings)
            if !isNew { StandardError.write("the store has the batch \(name) already\n") }
            try FleetCall.print(name + "\n")
            return .success
        }
    }

    /// The settings from the options.
    var settings: FleetSettings {
        get throws {
            var settings = FleetSettings()
            settings.baseURL = lines.baseURL
            settings.headers = try lines.headers
            settings.bodyForm = bodies.body
            settings.maximumBodyByteCount = limits.maxBody
            settings.timeouts = limits.timeouts
            settings.retryPolicy = limits.retryPolicy
            settings.securityPolicy = try trust.policy
            settings.keepsDotSegments = lines.pathAsIs
            settings.cancelsAtFirstFailure = lines.failFast
            settings.resendsUnsafeRequests = resendUnsafe
            settings.maximumConcurrentTransferCountPerOrigin = perOrigin
            settings.rateLimitPerOrigin = originRate
            settings.priority = priority
            return settings
        }
    }

    private var defaultName: String {
        let path = file.map { $0 == "-" ? "batch" : $0 } ?? "batch"
        let stem = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        return "\(stem)-\(Self.stamp.string(from: Date()))"
    }

    private static var stamp: DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyyMMdd-HHmmss"
        return formatter
    }
}
