// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser

/// The options for the number of concurrent transfers in one process.
struct TransferCounts: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Transfers in flight in total, 1 to 1000000. (default: 64)", valueName: "n"),
        transform: OptionValue.count)
    var concurrency = 64

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Transfers in flight to one scheme, host and port, 1 to 1000000; limits a batch to one server. "
                + "(default: 6)", valueName: "n"),
        transform: OptionValue.count)
    var perOrigin = 6
}
