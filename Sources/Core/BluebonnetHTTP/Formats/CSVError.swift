// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The first violation of the rules of CSV in a text.
package struct CSVError: Error, Sendable, Hashable {
    /// The number of the line, from 1. Line ends inside quotation marks count.
    package let line: Int
    /// The number of the character in the line, from 1; nil if the error concerns the whole row.
    package let column: Int?
    /// The violation, as a sentence without a full stop.
    package let message: String

    package init(line: Int, column: Int? = nil, message: String) {
        (self.line, self.column, self.message) = (line, column, message)
    }
}

extension CSVError: LocalizedError, CustomStringConvertible {
    package var errorDescription: String? { description }

    /// The position and the message: `line 3, column 7: text after the closing quotation mark`.
    package var description: String {
        "line \(line)\(column.map { ", column \($0)" } ?? ""): \(message)"
    }
}
