// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetCommand

@Suite struct HiddenArgumentsTests {
    @Test(arguments: [
        "Unexpected argument 's3cret'", "2 unexpected arguments: 's3cret', 'b'", "Unknown option '-s3cret'",
    ])
    func argumentsAfterASecretAreNotShown(message: String) {
        for arguments in [["--header", "A:"], ["--header=A:"], ["--store", "x"], ["--base-url", "x"]] {
            let shown = HiddenArguments.message(message, arguments: ["bluebonnet", "run"] + arguments)
            #expect(!shown.contains("s3cret"))
        }
    }

    @Test(arguments: ["Unexpected argument 'rnu'", "Unknown option '-x'"])
    func argumentsWithoutASecretAreShown(message: String) {
        #expect(HiddenArguments.message(message, arguments: ["bluebonnet", "rnu"]) == message)
    }

    @Test func misspelledOptionIsShown() {
        let message = "Unknown option '--heder'. Did you mean '--header'?"
        #expect(HiddenArguments.message(message, arguments: ["--header", "A: b", "--heder"]) == message)
    }
}
