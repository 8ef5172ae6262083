// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Keeps responses, to be used again instead of the network.
///
/// The library decides what may be kept and whether what was kept may be used (RFC 9111); a cache only keeps. Requests
/// come with the URL that is sent, which has no dot segments unless `TransferOptions.keepsDotSegments` says so. Its
/// members are called on queues of the library's, never on the network thread, several at a time.
///
/// Not cached: anything but a GET with status 200; requests with a body, a range or a condition (`If-…`); downloads to
/// files; responses that redirects led to; requests of operations with a `credential`.
public protocol ResponseCache: Sendable {
    /// The response that was stored last for the request's URL, fresh or not.
    func cachedResponse(for request: URLRequest) -> CachedResponse?

    /// Keeps a response, instead of one for the same URL. It may drop it at any time.
    func store(_ response: CachedResponse, for request: URLRequest)

    /// Drops what is kept for the request's URL.
    func removeCachedResponse(for request: URLRequest)
}

/// A response as it is kept.
public struct CachedResponse: Sendable {
    /// Status, URL and fields.
    public var response: HTTPURLResponse
    /// The body, decoded.
    public var data: Data
    /// Anything of yours.
    public var userInfo: [String: any Sendable]
    /// What the library needs to know of the exchange; nil for one that the library has not stored.
    var provenance: Provenance?

    /// Under which circumstances the response came.
    struct Provenance: Sendable {
        let requestedAt: Date
        let receivedAt: Date
        /// The request's fields that chose the response, by lower-case names; nil for one that was not there.
        let variedFields: [String: String?]
        /// What the response was trusted with: another policy has to ask itself.
        let poolKey: ConnectionPoolKey
    }

    /// Makes a response to be kept, for instance another one in `setCacheResponseBlock`.
    public init(response: HTTPURLResponse, data: Data, userInfo: [String: any Sendable] = [:]) {
        self.response = response
        self.data = data
        self.userInfo = userInfo
    }

    /// The response as one that arrived.
    var head: ResponseHead? {
        guard let url = response.url else { return nil }
        let fields = response.allHeaderFields.compactMap { name, value in
            (name as? String).map { (name: $0, value: "\(value)") }
        }
        return ResponseHead(url: url, status: response.statusCode, fields: fields.sorted { $0.name < $1.name })
    }
}
