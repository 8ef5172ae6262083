// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
import Bluebonnet
import Foundation

/// The limits of lines that do not set their own.
struct LineLimits: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Seconds for a whole request, up to 1000000000, fractions allowed. (default: no limit)", valueName: "s"),
        transform: OptionValue.seconds)
    var timeout: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Seconds to connect, up to 1000000000, fractions allowed. (default: 10)", valueName: "s"),
        transform: OptionValue.seconds)
    var connectTimeout = 10.0

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Seconds without a byte transferred, up to 1000000000, fractions allowed. (default: 60)", valueName: "s"),
        transform: OptionValue.seconds)
    var idleTimeout = 60.0

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The largest body kept in memory, after decoding, 0 to 1125899906842624. (default: 67108864)",
            valueName: "bytes"),
        transform: OptionValue.byteCount)
    var maxBody = 64 * 1024 * 1024

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Retries of a request, where a retry is safe, 0 to 1000000. (default: 0)", valueName: "n"),
        transform: OptionValue.retryCount)
    var retries = 0

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Seconds after which no further attempt of a request starts, up to 1000000000, fractions allowed. "
                + "(default: no limit)", valueName: "s"),
        transform: OptionValue.seconds)
    var retryMaxTime: Double?

    /// The retry policy from the options; nil without one. With `--retry-max-time` alone, the policy allows one
    /// attempt, and its time limit applies to lines with their own retry rule.
    var retryPolicy: RetryPolicy? {
        guard retries > 0 || retryMaxTime != nil else { return nil }
        var policy = RetryPolicy.standard
        policy.maximumAttemptCount = retries + 1
        policy.maximumTime = retryMaxTime.map { .seconds($0) }
        return policy
    }

    /// The timeouts from the options.
    var timeouts: Timeouts {
        var timeouts = Timeouts()
        timeouts.total = timeout.map { .seconds($0) }
        timeouts.connect = .seconds(connectTimeout)
        timeouts.idle = .seconds(idleTimeout)
        return timeouts
    }
}
