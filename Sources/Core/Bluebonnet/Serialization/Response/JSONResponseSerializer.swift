// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Parses the body as JSON. The top-level value may have any type.
///
/// The text may be UTF-8, UTF-16 or UTF-32, or have the encoding of the response's charset. A body that is empty or a
/// single space is `null`, whatever the status (a response to HEAD, 204, 205). All other bodies that are not JSON are
/// errors: bytes that are not text, trailing commas, more than 512 nested arrays and objects.
///
/// Of AFNetworking's reading options, only `allowsFragments` exists; mutable containers have no meaning for a Swift
/// value.
public struct JSONResponseSerializer: ResponseSerializer, Codable {
    public var validation: ResponseValidation
    /// Whether members of objects that are null are removed, at any depth, in arrays too. Default false.
    public var removesKeysWithNullValues = false
    /// Whether elements of arrays that are null are removed, at any depth. Default false.
    public var removesNullElements = false
    /// Whether the top-level value may be a string, a number, a Boolean or null. Default true, as in RFC 8259.
    public var allowsFragments = true
    /// The encoding of text without a byte order mark in a response that names no known charset. Default nil: UTF-8,
    /// UTF-16 or UTF-32, detected from the first bytes.
    public var stringEncoding: String.Encoding? {
        get { encodingNumber.map(String.Encoding.init(rawValue:)) }
        set { encodingNumber = newValue?.rawValue }
    }
    private var encodingNumber: UInt?

    private enum CodingKeys: String, CodingKey {
        case validation, removesKeysWithNullValues, removesNullElements, allowsFragments
        case encodingNumber = "stringEncoding"
    }

    /// Makes a serializer for `application/json`, `text/json` and `text/javascript` with a status from 200 to 299.
    ///
    /// - Parameter acceptsStructuredSuffix: whether types such as `application/problem+json` are accepted too.
    public init(acceptsStructuredSuffix: Bool = false) {
        var types: Set<String> = ["application/json", "text/json", "text/javascript"]
        if acceptsStructuredSuffix { types.insert("application/*+json") }
        validation = ResponseValidation(acceptableContentTypes: types)
    }

    /// Made once, because making sets takes time.
    static let ofJSON = JSONResponseSerializer()
    static let ofSuffixToo = JSONResponseSerializer(acceptsStructuredSuffix: true)

    public func value(for response: ResponseHead, body: Data) throws(NetworkingError) -> JSONValue {
        if Self.isNothing(body) { return .null }
        return withoutNulls(try parse(body, of: response, parsed))
    }

    /// Whether a body counts as `null`: it is empty or a single space.
    static func isNothing(_ body: Data) -> Bool { body.isEmpty || body.elementsEqual([0x20]) }

    /// Parses a body in the encoding of the response's charset. Throws the error that says why the body is not JSON.
    func parse<Result>(
        _ body: Data, of response: ResponseHead, _ parse: (_ body: Data, BodyEncoding) throws -> Result
    ) throws(NetworkingError) -> Result {
        do {
            return try parse(body, BodyEncoding(of: body, charset: response.charset, fallback: stringEncoding))
        } catch {
            throw NetworkingError(
                .cannotParseResponse, "the response's body is not JSON: \(error)", response: response.urlResponse,
                body: body, underlying: error)
        }
    }

    private func parsed(_ body: Data, _ encoding: BodyEncoding) throws(JSONSyntaxError) -> JSONValue {
        let value = try JSONValue(parsing: body, encoding)
        switch value {
        case .object, .array: return value
        case .null, .bool, .integer, .number, .string:
            guard allowsFragments else { throw JSONSyntaxError(reason: "neither an object nor an array", offset: 0) }
            return value
        }
    }

    private func withoutNulls(_ value: JSONValue) -> JSONValue {
        guard removesKeysWithNullValues || removesNullElements else { return value }
        return value.removingNulls(fromObjects: removesKeysWithNullValues, fromArrays: removesNullElements)
    }
}
