// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// An item of a stream that cannot be decoded: an event, a line or a JSON text.
public struct StreamItemError: Error, Sendable, Hashable {
    /// The kind of the item: `event`, `line` or `JSON text`.
    public let item: String
    /// The number of the item in its response, from 1. Items before it were decoded.
    public let number: Int
    /// The error in the item, as a sentence without a full stop.
    public let reason: String

    package init(item: String, number: Int, reason: String) {
        (self.item, self.number, self.reason) = (item, number, reason)
    }

    static func tooLong(_ item: String, number: Int, part: String, byteLimit: Int) -> Self {
        Self(item: item, number: number, reason: "\(part) has more than \(byteLimit) bytes")
    }
}

extension StreamItemError: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { description }

    /// The item and the reason: `event 3: the data has more than 16777216 bytes`.
    public var description: String { "\(item) \(number): \(reason)" }
}
