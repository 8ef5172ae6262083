// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Why a test server, or something it needs, could not be started.
public struct TestServerError: Error, CustomStringConvertible {
    /// What happened, in words.
    public let description: String

    package init(_ description: String) {
        self.description = description
    }
}
