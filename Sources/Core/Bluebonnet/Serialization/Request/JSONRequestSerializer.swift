// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Encodes parameters, or any `Encodable` value, as a JSON body, and adds the default headers.
///
/// A method that encodes its parameters in the URL (GET, HEAD, DELETE) gets a query, as with `HTTPRequestSerializer`.
/// Members are sorted by key, so that the same parameters always produce the same body.
public struct JSONRequestSerializer: RequestSerializer, Codable {
    /// Adds the headers and the queries.
    public var http = HTTPRequestSerializer()
    /// The JSON options for parameters and for `request(_:withValue:)`. An `Encodable` value is written with its
    /// encoder's options instead. Default compact, slashes not escaped.
    ///
    /// `prettyPrinted` writes each member on a separate line. Without `withoutEscapingSlashes`, `/` becomes `\/`, as
    /// AFNetworking writes it. `sortedKeys` and `fragmentsAllowed` have no effect: members are always sorted, and the
    /// top-level value may have any type.
    public var writingOptions: JSONSerialization.WritingOptions {
        get { JSONSerialization.WritingOptions(rawValue: optionBits) }
        set { optionBits = newValue.rawValue }
    }
    private var optionBits = Self.defaultOptions.rawValue

    private static let defaultOptions: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]

    private enum CodingKeys: String, CodingKey {
        case http
        case optionBits = "writingOptions"
    }

    public var properties: RequestProperties { http.properties }

    /// Makes a serializer with the default headers.
    public init() {}

    /// Returns the request with default headers, and with the parameters in its URL or as JSON in its body.
    ///
    /// Without parameters, no body and no content type are added.
    /// - Throws: `NetworkingError` with `invalidRequest`, naming the parameter that cannot be encoded; with `badURL` if
    ///   the request has no URL.
    public func request(
        _ request: URLRequest, with parameters: Parameters?
    ) throws(NetworkingError) -> URLRequest {
        var request = request
        try complete(&request, with: parameters)
        return request
    }

    /// Applies `request(_:with:)` in place.
    func complete(_ request: inout URLRequest, with parameters: Parameters?) throws(NetworkingError) {
        if http.encodesParametersInURL(request) { return try http.complete(&request, with: parameters) }
        try http.addHeaders(to: &request)
        guard let parameters else { return }
        request.setBody(try json(parameters), contentType: Self.contentType)
    }

    /// Returns the request with default headers and any value as its JSON body, not only an object, for any method.
    ///
    /// - Parameters:
    ///   - request: the request; its header fields take precedence over the serializer's.
    ///   - value: an array, a string, a `JSONValue` or any other valid parameter value.
    /// - Throws: `NetworkingError` with `invalidRequest`, naming the element that cannot be encoded.
    public func request(
        _ request: URLRequest, withValue value: any Sendable
    ) throws(NetworkingError) -> URLRequest {
        var request = request
        try http.addHeaders(to: &request)
        request.setBody(try json(value), contentType: Self.contentType)
        return request
    }

    /// Returns the request with default headers and an `Encodable` value as its JSON body, for any method.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest`, naming the member that cannot be encoded.
    public func request(
        _ request: URLRequest, encoding value: some Encodable, with encoder: JSONEncoder = JSONEncoder()
    ) throws(NetworkingError) -> URLRequest {
        var request = request
        try http.addHeaders(to: &request)
        let body = try CodingErrorText.naming("JSON") { try encoder.encode(value) }
        request.setBody(body, contentType: Self.contentType)
        return request
    }

    private func json(_ value: Any) throws(NetworkingError) -> Data {
        JSONLayout.text(
            try JSONWriter.text(of: value).data, isPretty: writingOptions.contains(.prettyPrinted),
            escapesSlashes: !writingOptions.contains(.withoutEscapingSlashes))
    }

    private static let contentType = "application/json"
}
