// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetFleet
import Foundation

/// `bluebonnet work`: runs a worker of a fleet.
struct WorkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "work",
        abstract: "Runs a worker, which runs lines of the batches in the store of a fleet.",
        discussion: """
            The worker runs until it is stopped. On SIGTERM, SIGINT or SIGHUP it returns lines that were not sent and \
            gives running transfers --drain-timeout seconds to finish; a second signal exits at once. When the store \
            is unavailable, the worker finishes running transfers, keeps their outcomes, reconnects and records them.

            A worker without contact to the store for --lease seconds counts as lost, and other workers get its \
            lines. A request other than GET, HEAD, OPTIONS and TRACE that the lost worker may have sent is not \
            resent: its outcome is "unknown", unless it has an idempotency key or was submitted with --resend-unsafe.

            Exit status: 0 the worker was stopped, or nothing was left to do with --until-done; 1 outcomes could not \
            be recorded; 2 the command line is invalid or the store failed.
            """)

    @OptionGroup var store: StoreOptions

    @OptionGroup var counts: TransferCounts

    @Option(
        help: ArgumentHelp(
            "The worker's name, shown by status. (default: host name and process ID)", valueName: "name"))
    var name: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Seconds without contact after which the worker counts as lost, 1 to 86400. (default: 30)", valueName: "s"),
        transform: OptionValue.lease)
    var lease = 30.0

    @OptionGroup var drain: DrainOptions

    @Flag(help: "Exit when every batch is complete, paused or cancelled.")
    var untilDone = false

    @OptionGroup var retention: RetentionOptions

    @OptionGroup var machine: MachineOptions

    @Option(
        help: ArgumentHelp(
            "A JSON file of mode 0600 with tokenEndpoint, clientID, clientSecret, refreshToken and origins: requests to "
                + "these get an OAuth 2 bearer token, which all workers share through the store.", valueName: "file"),
        completion: .file(),
        transform: OptionValue.readablePath)
    var oauth: String?

    @OptionGroup(title: "Cache") var cache: CacheOptions

    @OptionGroup(title: "Observation") var observation: ObservationOptions

    @OptionGroup(title: "Observation") var serving: ServeOptions

    func validate() throws { try NamedFile.check(observation.files, others: NamedFile.list([("--oauth", oauth)])) }

    func run() throws {
        let control = StopControl()
        try Signals.stop(control)
        var configuration = try configuration
        let credentials = oauth.flatMap(FileStatus.init(path:)).map { [($0, "the file of --oauth")] } ?? []
        let observer = try RunObserver(observation, others: credentials)
        observer?.observe(&configuration)
        observer?.begin()
        let server = try WorkerServer(serving, control)
        server?.observe(&configuration)
        let worker = FleetWorker(store: store.fleet.store, configuration: configuration)
        if let server {
            server.serve(worker)
            StandardError.write("metrics: \(server.url)\n")
        }
        control.onStop { reason in
            if reason == .interrupted || reason == .terminated { worker.drain() }
        }
        let concurrency = ProcessLimits.concurrency(counts.concurrency)
        if concurrency < counts.concurrency {
            StandardError.write(
                ProcessLimits.reducedConcurrencyMessage(wanted: counts.concurrency, used: concurrency) + "\n")
        }
        FleetCall.run {
            let status: ExitStatus
            do throws(FleetError) {
                status = try await Self.run(worker)
            } catch {
                _ = await Self.finish(observer)
                throw error
            }
            // The observer's last lines come before the count, which ends the output.
            let hasFiles = await Self.finish(observer)
            if status == .success {
                StandardError.write("\(Quantity.count(worker.summary.recordedCount, "operation")) recorded\n")
            }
            return hasFiles ? status : .failure
        }
    }

    /// Waits until the files of the observation are complete, and reports the errors of writing them. Returns whether
    /// the files could be written.
    private static func finish(_ observer: RunObserver?) async -> Bool {
        let errors = await observer?.finish() ?? []
        for error in errors { StandardError.write(error.message + "\n") }
        return errors.isEmpty
    }

    private static func run(_ worker: FleetWorker) async throws(FleetError) -> ExitStatus {
        do throws(FleetError) {
            try await worker.run { problem in
                StandardError.write((problem.map(\.description) ?? "the store is available again") + "\n")
            }
        } catch {
            guard worker.summary.unrecordedCount > 0 else { throw error }
            StandardError.write(error.description + "\n")
            return .failure
        }
        return .success
    }

    /// The worker's configuration from the options.
    var configuration: FleetWorker.Configuration {
        get throws {
            var configuration = FleetWorker.Configuration()
            configuration.name = name
            configuration.concurrency = ProcessLimits.concurrency(counts.concurrency)
            configuration.concurrencyPerOrigin = counts.perOrigin
            configuration.lease = .seconds(lease)
            configuration.drainTimeout = drain.timeout
            configuration.endsWhenIdle = untilDone
            configuration.retention = retention.keep
            do throws(NetworkingError) {
                try machine.add(to: &configuration.transferOptions)
                try cache.add(to: &configuration.transferOptions)
            } catch {
                throw CommandError.unusable(error.message)
            }
            if let oauth {
                configuration.transferOptions.authenticator = try TokenSettings(file: oauth)
                    .authenticator(store: store.fleet.store)
            }
            return configuration
        }
    }
}
