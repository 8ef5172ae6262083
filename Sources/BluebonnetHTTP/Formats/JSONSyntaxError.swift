// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Where text stops being JSON, and why.
public struct JSONSyntaxError: Error, Sendable, Equatable {
    /// What is wrong, as a sentence without its end.
    public let reason: String
    /// How many bytes of the text, in UTF-8, stand before it.
    public let offset: Int

    package init(reason: String, offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}

extension JSONSyntaxError: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { description }
    public var description: String { "\(reason) at byte \(offset)" }
}
