// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Encodes parameters and default headers into a request.
///
/// Serializers are values: a manager stores one and copies it into each request. Changing the manager's serializer
/// affects later requests only.
public protocol RequestSerializer: Sendable {
    /// The properties of the requests that this serializer makes from a method and a URL. Default: none are set.
    var properties: RequestProperties { get }

    /// Returns the request with the parameters encoded into it.
    ///
    /// Existing contents of the request are kept: its header fields take precedence over the serializer's.
    /// - Throws: from the library's serializers, a `NetworkingError` with `invalidRequest`, naming the parameter that
    ///   cannot be encoded. A custom serializer may throw any error; the error becomes the `underlying` of an
    ///   `invalidRequest`.
    func request(_ request: URLRequest, with parameters: Parameters?) throws -> URLRequest
}

extension RequestSerializer {
    public var properties: RequestProperties { RequestProperties() }

    /// Makes a request from a method, a URL and the parameters.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest`, naming the parameter that cannot be encoded.
    public func request(
        method: String, url: URL, parameters: Parameters? = nil
    ) throws(NetworkingError) -> URLRequest {
        var request = URLRequest(url: url, method: method)
        properties.apply(to: &request)
        do {
            try complete(&request, with: parameters)
        } catch {
            throw error as? NetworkingError
                ?? NetworkingError(.invalidRequest, "the request cannot be created: \(error)", underlying: error)
        }
        return request
    }

    /// Applies `request(_:with:)`, in place for the serializers that support it: Foundation copies a request that is
    /// changed while another reference to it exists.
    package func complete(_ request: inout URLRequest, with parameters: Parameters?) throws {
        switch self {
        case let serializer as HTTPRequestSerializer: try serializer.complete(&request, with: parameters)
        case let serializer as JSONRequestSerializer: try serializer.complete(&request, with: parameters)
        default: request = try self.request(request, with: parameters)
        }
    }
}
