// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation
public import FoundationNetworking

/// Parses the body as JSON; any value may stand at the top.
///
/// The text may be UTF-8, UTF-16 or UTF-32, or what the response's charset says. A body that is empty or one space is
/// `null`, whatever the status (an answer to HEAD, 204, 205). Everything else that is not JSON is an error: bytes that
/// are no text, trailing commas, more than 512 nested arrays and objects.
public struct JSONResponseSerializer: ResponseSerializer {
    public var validation: ResponseValidation
    /// Leaves out the members of objects that are null, at any depth; nulls in arrays stay. Default false.
    public var removesKeysWithNullValues = false

    /// Makes a serializer for `application/json`, `text/json` and `text/javascript` with a status from 200 to 299.
    ///
    /// - Parameter acceptsStructuredSuffix: whether `application/problem+json` and its like are accepted too.
    public init(acceptsStructuredSuffix: Bool = false) {
        var types: Set<String> = ["application/json", "text/json", "text/javascript"]
        if acceptsStructuredSuffix { types.insert("application/*+json") }
        validation = ResponseValidation(acceptableContentTypes: types)
    }

    public func value(for response: HTTPURLResponse, body: Data) throws -> JSONValue {
        if body.isEmpty || body.elementsEqual([0x20]) { return .null }
        let charset = response.value(forHTTPHeaderField: "Content-Type").flatMap(BodyEncoding.charset)
        do {
            let value = try JSONValue(parsing: body, charset: charset)
            return removesKeysWithNullValues ? value.removingNullMembers() : value
        } catch {
            throw NetworkingError(
                .cannotParseResponse, "the response's body is not JSON: \(error)", response: response, body: body,
                underlying: error)
        }
    }
}

extension JSONValue {
    /// The value without the members of objects that are null.
    func removingNullMembers() -> JSONValue {
        switch self {
        case .object(let members): .object(members.filter { $0.value != .null }.mapValues { $0.removingNullMembers() })
        case .array(let elements): .array(elements.map { $0.removingNullMembers() })
        case .null, .bool, .integer, .number, .string: self
        }
    }
}
