// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The `Idempotency-Key` field of a request: by it a server recognizes a request that it has acted on already, so that
/// an operation may send a POST again.
///
/// ```swift
/// operation.idempotencyKey = .automatic
/// operation.idempotencyKey = "order-4711"
/// ```
public struct IdempotencyKey: Sendable, Hashable, Codable, ExpressibleByStringLiteral {
    /// The field's value. It is sent as it is: some servers want it in double quotes.
    public let value: String
    /// Whether the library made it.
    private let isAutomatic: Bool

    private init(_ value: String, isAutomatic: Bool) { (self.value, self.isAutomatic) = (value, isAutomatic) }

    /// Makes a key of a text. A text that is blank or cannot be a field's value fails the operation with
    /// `invalidRequest`.
    public init(_ value: String) { self.init(value, isAutomatic: false) }

    /// Makes a key of a text.
    public init(stringLiteral value: String) { self.init(value) }

    /// A new key, a random UUID, each time that this is read. All attempts of the operation that gets it, and the
    /// operation of its archive, send the same key; a copy of the operation has a new one.
    public static var automatic: IdempotencyKey { IdempotencyKey(UUID().uuidString.lowercased(), isAutomatic: true) }

    /// The key of a copy, which is another request.
    var ofCopy: IdempotencyKey { isAutomatic ? .automatic : self }
}
