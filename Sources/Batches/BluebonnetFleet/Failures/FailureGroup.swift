// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The failures of a batch that have something in common.
public struct FailureGroup: Sendable, Hashable {
    /// A property by which failures are grouped.
    public enum Field: String, Sendable, Hashable, CaseIterable {
        /// The error code.
        case code
        /// The status of the response.
        case status
        /// Scheme, host and port of the line's URL.
        case origin
    }

    /// One of the failures.
    public struct Sample: Sendable, Hashable {
        /// The id of the operation.
        public let id: String
        /// The message of the error.
        public let message: String

        package init(id: String, message: String) { (self.id, self.message) = (id, message) }
    }

    /// The error code; nil if the failures are not grouped by it, or have no code.
    public let code: String?
    /// The status; nil if the failures are not grouped by it, or if there was no response.
    public let status: Int?
    /// The origin; nil if the failures are not grouped by it, or if it is not known.
    public let origin: String?
    /// The number of failures.
    public let count: Int
    /// The first failures, in the order of the lines.
    public let samples: [Sample]

    /// The name on pages and in reports: the code, and the status in brackets if the failures have it in common.
    package var title: String {
        let code = code ?? "unknown"
        return status.map { "\(code) (\($0))" } ?? code
    }
}
