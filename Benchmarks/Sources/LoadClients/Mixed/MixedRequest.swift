// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// One request of mixed traffic as texts, from which each client makes a request of its own kind.
package struct MixedRequest: Sendable {
    /// What a client makes of the answer.
    package enum Decoding: Sendable {
        /// A tree of JSON values: `JSONValue`, or what `JSONSerialization` makes.
        case json
        /// The bytes.
        case data
        /// A `Catalogue`.
        case decodable
    }

    /// The names of the header fields; the content type is that of a body.
    package enum Field {
        package static let traceParent = "traceparent"
        package static let idempotencyKey = "Idempotency-Key"
        package static let authorization = "Authorization"
        package static let contentType = "Content-Type"
    }

    package static let contentType = "application/json"

    package let url: String
    package let traceParent: String
    package let idempotencyKey: String
    package let authorization: String
    /// The JSON of a POST; nil for a GET.
    package let body: String?
    package let decoding: Decoding
}
