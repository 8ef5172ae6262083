// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Parses the body as a property list, in the XML or the binary format.
///
/// The value is nil if the status (204, 205) allows no body, or if the response announces a body that does not arrive
/// (a response to HEAD). Any other empty body is an error, and so is a body that is not a property list.
public struct PropertyListResponseSerializer: ResponseSerializer, Codable {
    public var validation: ResponseValidation

    /// Makes a serializer for `application/x-plist` with a status from 200 to 299.
    public init() {
        validation = ResponseValidation(acceptableContentTypes: ["application/x-plist"])
    }

    public func value(for response: ResponseHead, body: Data) throws(NetworkingError) -> PropertyListValue? {
        if body.isEmpty, response.mayLackBody { return nil }
        do {
            return try PropertyListValue(parsing: body)
        } catch {
            throw NetworkingError(
                .cannotParseResponse, "the response's body is not a property list: \(error)",
                response: response.urlResponse,
                body: body, underlying: error)
        }
    }
}
