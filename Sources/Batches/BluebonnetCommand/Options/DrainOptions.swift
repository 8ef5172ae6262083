// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser

/// The option for the time that running transfers may continue after SIGTERM.
struct DrainOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Seconds that running transfers may continue after SIGTERM, 0 to 1000000000, fractions allowed. "
                + "(default: 10)", valueName: "s"),
        transform: OptionValue.secondsOrZero)
    var drainTimeout = 10.0

    /// The time limit from the option.
    var timeout: Duration { .seconds(drainTimeout) }
}
