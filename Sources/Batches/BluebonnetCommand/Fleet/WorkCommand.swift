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
        abstract: "Runs lines of the batches in the store of a fleet.",
        discussion: """
            It works until it is told to end. SIGTERM, SIGINT and SIGHUP give back what was not sent and give what is under \
            way --drain-timeout seconds to finish; a second signal exits at once. When the store is away it finishes \
            what is under way, keeps the outcomes, connects again and records them.

            A worker of which the store hears nothing for --lease seconds is taken for lost, and its lines go to \
            others. A request other than GET, HEAD, OPTIONS and TRACE that it may have sent is not sent again: its \
            outcome is "unknown", unless it has an idempotency key or was submitted with --resend-unsafe.

            Exit status: 0 it was told to end, or had nothing left to do with --until-done; 1 outcomes could not be \
            recorded; 2 the command line or the store is wrong.
            """)

    @OptionGroup var store: StoreOptions

    @OptionGroup var counts: TransferCounts

    @Option(
        help: ArgumentHelp(
            "The name that status shows. (default: the host's name and the process's number)", valueName: "name"))
    var name: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Seconds of silence after which the worker is lost, 1 to 86400. (default: 30)", valueName: "s"),
        transform: OptionValue.lease)
    var lease = 30.0

    @OptionGroup var drain: DrainOptions

    @Flag(help: "End when every batch is complete, paused or cancelled.")
    var untilDone = false

    @OptionGroup var machine: MachineOptions

    @Option(
        help: ArgumentHelp(
            "A JSON file of mode 0600 with tokenEndpoint, clientID, clientSecret, refreshToken and origins: requests to "
                + "these get an OAuth 2 bearer token, which all workers share through the store.", valueName: "file"),
        transform: OptionValue.readablePath)
    var oauth: String?

    func run() throws {
        let control = StopControl()
        try Signals.stop(control)
        let worker = FleetWorker(store: store.fleet.store, configuration: try configuration)
        control.onStop { reason in
            if reason == .interrupted || reason == .terminated { worker.drain() }
        }
        let concurrency = ProcessLimits.concurrency(counts.concurrency)
        if concurrency < counts.concurrency {
            StandardError.write(
                ProcessLimits.reducedConcurrencyMessage(wanted: counts.concurrency, used: concurrency) + "\n")
        }
        FleetCall.run {
            do throws(FleetError) {
                try await worker.run { problem in
                    StandardError.write((problem.map(\.description) ?? "the store is back") + "\n")
                }
            } catch {
                guard worker.summary.unrecordedCount > 0 else { throw error }
                StandardError.write(error.description + "\n")
                return .failure
            }
            StandardError.write("\(Quantity.count(worker.summary.recordedCount, "operation")) recorded\n")
            return .success
        }
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
            do throws(NetworkingError) {
                try machine.add(to: &configuration.transferOptions)
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
