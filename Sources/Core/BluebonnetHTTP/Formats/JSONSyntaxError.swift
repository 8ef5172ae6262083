// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The first violation of JSON's syntax in a text.
public struct JSONSyntaxError: Error, Sendable, Equatable {
    /// The violation, as a sentence without a full stop.
    public let reason: String
    /// The offset of the violation in bytes of the UTF-8 text.
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
