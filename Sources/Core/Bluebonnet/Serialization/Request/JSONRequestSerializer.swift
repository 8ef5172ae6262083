// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Encodes parameters, or any `Encodable` value, as a JSON body, and adds the default headers.
///
/// A method that takes its parameters in the URL (GET, HEAD, DELETE) gets a query, as from `HTTPRequestSerializer`.
/// Members are sorted by key, so that the same parameters always make the same body.
public struct JSONRequestSerializer: RequestSerializer, Codable {
    /// Makes the headers and the queries.
    public var http = HTTPRequestSerializer()
    /// How the JSON of parameters and of `request(_:withValue:)` is written; an `Encodable` value is written as its
    /// encoder says. Default compact, slashes not escaped.
    ///
    /// `prettyPrinted` writes each member on a line of its own; without `withoutEscapingSlashes`, `/` becomes `\/`, as
    /// AFNetworking writes it. Members are sorted with or without `sortedKeys`, and any value may stand at the top with
    /// or without `fragmentsAllowed`.
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

    /// The request with default headers, and with the parameters in its URL or as JSON in its body.
    ///
    /// Without parameters it adds no body and no content type.
    /// - Throws: `NetworkingError` with `invalidRequest`, naming the parameter that cannot be encoded; `badURL` when
    ///   the request has no URL.
    public func request(
        _ request: URLRequest, with parameters: Parameters?
    ) throws(NetworkingError) -> URLRequest {
        var request = request
        try complete(&request, with: parameters)
        return request
    }

    /// Does in place what `request(_:with:)` does.
    func complete(_ request: inout URLRequest, with parameters: Parameters?) throws(NetworkingError) {
        if http.encodesParametersInURL(request) { return try http.complete(&request, with: parameters) }
        try http.addHeaders(to: &request)
        guard let parameters else { return }
        request.setBody(try json(parameters), contentType: Self.contentType)
    }

    /// The request with default headers and a JSON body that is any value, not only an object, whatever the method.
    ///
    /// - Parameters:
    ///   - request: the request; its header fields win over the serializer's.
    ///   - value: an array, a string, a `JSONValue` or anything else that may be a parameter.
    /// - Throws: `NetworkingError` with `invalidRequest`, naming the element that cannot be encoded.
    public func request(
        _ request: URLRequest, withValue value: any Sendable
    ) throws(NetworkingError) -> URLRequest {
        var request = request
        try http.addHeaders(to: &request)
        request.setBody(try json(value), contentType: Self.contentType)
        return request
    }

    /// The request with default headers and a value of the program's own as JSON in its body, whatever the method.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest`, naming the member that cannot be encoded.
    public func request(
        _ request: URLRequest, encoding value: some Encodable, with encoder: JSONEncoder = JSONEncoder()
    ) throws(NetworkingError) -> URLRequest {
        var request = request
        try http.addHeaders(to: &request)
        let body = try CodingFault.naming("JSON") { try encoder.encode(value) }
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
