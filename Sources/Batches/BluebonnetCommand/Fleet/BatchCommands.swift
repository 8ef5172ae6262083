// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetFleet
import Foundation

/// A batch in a fleet's store, by its name.
struct BatchTarget: ParsableArguments {
    @Argument(
        help: "The batch's name.",
        completion: .custom { words, _, prefix in BatchNames.completions(words: words, prefix: prefix) })
    var batch: String
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
        commandName: "pause", abstract: "Pauses a batch: workers get no new lines of it and finish the lines they have."
    )
    static let action: @Sendable (Fleet, String) async throws -> Void = { try await $0.pause($1) }

    @OptionGroup var target: BatchTarget
}

/// `bluebonnet resume`: resumes a paused batch.
struct ResumeCommand: BatchCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resumes a paused batch: workers get its lines again.")
    static let action: @Sendable (Fleet, String) async throws -> Void = { try await $0.resume($1) }

    @OptionGroup var target: BatchTarget
}

/// `bluebonnet cancel`: cancels the unfinished lines of a batch.
struct CancelCommand: BatchCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancels the unfinished lines of a batch. Each line still gets its result.")
    static let action: @Sendable (Fleet, String) async throws -> Void = { try await $0.cancel($1) }

    @OptionGroup var target: BatchTarget
}

/// `bluebonnet remove`: removes a batch from the store.
struct RemoveCommand: BatchCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes a batch that has ended, with its lines and results, from the store.",
        discussion: """
            The batch must be complete or cancelled, and no worker may have lines of it. Its name is free at once. Its \
            lines and results are deleted a few thousand at a time, so that other commands do not block. If the \
            command is interrupted, the next remove, of any batch, deletes the rest.
            """)
    static let action: @Sendable (Fleet, String) async throws -> Void = { try await $0.remove($1) }

    @OptionGroup var target: BatchTarget
}

/// `bluebonnet retry-failed`: runs failed, cancelled or skipped lines of a batch again.
struct RetryFailedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry-failed",
        abstract: "Reruns the lines of a batch that failed, were cancelled or were skipped.",
        discussion: """
            Their results are removed, and the batch continues, even if it was cancelled or paused. The command writes \
            the number of lines to standard output.

            --code and --where choose lines that failed or were cancelled. Lines that were skipped because of a chosen \
            line run again with it, unless they also need a line that does not run again.
            """)

    @OptionGroup var target: BatchTarget
    @Flag(help: "Also rerun lines whose outcome is unknown: they may have been sent.") var unknown = false
    @OptionGroup var conditions: ConditionOptions

    func run() throws {
        let condition = try conditions.condition
        FleetCall.run { [fleet = target.store.fleet, batch = target.batch, unknown] in
            let count = try await fleet.retryFailed(batch, includesUnknown: unknown, where: condition)
            try FleetCall.print(Quantity.count(count, "line") + "\n")
            return .success
        }
    }
}
