// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser

/// How long complete batches are kept in the store of a fleet.
struct RetentionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long a batch is kept when all its lines have ended, for example 7d, 12h, 30m or 90s. (default: until it "
                + "is removed)", valueName: "time"),
        transform: OptionValue.retention)
    var keep: Duration?
}
