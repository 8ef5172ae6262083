// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import FoundationNetworking

/// Properties of the requests that a serializer makes. A property that is nil keeps Foundation's value.
///
/// The library uses `cachePolicy` with a cache, and `handlesCookies` with a cookie jar. The other properties are set on
/// the `URLRequest` for the program's own use. Time limits are set with `RequestOperationManager.timeouts`.
public struct RequestProperties: Sendable, Hashable {
    /// The cache policy of the request.
    public var cachePolicy: URLRequest.CachePolicy?
    /// Whether cookies are sent and stored.
    public var handlesCookies: Bool?
    /// Whether the request may use a cellular network.
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
