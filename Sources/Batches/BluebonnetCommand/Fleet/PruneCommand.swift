// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
internal import BluebonnetFleet
import Foundation

/// `bluebonnet prune`: removes the batches that have been kept long enough.
struct PruneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Removes the batches that have ended and were kept long enough.",
        discussion: """
            A batch that was submitted with --keep is removed when all its lines have ended and this time is over; other \
            batches, when the time of this command's --keep is over. Workers do the same, once a minute. The command \
            writes the names of the removed batches to standard output.
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var retention: RetentionOptions

    func run() throws {
        FleetCall.run { [fleet = store.fleet, keep = retention.keep] in
            for name in try await fleet.prune(keeping: keep) { try FleetCall.print(name + "\n") }
            return .success
        }
    }
}
