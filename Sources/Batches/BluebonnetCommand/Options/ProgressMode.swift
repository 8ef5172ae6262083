// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// When progress is shown on standard error.
enum ProgressMode: String, CaseIterable, Sendable {
    /// On a terminal that is not `dumb`.
    case auto
    /// Also elsewhere, as plain lines.
    case always
    case never

    /// How progress is shown; nil when it is not.
    ///
    /// - Parameter isTerminal: whether standard error is a terminal whose cursor can be moved.
    func style(isTerminal: Bool) -> ProgressStyle? {
        switch (self, isTerminal) {
        case (.auto, true), (.always, true): .bars
        case (.always, false): .plain
        case (.auto, false), (.never, _): nil
        }
    }
}

/// How progress is shown.
enum ProgressStyle: Sendable {
    /// Bars that are redrawn in place.
    case bars
    /// A line now and then, without control sequences.
    case plain
}
