// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetBatch
internal import BluebonnetFleet
import Foundation

/// The request lines and the options for the batches of a fleet, which `submit` and `schedule` share.
struct SubmissionOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The request lines; standard input if absent or \"-\".", valueName: "file"),
        completion: .file())
    var file: String?

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

    /// Opens the file of request lines, or standard input, and checks all lines.
    ///
    /// - Returns: the lines, and the descriptor with their texts, which stays open.
    func checkedBatch() throws(CommandError) -> (batch: CheckedBatch, descriptor: FileDescriptor) {
        let descriptor = try InputSource.open(file).source.file()
        let batch = try CheckedBatch(
            descriptor, limits: .init(concurrency: 1, concurrencyPerOrigin: 1),
            rules: LineRules(hasState: false, isForFleet: true))
        return (batch, descriptor)
    }
}
