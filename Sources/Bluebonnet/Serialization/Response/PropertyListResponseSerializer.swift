// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Parses the body as a property list, in XML or in the binary format.
///
/// The value is nil when the response has no body by its status (204, 205), or announces a body that does not come (a
/// response to HEAD). Any other empty body is an error, and so is a body that is no property list.
public struct PropertyListResponseSerializer: ResponseSerializer, Codable {
    public var validation: ResponseValidation

    /// Makes a serializer for `application/x-plist` with a status from 200 to 299.
    public init() {
        validation = ResponseValidation(acceptableContentTypes: ["application/x-plist"])
    }

    public func value(for response: HTTPURLResponse, body: Data) throws(NetworkingError) -> PropertyListValue? {
        if body.isEmpty, response.mayLackBody { return nil }
        do {
            return try PropertyListValue(parsing: body)
        } catch {
            throw NetworkingError(
                .cannotParseResponse, "the response's body is no property list: \(error)", response: response,
                body: body, underlying: error)
        }
    }
}

extension HTTPURLResponse {
    /// Whether an empty body is what this response has to have: its status has none (RFC 9110, 15.3.5 and 15.3.6), or
    /// it says the length of a body that was not asked for.
    ///
    /// The transport has made sure that a body of the announced length arrived, if there was to be one.
    var mayLackBody: Bool {
        if [204, 205, 304].contains(statusCode) { return true }
        return value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }.map { $0 > 0 } ?? false
    }
}
