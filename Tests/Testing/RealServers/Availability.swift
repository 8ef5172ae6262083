// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

/// Checks whether a program that some tests need is available.
enum Availability {
    /// True if nothing is missing, or if `BLUEBONNET_REQUIRE_SERVERS` is 1, so that tests fail instead of being
    /// skipped. Otherwise prints on standard error what is skipped and why. Call this once for each program.
    static func decide(
        _ program: String, missing: String?, remedy: String = "Scripts/install-test-tools installs it."
    ) -> Bool {
        guard let missing else { return true }
        if ProcessInfo.processInfo.environment["BLUEBONNET_REQUIRE_SERVERS"] == "1" { return true }
        let line = "Skipping the tests that need \(program): \(missing). \(remedy)\n"
        FileHandle.standardError.write(Data(line.utf8))
        return false
    }
}
