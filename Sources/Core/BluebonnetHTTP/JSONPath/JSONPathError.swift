// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// The first place at which a text is not a JSONPath (RFC 9535).
public struct JSONPathError: Error, Sendable, Equatable {
    /// The expected text, as a sentence without a full stop.
    public let reason: String
    /// The offset of the place in bytes of the UTF-8 text.
    public let offset: Int
}

extension JSONPathError: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { description }
    public var description: String { "\(reason) at byte \(offset) of the path" }
}

/// A path that needs more work in a document than allowed.
public struct JSONPathLimitError: Error, Sendable, Equatable {
    /// The limit, as a sentence without a full stop.
    public let reason: String

    static func steps(_ limit: Int) -> Self { Self(reason: "the path needs more than \(limit) steps in this document") }

    static let pattern = Self(
        reason: "a pattern of match() or search() has more than \(JSONPathPattern.maximumStateCount) states")
}

extension JSONPathLimitError: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { description }
    public var description: String { reason }
}
