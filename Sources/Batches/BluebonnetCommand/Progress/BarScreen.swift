// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Redraws a few lines in place at the bottom of a terminal. A value type that returns the bytes to write.
struct BarScreen: Sendable {
    private var lineCount = 0
    private var isCursorHidden = false

    /// Makes an empty screen.
    init() {}

    /// Returns the bytes that draw the lines over the previous ones. No line may be wider than the terminal.
    mutating func draw(_ lines: [String]) -> String {
        defer { (lineCount, isCursorHidden) = (lines.count, true) }
        let body = lines.map { $0 + Control.clearLine }.joined(separator: "\n")
        return (isCursorHidden ? "" : Control.hideCursor) + goToTop + body + Control.clearBelow
    }

    /// Returns the bytes that erase the lines and show the cursor at the place of the first line.
    mutating func erase() -> String {
        defer { (lineCount, isCursorHidden) = (0, false) }
        guard isCursorHidden else { return "" }
        return goToTop + Control.clearBelow + Control.showCursor
    }

    private var goToTop: String {
        "\r" + (lineCount > 1 ? Control.up(lineCount - 1) : "")
    }

    /// Control sequences (ECMA-48; the cursor's are DEC's).
    private enum Control {
        static let clearLine = "\u{1B}[K"
        static let clearBelow = "\u{1B}[J"
        static let hideCursor = "\u{1B}[?25l"
        static let showCursor = "\u{1B}[?25h"
        static func up(_ count: Int) -> String { "\u{1B}[\(count)A" }
    }
}
