// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import FoundationNetworking

/// Properties of the requests that a serializer makes. A property that is nil leaves Foundation's value.
///
/// The library acts on `cachePolicy` with a cache, and on `handlesCookies` with a cookie jar. The others are written
/// into the `URLRequest` for a program's own policy. Time limits are `RequestOperationManager.timeouts`.
public struct RequestProperties: Sendable, Hashable {
    /// The cache policy of the request.
    public var cachePolicy: URLRequest.CachePolicy?
    /// Whether cookies are sent and stored.
    public var handlesCookies: Bool?
    /// Whether the request may travel over a cellular network.
    public var allowsCellularAccess: Bool?
    /// The service type of the request.
    public var networkServiceType: URLRequest.NetworkServiceType?

    /// Makes properties that are all nil.
    public init() {}

    /// Sets the properties that are not nil on a request.
    public func apply(to request: inout URLRequest) {
        if let cachePolicy { request.cachePolicy = cachePolicy }
        if let handlesCookies { request.httpShouldHandleCookies = handlesCookies }
        if let allowsCellularAccess { request.allowsCellularAccess = allowsCellularAccess }
        if let networkServiceType { request.networkServiceType = networkServiceType }
    }
}
