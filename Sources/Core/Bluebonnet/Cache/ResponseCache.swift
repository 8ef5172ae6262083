// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Stores responses, for use instead of the network.
///
/// The library decides which responses may be stored and used (RFC 9111); a cache only stores them. Requests have the
/// URL that is sent, without dot segments unless `TransferOptions.keepsDotSegments` is true. The library calls the
/// members on its queues, never on the network thread, and possibly several at the same time.
///
/// Not cached: anything but a GET with status 200; requests with a body, a range or a condition (`If-…`); downloads to
/// files; responses that redirects led to; requests of operations with a `credential`.
public protocol ResponseCache: Sendable {
    /// The response that was stored last for the request's URL, fresh or not.
    func cachedResponse(for request: URLRequest) -> CachedResponse?

    /// Stores a response, replacing the one for the request's URL. The cache may drop it at any time.
    func store(_ response: CachedResponse, for request: URLRequest)

    /// Removes the response for the request's URL.
    func removeCachedResponse(for request: URLRequest)
}

/// A stored response.
public struct CachedResponse: Sendable {
    /// The response's status, URL and header fields.
    public var response: HTTPURLResponse
    /// The decoded body.
    public var data: Data
    /// Values of the program; the library does not use them.
    public var userInfo: [String: any Sendable]
    /// How the library obtained the response; nil when the library did not store it.
    var provenance: Provenance?

    /// How and when the library obtained a response.
    struct Provenance: Sendable {
        let requestedAt: Date
        let receivedAt: Date
        /// The request's fields that chose the response, by lower-case names; nil for one that was not there.
        let variedFields: [String: String?]
        /// The pool key of the response's connection: an operation with another key does not use the response.
        let poolKey: ConnectionPoolKey
    }

    /// Makes a response to store, for instance in `onCacheResponse`.
    public init(response: HTTPURLResponse, data: Data, userInfo: [String: any Sendable] = [:]) {
        self.response = response
        self.data = data
        self.userInfo = userInfo
    }

    /// The response's head.
    var head: ResponseHead? { ResponseHead(response) }
}
