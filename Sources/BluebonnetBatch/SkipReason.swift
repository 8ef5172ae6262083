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

    /// What the lines that need a line are told; nil when it has succeeded. A skipped line passes its own reason on.
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
}

extension ResultLine {
    /// What lines that need this one are told; nil when it has succeeded.
    package var skipReason: String? { SkipReason.reason(id, outcome, error) }
}
