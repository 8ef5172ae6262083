// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Glibc

/// The size of the terminal at standard error.
struct TerminalSize: Equatable {
    /// The number of columns; 80 if unknown.
    var columnCount = 80
    /// The number of rows; 24 if unknown.
    var rowCount = 24

    /// The current size.
    static var current: TerminalSize {
        var window = winsize()
        var size = TerminalSize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &window) == 0 else { return size }
        if window.ws_col > 0 { size.columnCount = Int(window.ws_col) }
        if window.ws_row > 0 { size.rowCount = Int(window.ws_row) }
        return size
    }
}
