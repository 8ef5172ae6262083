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
            The lines come in the order in which they were recorded, each operation once. With --follow the command \
            waits for those that have not ended, also while the store is away, and ends with the batch.

            Exit status: 0 the batch is complete and every operation succeeded; 1 it is not, or some did not; 2 the \
            command line or the store is wrong.
            """)

    @OptionGroup var target: BatchTarget
    @Flag(help: "Wait for what has not ended.") var follow = false

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
