// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Parses the body as JSON; any value may stand at the top.
///
/// The text may be UTF-8, UTF-16 or UTF-32, or what the response's charset says. A body that is empty or one space is
/// `null`, whatever the status (an answer to HEAD, 204, 205). Everything else that is not JSON is an error: bytes that
/// are no text, trailing commas, more than 512 nested arrays and objects.
///
/// Of AFNetworking's reading options `allowsFragments` is here; mutable containers have no meaning for a Swift value.
public struct JSONResponseSerializer: ResponseSerializer, Codable {
    public var validation: ResponseValidation
    /// Leaves out the members of objects that are null, at any depth, in arrays too. Default false.
    public var removesKeysWithNullValues = false
    /// Leaves out the elements of arrays that are null, at any depth. Default false.
    public var removesNullElements = false
    /// Whether a string, a number, a truth value or null may stand at the top. Default true, as RFC 8259 has it.
    public var allowsFragments = true
    /// The encoding of text that has no byte order mark and whose response names no charset that is known. Default nil:
    /// UTF-8, UTF-16 or UTF-32, which its first bytes tell.
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
    /// - Parameter acceptsStructuredSuffix: whether `application/problem+json` and its like are accepted too.
    public init(acceptsStructuredSuffix: Bool = false) {
        var types: Set<String> = ["application/json", "text/json", "text/javascript"]
        if acceptsStructuredSuffix { types.insert("application/*+json") }
        validation = ResponseValidation(acceptableContentTypes: types)
    }

    /// Made once, because sets take their time.
    static let ofJSON = JSONResponseSerializer()
    static let ofSuffixToo = JSONResponseSerializer(acceptsStructuredSuffix: true)

    public func value(for response: ResponseHead, body: Data) throws(NetworkingError) -> JSONValue {
        if Self.isNothing(body) { return .null }
        return withoutNulls(try parse(body, of: response, parsed))
    }

    /// Whether a body stands for nothing: it is empty, or one space.
    static func isNothing(_ body: Data) -> Bool { body.isEmpty || body.elementsEqual([0x20]) }

    /// What the response's charset makes of a body, or the error that says why it is not JSON.
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
