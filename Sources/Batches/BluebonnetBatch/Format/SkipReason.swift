// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// Why lines are skipped that need another one: the line that failed first, and its error.
package enum SkipReason {
    private static let start = "not started: "

    /// The message of a line that is skipped.
    ///
    /// - Parameter reason: nil when it is not known.
    package static func message(_ reason: String?) -> String {
        start + (reason ?? "an operation that it needed did not succeed")
    }

    /// The reason for which lines that need a line are skipped; nil if it has succeeded. A skipped line passes on its
    /// own reason.
    static func reason(_ id: String, _ outcome: ResultLine.Outcome, _ error: ResultLine.Failure?) -> String? {
        switch outcome {
        case .success: return nil
        case .skipped:
            guard let message = error?.message, message.hasPrefix(start) else { return "\"\(id)\" was skipped" }
            return String(message.dropFirst(start.count))
        case .failure: return "\"\(id)\" failed" + (error.map { " with \($0.code.rawValue): \($0.message)" } ?? "")
        case .cancelled: return "\"\(id)\" was cancelled"
        case .unknown: return "the outcome of \"\(id)\" is not known"
        }
    }

    /// The same for an operation whose result line is not yet made.
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
    /// The reason for which lines that need this one are skipped; nil if it has succeeded.
    package var skipReason: String? { SkipReason.reason(id, outcome, error) }
}
