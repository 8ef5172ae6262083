// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// A response that is about to be stored, for `RequestOperation.onCacheResponse`.
public struct CachedResponse: Sendable {
    /// The response's status, URL and header fields.
    public var response: HTTPURLResponse
    /// The decoded body.
    public var data: Data

    /// Makes a response.
    public init(response: HTTPURLResponse, data: Data) { (self.response, self.data) = (response, data) }
}
