// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetFleet
import Foundation

/// `bluebonnet pause`: gives workers no more lines of a batch.
struct PauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Gives the workers of a fleet no more lines of a batch; what they have goes on."
    )

    @Argument(help: "The batch's name.") var batch: String
    @OptionGroup var store: StoreOptions

    func run() throws {
        FleetCall.run { [fleet = store.fleet, batch] in
            try await fleet.pause(batch)
            return .success
        }
    }
}

/// `bluebonnet resume`: gives workers lines of a paused batch again.
struct ResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Gives the workers of a fleet lines of a paused batch again.")

    @Argument(help: "The batch's name.") var batch: String
    @OptionGroup var store: StoreOptions

    func run() throws {
        FleetCall.run { [fleet = store.fleet, batch] in
            try await fleet.resume(batch)
            return .success
        }
    }
}

/// `bluebonnet cancel`: cancels what has not ended of a batch.
struct CancelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancels what has not ended of a batch in the store of a fleet. Each line still gets its result.")

    @Argument(help: "The batch's name.") var batch: String
    @OptionGroup var store: StoreOptions

    func run() throws {
        FleetCall.run { [fleet = store.fleet, batch] in
            try await fleet.cancel(batch)
            return .success
        }
    }
}

/// `bluebonnet retry-failed`: lets lines of a batch run again.
struct RetryFailedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry-failed",
        abstract: "Lets lines of a batch run again that failed, were cancelled or were skipped.",
        discussion: """
            Their results are removed, and the batch goes on, also when it was cancelled or paused. The number of \
            lines is written on standard output.
            """)

    @Argument(help: "The batch's name.") var batch: String
    @OptionGroup var store: StoreOptions
    @Flag(help: "Also lines whose outcome is unknown: they may have been sent.") var unknown = false

    func run() throws {
        FleetCall.run { [fleet = store.fleet, batch, unknown] in
            let count = try await fleet.retryFailed(batch, includesUnknown: unknown)
            try FleetCall.print(Quantity.count(count, "line") + "\n")
            return .success
        }
    }
}
