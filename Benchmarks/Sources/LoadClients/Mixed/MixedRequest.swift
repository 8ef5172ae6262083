// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// One request of mixed traffic as texts, from which each client makes its own request.
package struct MixedRequest: Sendable {
    /// How a client decodes the answer.
    package enum Decoding: Sendable {
        /// To a tree of JSON values: `JSONValue`, or the objects of `JSONSerialization`.
        case json
        /// Not at all: the bytes.
        case data
        /// To a `Catalogue`.
        case decodable
    }

    /// The names of the header fields. `contentType` is used for requests with a body.
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
