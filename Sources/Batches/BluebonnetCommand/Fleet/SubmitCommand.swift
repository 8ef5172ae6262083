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
        abstract: "Submits a batch to the store of a fleet. The workers of the fleet run it.",
        discussion: """
            All lines are checked first; a batch with an invalid line is not submitted. The store gets the whole batch \
            or nothing: after an error, run the same command again. With --name this is always safe: a batch that the \
            store already has under this name is not submitted a second time. The command writes the name to standard \
            output.

            Do not put secrets in a batch: write ${env:NAME}, and the worker that sends the request inserts its \
            environment variable. File paths are paths on the workers.

            Exit status: 0 the store has the batch; 2 the command line or a line is invalid, or the store failed.
            """)

    @Argument(
        help: ArgumentHelp("The request lines; standard input if absent or \"-\".", valueName: "file"),
        completion: .file())
    var file: String?

    @OptionGroup var store: StoreOptions

    @Option(
        help: ArgumentHelp(
            "The batch's name, unique in the store. (default: file name and time)", valueName: "name"),
        transform: OptionValue.batchName)
    var name: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Batches with a higher priority run first, -1000 to 1000. (default: 0)", valueName: "n"),
        transform: OptionValue.batchPriority)
    var priority = 0

    @OptionGroup var lines: LineOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Transfers in flight to one scheme, host and port for all workers, 1 to 1000000. (default: each "
                + "worker's limit)", valueName: "n"),
        transform: OptionValue.count)
    var perOrigin: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Requests started by all workers per second, minute or hour (/s, /m, /h) to one scheme, host "
                + "and port, 1 to 1000000000. (default: no limit)", valueName: "n/s"),
        transform: OptionValue.rate)
    var originRate: RateLimit?

    @Flag(help: "Resend requests with unsafe methods that a lost worker may have sent.")
    var resendUnsafe = false

    @OptionGroup var bodies: BodyOptions
    @OptionGroup var retention: RetentionOptions

    @OptionGroup(title: "Limits") var limits: LineLimits
    @OptionGroup(title: "Trust") var trust: RunOptions.Trust

    func run() throws {
        let batch = try CheckedBatch(
            InputSource.open(file).source.file(), limits: .init(concurrency: 1, concurrencyPerOrigin: 1),
            rules: LineRules(hasState: false, isForFleet: true))
        guard let schedule = batch.removeSchedule() else { preconditionFailure("the batch has a schedule") }
        let lines = SubmittedLines(batch.file, schedule)
        let settings = try settings
        let name = name ?? defaultName
        FleetCall.run { [fleet = store.fleet] in
            let isNew = try await fleet.submit(lines, named: name, settings: settings)
            if !isNew { StandardError.write("the store already has the batch \(name)\n") }
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
            settings.retention = retention.keep
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
