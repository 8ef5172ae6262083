// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Puts parameters and default headers into a request.
///
/// Serializers are values: a manager keeps one and copies it into each request, and changing it changes later requests.
public protocol RequestSerializer: Sendable {
    /// What is written into the requests that this serializer makes from a method and a URL. Default: nothing.
    var properties: RequestProperties { get }

    /// The request with the parameters encoded into it.
    ///
    /// What the request says already is kept: a header of its own always wins over the serializer's.
    /// - Throws: from the library's serializers a `NetworkingError` with `invalidRequest`, naming the parameter that
    ///   cannot be encoded. A serializer of the program's own may throw any error; it becomes the `underlying` of an
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
                ?? NetworkingError(.invalidRequest, "the request cannot be made: \(error)", underlying: error)
        }
        return request
    }

    /// Does in place what `request(_:with:)` does, where the library knows how: Foundation copies a request that is
    /// changed while somebody else has it.
    package func complete(_ request: inout URLRequest, with parameters: Parameters?) throws {
        switch self {
        case let serializer as HTTPRequestSerializer: try serializer.complete(&request, with: parameters)
        case let serializer as JSONRequestSerializer: try serializer.complete(&request, with: parameters)
        default: request = try self.request(request, with: parameters)
        }
    }
}
