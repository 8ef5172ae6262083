// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The error of starting a test server, or a resource that it needs.
public struct TestServerError: Error, CustomStringConvertible {
    /// The description of the error.
    public let description: String

    package init(_ description: String) {
        self.description = description
    }
}
