// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The `Idempotency-Key` field of a request. A server recognizes by this key a request that it has already processed,
/// so that an operation may retry a POST.
///
/// ```swift
/// operation.idempotencyKey = .automatic
/// operation.idempotencyKey = "order-4711"
/// ```
public struct IdempotencyKey: Sendable, Hashable, Codable, ExpressibleByStringLiteral {
    /// The value of the field. It is sent unchanged: some servers require double quotes.
    public let value: String
    /// Whether the library made the key.
    private let isAutomatic: Bool

    private init(_ value: String, isAutomatic: Bool) { (self.value, self.isAutomatic) = (value, isAutomatic) }

    /// Makes a key from a string. If the string is blank or is not a valid field value, the operation fails with
    /// `invalidRequest`.
    public init(_ value: String) { self.init(value, isAutomatic: false) }

    /// Makes a key from a string literal.
    public init(stringLiteral value: String) { self.init(value) }

    /// A new key, a random UUID, each time the property is read. All attempts of the operation that gets the key send
    /// the same key, and so does an operation that is made from its archive. A copy of the operation gets a new key.
    public static var automatic: IdempotencyKey { IdempotencyKey(UUID().uuidString.lowercased(), isAutomatic: true) }

    /// The key of a copy of the operation, which is a different request.
    var ofCopy: IdempotencyKey { isAutomatic ? .automatic : self }
}
