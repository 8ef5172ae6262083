// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetFleet
import Foundation

/// `bluebonnet results`: writes the result lines of a batch.
struct ResultsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "results",
        abstract: "Writes the result lines of a batch in the store of a fleet.",
        discussion: """
            The command writes each operation once, in the order in which the results were recorded. With --follow it \
            waits for missing results until the batch ends, even while the store is unavailable. --failed --group-by \
            code shows what failed, and retry-failed --code runs it again.

            Exit status: 0 the batch is complete and every operation succeeded; 1 the batch is incomplete, or an \
            operation did not succeed; 2 the command line is invalid or the store failed.
            """)

    @OptionGroup var target: BatchTarget
    @Flag(help: "Wait for missing results until the batch ends.") var follow = false

    @Flag(help: "Only results of failed operations, and those with an unknown outcome, in the order of the lines.")
    var failed = false

    @Option(
        help: ArgumentHelp(
            "With --failed, write the number of failures with the same code, status or origin, and samples, instead of "
                + "results; several are separated by commas.", valueName: "properties"),
        transform: OptionValue.failureFields)
    var groupBy: [FailureGroup.Field]?

    @OptionGroup var conditions: ConditionOptions
    @Flag(help: "With --group-by, write one JSON object instead of text.") var json = false

    func validate() throws {
        if failed, follow { throw ValidationError("--failed reads the results that exist: omit --follow") }
        if !failed, groupBy != nil || !conditions.isEmpty {
            throw ValidationError("--group-by, --code and --where choose failures: add --failed")
        }
        if json, groupBy == nil { throw ValidationError("results are JSON: --json needs --group-by") }
    }

    func run() throws {
        let condition = try conditions.condition
        FleetCall.run { [fleet = target.store.fleet, batch = target.batch, self] in
            if let groupBy {
                let groups = try await fleet.failures(of: batch, by: Set(groupBy), where: condition)
                let report = FailureReport(groups: groups, fields: groupBy)
                try FleetCall.print(json ? report.json : report.text)
            } else {
                let results =
                    failed
                    ? fleet.failedResults(of: batch, where: condition) : fleet.results(of: batch, follows: follow)
                try await Self.write(results, isFollowing: follow)
            }
            return try await fleet.batch(named: batch).isSuccess ? .success : .failure
        }
    }

    private static func write(_ results: AsyncThrowingStream<Data, any Error>, isFollowing: Bool) async throws {
        var page = Data()
        for try await line in results {
            page.append(line)
            page.append(UInt8(ascii: "\n"))
            // With `--follow`, each line is written at once. Otherwise lines are collected, which is faster.
            if isFollowing || page.count > 1 << 16 {
                try FleetCall.print(page)
                page.removeAll(keepingCapacity: true)
            }
        }
        try FleetCall.print(page)
    }
}
