// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// Composes the message of a skipped line: the dependency that failed first, and its error.
package enum SkipReason {
    private static let start = "not started: "

    /// Returns the error message of a skipped line.
    ///
    /// - Parameter reason: nil if the reason is not known.
    package static func message(_ reason: String?) -> String {
        start + (reason ?? "a dependency did not succeed")
    }

    /// Returns the reason to skip the lines that depend on this one; nil if it succeeded. A skipped line passes on its
    /// own reason.
    static func reason(_ id: String, _ outcome: ResultLine.Outcome, _ error: ResultLine.Failure?) -> String? {
        switch outcome {
        case .success: return nil
        case .skipped:
            guard let message = error?.message, message.hasPrefix(start) else { return "\"\(id)\" was skipped" }
            return String(message.dropFirst(start.count))
        case .failure: return "\"\(id)\" failed" + (error.map { " with \($0.code.rawValue): \($0.message)" } ?? "")
        case .cancelled: return "\"\(id)\" was cancelled"
        case .unknown: return "the outcome of \"\(id)\" is unknown"
        }
    }

    /// Returns the reason for an operation that has no result line yet.
    static func reason(_ id: String, _ error: NetworkingError) -> String? {
        let outcome: ResultLine.Outcome =
            switch error.code {
            case .dependencyFailed: .skipped
            case .cancelled: .cancelled
            default: .failure
            }
        return reason(id, outcome, ResultLine.Failure(error))
    }
}

extension ResultLine {
    /// The reason to skip the lines that depend on this one; nil if it succeeded.
    package var skipReason: String? { SkipReason.reason(id, outcome, error) }
}
