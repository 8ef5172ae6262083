// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetBatch
import Foundation
import Glibc

/// The options of `bluebonnet run`.
struct RunOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The request lines; standard input if absent or \"-\".", valueName: "file"),
        completion: .file())
    var file: String?

    @OptionGroup(title: "Requests") var requests: Requests
    @OptionGroup(title: "Limits") var limits: Limits
    @OptionGroup(title: "Trust") var trust: Trust
    @OptionGroup(title: "Cache") var cache: RunCacheOptions
    @OptionGroup(title: "Output") var output: Output
    @OptionGroup(title: "Observation") var observation: Observation
    @OptionGroup(title: "Journal") var journal: Journal
    @OptionGroup(title: "Values and reports") var files: OutputFileOptions

    /// The files of the run that no line may write.
    var reservedPaths: [ReservedPath] {
        let lines = file.map { ReservedPath($0, "the request lines are in this file") }
        let results = output.results.map { ReservedPath($0, "the results are written to this file") }
        let observed = observation.files.map { ReservedPath($0.path, "\($0.option) writes this file") }
        return [lines, results].compactMap(\.self) + observed + files.reservedPaths
    }

    func validate() throws {
        let input = file == "-" ? nil : file
        let others = [("the request lines", input), ("--results", output.results), ("--journal", journal.journal)]
        try NamedFile.check(observation.files + files.files, others: NamedFile.list(others))
        if let name = (observation.names + files.namesOfRunOptions).first, requests.plan {
            throw ValidationError("\(name) and --plan exclude each other: a plan sends nothing")
        }
        if observation.times.summary, output.quiet {
            throw ValidationError("--summary and --quiet exclude each other")
        }
    }

    /// The fields that the options permit in lines.
    var rules: LineRules {
        LineRules(
            hasState: files.state != nil, hasCache: cache.cache.folder != nil, hasRows: files.into != nil,
            hasColumns: files.into.flatMap { RowForm(path: $0) } == .sqlite)
    }

    /// The name of the request lines in reports.
    var inputName: String {
        guard let file, file != "-" else { return "standard input" }
        return file.split(separator: "/").last.map(String.init) ?? file
    }

    /// The runner's settings from the options.
    var settings: RequestLineRunner.Settings {
        get throws(NetworkingError) {
            var settings = RequestLineRunner.Settings()
            settings.baseURL = requests.lines.baseURL
            settings.headers = try requests.lines.headers
            settings.concurrency = requests.counts.concurrency
            settings.concurrencyPerOrigin = requests.counts.perOrigin
            settings.maximumBytesPerSecond = limits.limitRate
            settings.maximumItemCount = limits.maxItems
            settings.governor = limits.governor(perOrigin: requests.counts.perOrigin)
            settings.cancelsAtFirstFailure = requests.lines.failFast
            settings.drainTimeout = limits.drain.timeout
            settings.bodyForm = output.bodies.body
            settings.transferOptions.keepsDotSegments = requests.lines.pathAsIs
            settings.transferOptions.timeouts = limits.lines.timeouts
            settings.transferOptions.maximumBodyByteCount = limits.lines.maxBody
            settings.transferOptions.retryPolicy = limits.lines.retryPolicy
            settings.transferOptions.securityPolicy = try trust.policy
            try requests.machine.add(to: &settings.transferOptions)
            if !requests.plan { try cache.add(to: &settings.transferOptions) }
            return settings
        }
    }
}

extension RunOptions {
    /// The options for requests: their targets, and their concurrency.
    struct Requests: ParsableArguments {
        @OptionGroup var lines: LineOptions
        @OptionGroup var counts: TransferCounts
        @OptionGroup var machine: MachineOptions

        @Flag(help: "Check everything and print the waves that would run; send nothing.")
        var plan = false
    }

    /// The limits of lines that do not set their own.
    struct Limits: ParsableArguments {
        @OptionGroup var lines: LineLimits

        @OptionGroup var drain: DrainOptions

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "Requests started per second, minute or hour (/s, /m, /h), in total, 1 to 1000000000. "
                    + "(default: no limit)", valueName: "n/s"),
            transform: OptionValue.rate)
        var rate: RateLimit?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "Requests started per second, minute or hour to one scheme, host and port, 1 to 1000000000. "
                    + "(default: no limit)", valueName: "n/s"),
            transform: OptionValue.rate)
        var originRate: RateLimit?

        /// Returns the governor from the options; nil without a rate and without retries.
        func governor(perOrigin: Int) -> Governor? {
            guard rate != nil || originRate != nil || lines.retries > 0 else { return nil }
            return Governor(originLimits(perOrigin: perOrigin), rateLimit: rate)
        }

        /// Returns the governor's limits of one origin, with the same number of transfers as the command's own limit.
        func originLimits(perOrigin: Int) -> OriginLimits {
            var limits = OriginLimits(rateLimit: originRate)
            limits.maximumConcurrentTransferCount = perOrigin
            return limits
        }

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "Bytes per second for all transfers, in both directions, 1 to 1048576G; k, M and G stand for "
                    + "KiB, MiB and GiB. (default: no limit)", valueName: "bytes"),
            transform: OptionValue.byteRate)
        var limitRate: Int?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "Items after which a stream ends, for lines with \"stream\" and without maxItems, 1 to 1000000. "
                    + "(default: no limit)", valueName: "n"),
            transform: OptionValue.count)
        var maxItems: Int?
    }

    /// The options for trust, for lines that do not set their own.
    struct Trust: ParsableArguments {
        @Option(
            name: .customLong("ca"),
            help: ArgumentHelp("A PEM file of authorities to trust instead of the system's.", valueName: "file"),
            completion: .file(),
            transform: OptionValue.readablePath)
        var authorityFile: String?

        @Flag(help: "Accept untrusted certificates; requires --no-host-validation.")
        var allowInvalidCertificates = false

        @Flag(help: "Do not check that the certificate names the host.")
        var noHostValidation = false

        /// The security policy from the options.
        var policy: SecurityPolicy {
            get throws(NetworkingError) {
                try SecurityPolicy(
                    allowInvalidCertificates: allowInvalidCertificates, validatesDomainName: !noHostValidation,
                    authorities: authorityFile.map { .file($0) } ?? .system)
            }
        }

        func validate() throws {
            do throws(NetworkingError) {
                _ = try policy
            } catch {
                throw ValidationError("--allow-invalid-certificates requires --no-host-validation: \(error.message)")
            }
        }
    }

    /// The options for showing the requests and their times.
    struct Observation: ParsableArguments {
        @OptionGroup var events: ObservationOptions
        @OptionGroup var times: SummaryOptions
        @OptionGroup var serving: ServeOptions

        /// The options that are given.
        var names: [String] { events.names + times.names + serving.names }
        /// The options that name files.
        var files: [NamedFile] { events.files + NamedFile.list([("--summary-json", times.json)]) }
    }

    /// The options for the journal, and for lines with recorded outcomes.
    struct Journal: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "Record the outcome of each line in this file. The same command resumes an interrupted run.",
                valueName: "file"), completion: .file())
        var journal: String?

        @Flag(help: "Start over: empty the journal first, even if it is of another batch.")
        var restart = false

        @Flag(help: "Resend requests with unsafe methods that an earlier run may have sent.")
        var resendUnsafe = false

        @Flag(help: "Rerun failed and cancelled lines, with any method.")
        var retryFailed = false

        func validate() throws {
            let flags = [
                (restart, "--restart"), (resendUnsafe, "--resend-unsafe"), (retryFailed, "--retry-failed"),
            ]
            guard journal == nil, let flag = flags.first(where: \.0) else { return }
            throw ValidationError("\(flag.1) requires --journal")
        }
    }

    /// The options for the output and its destination.
    struct Output: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "Bars on standard error: auto (on a terminal), always or never. (default: auto)", valueName: "when"),
            completion: .list(ProgressMode.allCases.map(\.rawValue)), transform: OptionValue.choice)
        var progress = ProgressMode.auto

        @Flag(help: "Show no summary, and no progress bars unless --progress is always.")
        var quiet = false

        /// The style of the progress display; nil if no progress is shown.
        var style: ProgressStyle? {
            if quiet, progress == .auto { return nil }
            let canMoveCursor = getenv("TERM").map { String(cString: $0) != "dumb" } ?? true
            return progress.style(isTerminal: FileDescriptor.standardError.isTerminal && canMoveCursor)
        }

        @Option(
            help: ArgumentHelp("Write result lines to this file instead of standard output.", valueName: "file"),
            completion: .file())
        var results: String?

        @OptionGroup var bodies: BodyOptions
    }
}
