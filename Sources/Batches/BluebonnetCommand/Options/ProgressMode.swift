// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// When progress is shown on standard error.
enum ProgressMode: String, CaseIterable, Sendable {
    /// On a terminal that is not `dumb`.
    case auto
    /// Always: as plain lines if standard error is not such a terminal.
    case always
    case never

    /// Returns the style of the progress display; nil if no progress is shown.
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
    /// A line of text from time to time, without control sequences.
    case plain
}
