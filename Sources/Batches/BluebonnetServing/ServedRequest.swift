// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// A request that a responder has received. Requests have no body.
package struct ServedRequest: Sendable, Equatable {
    /// The methods that a responder accepts.
    package enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
    }

    package let method: Method
    /// The path, as it was sent, without the query.
    package let path: String
    /// The parameters of the query, decoded. The first one of equal names counts.
    package let query: [String: String]
    /// The host and the port of the request, in lower case.
    package let host: String
    /// The field `Authorization`; nil if it is absent.
    package let authorization: String?
    /// Whether the client closes the connection after the response.
    package let isLast: Bool
}

/// The reason for which a request is refused, as a status with its reason phrase. The connection is closed.
package struct RequestRefusal: Error, Sendable, Equatable {
    package let status: Int
    package let message: String

    static let malformed = RequestRefusal(status: 400, message: "the request is malformed")
    static let hostMissing = RequestRefusal(status: 400, message: "the request needs one Host field")
    static let body = RequestRefusal(status: 413, message: "requests have no body here")
    static let method = RequestRefusal(status: 405, message: "only GET and HEAD are possible")
    static let tooLarge = RequestRefusal(status: 431, message: "the head of the request is too large")
    static let version = RequestRefusal(status: 505, message: "only HTTP/1.0 and HTTP/1.1 are possible")
}
