// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A part of a file that cannot be converted, or only without something.
struct ConversionError: Error, Equatable {
    /// The number of the line in the file, from 1.
    let line: Int
    /// One sentence without a full stop.
    let message: String

    init(line: Int, _ message: String) { (self.line, self.message) = (line, message) }
}
