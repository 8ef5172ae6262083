// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Stores responses, for use instead of the network.
///
/// The library decides which responses may be stored and used (RFC 9111); a cache only stores them. The requests have
/// the URL that is sent, without dot segments unless `TransferOptions.keepsDotSegments` is true. The library calls the
/// members on its queues, never on the network thread, and possibly several at the same time.
///
/// Not cached: responses other than a 200 to a GET; requests with a body, a range or a condition (`If-…`); downloads to
/// files; responses after redirects; requests of operations with a `credential`.
public protocol ResponseCache: Sendable {
    /// Returns the response that was last stored for the request's URL, fresh or stale.
    func cachedResponse(for request: URLRequest) -> CachedResponse?

    /// Stores a response, replacing the response for the request's URL. The cache may drop it at any time.
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
    /// Values of the program. The library does not use them.
    public var userInfo: [String: any Sendable]
    /// How the library obtained the response; nil if the library did not store it.
    var provenance: Provenance?

    /// How and when the library obtained a response.
    struct Provenance: Sendable {
        let requestedAt: Date
        let receivedAt: Date
        /// The request fields that selected the response, by lower-case names; nil for a field that was absent.
        let variedFields: [String: String?]
        /// The pool key of the response's connection. An operation with another key does not use the response.
        let poolKey: ConnectionPoolKey
    }

    /// Makes a response to store, such as in `onCacheResponse`.
    public init(response: HTTPURLResponse, data: Data, userInfo: [String: any Sendable] = [:]) {
        self.response = response
        self.data = data
        self.userInfo = userInfo
    }

    /// The response's head.
    var head: ResponseHead? { ResponseHead(response) }
}
