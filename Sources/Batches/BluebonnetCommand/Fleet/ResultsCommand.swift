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
            waits for missing results until the batch ends, even while the store is unavailable.

            Exit status: 0 the batch is complete and every operation succeeded; 1 the batch is incomplete, or an \
            operation did not succeed; 2 the command line is invalid or the store failed.
            """)

    @OptionGroup var target: BatchTarget
    @Flag(help: "Wait for missing results until the batch ends.") var follow = false

    func run() throws {
        FleetCall.run { [fleet = target.store.fleet, batch = target.batch, follow] in
            var page = Data()
            for try await line in fleet.results(of: batch, follows: follow) {
                page.append(line)
                page.append(UInt8(ascii: "\n"))
                // With `--follow`, each line is written at once. Otherwise lines are collected, which is faster.
                if follow || page.count > 1 << 16 {
                    try FleetCall.print(page)
                    page.removeAll(keepingCapacity: true)
                }
            }
            try FleetCall.print(page)
            return try await fleet.batch(named: batch).isSuccess ? .success : .failure
        }
    }
}
