// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import ArgumentParser
internal import BluebonnetBatch

/// The option for the form of bodies in result lines.
struct BodyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The body in a result line: none, text or base64. (default: text)", valueName: "form"),
        completion: .list(RequestLineRunner.BodyForm.allCases.map(\.rawValue)), transform: OptionValue.choice)
    var body = RequestLineRunner.BodyForm.text
}
