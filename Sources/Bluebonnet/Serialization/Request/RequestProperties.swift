// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Properties of the requests that a serializer makes. A property that is nil leaves Foundation's value.
///
/// The library acts on `timeoutInterval`, with a cache on `cachePolicy`, and with a cookie jar on `handlesCookies`. The
/// others are written into the `URLRequest` for a program's own policy.
public struct RequestProperties: Sendable, Hashable {
    /// The longest time without a byte sent or received, in seconds.
    public var timeoutInterval: TimeInterval?
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
        if let timeoutInterval { request.timeoutInterval = timeoutInterval }
        if let cachePolicy { request.cachePolicy = cachePolicy }
        if let handlesCookies { request.httpShouldHandleCookies = handlesCookies }
        if let allowsCellularAccess { request.allowsCellularAccess = allowsCellularAccess }
        if let networkServiceType { request.networkServiceType = networkServiceType }
    }
}
