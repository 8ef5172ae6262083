// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetFleet
import Foundation

/// A batch in a fleet's store, by its name.
struct BatchTarget: ParsableArguments {
    @Argument(help: "The batch's name.") var batch: String
    @OptionGroup var store: StoreOptions
}

/// A command that performs one action on a batch and writes no output.
protocol BatchCommand: ParsableCommand {
    /// The action. Receives the fleet and the name of the batch.
    static var action: @Sendable (_ fleet: Fleet, _ batch: String) async throws -> Void { get }

    var target: BatchTarget { get }
}

extension BatchCommand {
    func run() throws {
        FleetCall.run { [fleet = target.store.fleet, batch = target.batch, action = Self.action] in
            try await action(fleet, batch)
            return .success
        }
    }
}

/// `bluebonnet pause`: pauses a batch, so that workers get no further lines from it.
struct PauseCommand: BatchCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Gives the workers of a fleet no more lines of a batch; what they have goes on."
    )
    static let action: @Sendable (Fleet, String) async throws -> Void = { try await $0.pause($1) }

    @OptionGroup var target: BatchTarget
}

/// `bluebonnet resume`: resumes a paused batch.
struct ResumeCommand: BatchCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Gives the workers of a fleet lines of a paused batch again.")
    static let action: @Sendable (Fleet, String) async throws -> Void = { try await $0.resume($1) }

    @OptionGroup var target: BatchTarget
}

/// `bluebonnet cancel`: cancels the unfinished lines of a batch.
struct CancelCommand: BatchCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancels what has not ended of a batch in the store of a fleet. Each line still gets its result.")
    static let action: @Sendable (Fleet, String) async throws -> Void = { try await $0.cancel($1) }

    @OptionGroup var target: BatchTarget
}

/// `bluebonnet remove`: removes a batch from the store.
struct RemoveCommand: BatchCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a batch that has ended, with its lines and results, from the store of a fleet.",
        discussion: """
            The batch must be complete or cancelled, and no worker may have lines of it. Its name is free at once; its \
            lines and results go some thousands at a time, so that nobody waits for them. When the command is broken \
            off, the next remove, of any batch, goes on with what is left.
            """)
    static let action: @Sendable (Fleet, String) async throws -> Void = { try await $0.remove($1) }

    @OptionGroup var target: BatchTarget
}

/// `bluebonnet retry-failed`: runs failed, cancelled or skipped lines of a batch again.
struct RetryFailedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry-failed",
        abstract: "Lets lines of a batch run again that failed, were cancelled or were skipped.",
        discussion: """
            Their results are removed, and the batch goes on, also when it was cancelled or paused. The number of \
            lines is written on standard output.
            """)

    @OptionGroup var target: BatchTarget
    @Flag(help: "Also lines whose outcome is unknown: they may have been sent.") var unknown = false

    func run() throws {
        FleetCall.run { [fleet = target.store.fleet, batch = target.batch, unknown] in
            let count = try await fleet.retryFailed(batch, includesUnknown: unknown)
            try FleetCall.print(Quantity.count(count, "line") + "\n")
            return .success
        }
    }
}
