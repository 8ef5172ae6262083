// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Encodes parameters as a JSON body, and adds the default headers.
///
/// A method that takes its parameters in the URL (GET, HEAD, DELETE) gets a query, as from `HTTPRequestSerializer`.
/// Members are sorted by key, so that the same parameters always make the same body.
public struct JSONRequestSerializer: RequestSerializer {
    /// Makes the headers and the queries.
    public var http = HTTPRequestSerializer()

    public var timeoutInterval: TimeInterval? { http.timeoutInterval }

    /// Makes a serializer with the default headers.
    public init() {}

    /// The request with default headers, and with the parameters in its URL or as JSON in its body.
    ///
    /// Without parameters it adds no body and no content type.
    public func request(_ request: URLRequest, with parameters: Parameters?) throws -> URLRequest {
        if http.encodesParametersInURL(request) { return try http.request(request, with: parameters) }
        var request = try http.addingHeaders(to: request)
        if let parameters {
            request.setBody(Data(try JSONWriter.bytes(of: parameters)), contentType: Self.contentType)
        }
        return request
    }

    /// The request with default headers and a value of the program's own as JSON in its body, whatever the method.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest`, naming the member that cannot be encoded.
    public func request(
        _ request: URLRequest, encoding value: some Encodable, with encoder: JSONEncoder = JSONEncoder()
    ) throws -> URLRequest {
        var request = try http.addingHeaders(to: request)
        do {
            request.setBody(try encoder.encode(value), contentType: Self.contentType)
        } catch {
            throw NetworkingError(.invalidRequest, Self.message(for: error), underlying: error)
        }
        return request
    }

    private static let contentType = "application/json"

    private static func message(for error: any Error) -> String {
        guard case EncodingError.invalidValue(_, let context) = error else {
            return "the body cannot be encoded as JSON: \(error)"
        }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        let name = path.hasPrefix(".") ? String(path.dropFirst()) : path
        return "body member \(name) cannot be encoded as JSON: \(context.debugDescription)"
    }
}
