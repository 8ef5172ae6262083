// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
internal import BluebonnetBatch

/// How bodies without an output file are handled.
struct BodyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The body in a result line: none, text or base64. (default: text)", valueName: "form"),
        transform: OptionValue.choice)
    var body = RequestLineRunner.BodyForm.text
}
