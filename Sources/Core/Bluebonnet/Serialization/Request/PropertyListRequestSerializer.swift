// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation
public import FoundationNetworking

/// Encodes parameters, or any `Encodable` value, as a property list in the body, and adds the default headers.
///
/// A method that encodes its parameters in the URL (GET, HEAD, DELETE) gets a query, as with `HTTPRequestSerializer`.
/// In addition to JSON's types, values may be dates and data. Null has no form in a property list and is rejected. The
/// XML format drops the fractional seconds of dates, and rejects text with characters that XML does not allow.
public struct PropertyListRequestSerializer: RequestSerializer, Codable {
    /// The format of a property list.
    public enum Format: String, Sendable, Codable {
        /// XML 1.0.
        case xml
        /// Apple's binary format, version 1.
        case binary

        fileprivate var foundation: PropertyListSerialization.PropertyListFormat { self == .xml ? .xml : .binary }
    }

    /// Adds the headers and the queries.
    public var http = HTTPRequestSerializer()
    /// The format of the body. Default XML.
    public var format: Format

    public var properties: RequestProperties { http.properties }

    /// Makes a serializer with the default headers.
    public init(format: Format = .xml) { self.format = format }

    /// Returns the request with default headers, and with the parameters in its URL or as a property list in its body.
    ///
    /// Without parameters, no body and no content type are added.
    /// - Throws: `NetworkingError` with `invalidRequest`, naming the parameter that cannot be encoded; with `badURL` if
    ///   the request has no URL.
    public func request(
        _ request: URLRequest, with parameters: Parameters?
    ) throws(NetworkingError) -> URLRequest {
        if http.encodesParametersInURL(request) { return try http.request(request, with: parameters) }
        guard let parameters else {
            var request = request
            try http.addHeaders(to: &request)
            return request
        }
        return try self.request(request, withValue: parameters)
    }

    /// Returns the request with default headers and any value as its property list body, for any method.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest`, naming the element that cannot be encoded.
    public func request(
        _ request: URLRequest, withValue value: any Sendable
    ) throws(NetworkingError) -> URLRequest {
        var request = request
        try http.addHeaders(to: &request)
        let body = try PropertyListWriter.data(of: value, format: format.foundation)
        request.setBody(body, contentType: Self.contentType)
        return request
    }

    /// Returns the request with default headers and an `Encodable` value as its property list body, for any method.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest`, naming the member that cannot be encoded.
    public func request(
        _ request: URLRequest, encoding value: some Encodable
    ) throws(NetworkingError) -> URLRequest {
        var request = request
        try http.addHeaders(to: &request)
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format.foundation
        let body = try CodingErrorText.naming("a property list") { try encoder.encode(value) }
        request.setBody(body, contentType: Self.contentType)
        return request
    }

    static let contentType = "application/x-plist"
}
