// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// Decodes the body into a `Decodable` type.
///
/// ```swift
/// let serializer = DecodableResponseSerializer(User.self)
/// let operation = manager.operation(with: request, responseSerializer: serializer)
/// let user = try await manager.run(RequestHandle(operation, as: User.self))
/// ```
///
/// The library's parser checks JSON first, because Foundation's decoder accepts trailing commas. The text may have any
/// encoding that `JSONResponseSerializer` reads. As with that serializer, an empty body or a single space is `null`:
/// nil for an optional type, an error for any other type.
public struct DecodableResponseSerializer<Value: Decodable & Sendable>: ResponseSerializer {
    public var validation: ResponseValidation
    private let decode: @Sendable (ResponseHead, Data) throws -> Value

    /// Decodes JSON of `application/json`, `text/json` and `text/javascript` with a status from 200 to 299.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - decoder: used on the library's processing queues; do not change it afterwards.
    ///   - acceptsStructuredSuffix: whether types such as `application/problem+json` are accepted too.
    public init(
        _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder(), acceptsStructuredSuffix: Bool = false
    ) {
        let serializer = acceptsStructuredSuffix ? JSONResponseSerializer.ofSuffixToo : JSONResponseSerializer.ofJSON
        validation = serializer.validation
        decode = { try Self.json($0, $1, serializer, decoder) }
    }

    /// Decodes property lists of `application/x-plist` with a status from 200 to 299.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - decoder: used on the library's processing queues; do not change it afterwards.
    public init(_ type: Value.Type = Value.self, propertyListDecoder decoder: PropertyListDecoder) {
        validation = PropertyListResponseSerializer().validation
        decode = { response, body in
            // Foundation's decoder overflows the stack on deeply nested lists, so such lists are rejected first.
            guard try PropertyListResponseSerializer().value(for: response, body: body) != nil else {
                return try Self.nothing()
            }
            return try decoder.decode(Value.self, from: body)
        }
    }

    /// Decodes with a custom function, which receives the body, also an empty body.
    public init(
        validation: ResponseValidation = ResponseValidation(),
        decode: @escaping @Sendable (_ body: Data) throws -> Value
    ) {
        self.validation = validation
        self.decode = { try decode($1) }
    }

    public func value(for response: ResponseHead, body: Data) throws(NetworkingError) -> Value {
        do {
            return try decode(response, body)
        } catch let error as NetworkingError {
            throw error
        } catch {
            let reason = CodingErrorText.reason(of: error) { (try? JSONValue(parsing: body))?.kind(at: $0) }
            throw NetworkingError(
                .cannotParseResponse, "cannot decode the response as \(CodingErrorText.shown(Value.self)): \(reason)",
                response: response.urlResponse, body: body, underlying: error)
        }
    }

    private static func json(
        _ response: ResponseHead, _ body: Data, _ serializer: JSONResponseSerializer, _ decoder: JSONDecoder
    ) throws -> Value {
        if Value.self == JSONValue.self || Value.self == JSONValue?.self,
            let value = try serializer.value(for: response, body: body) as? Value
        {
            return value
        }
        if JSONResponseSerializer.isNothing(body) { return try nothing() }
        let text = try serializer.parse(body, of: response, JSONValue.checkedUTF8)
        return try decoder.decode(Value.self, from: text)
    }

    private static func nothing() throws -> Value {
        // An empty body is not the text `null`.
        guard Value.self != JSONValue.self, let type = Value.self as? any ExpressibleByNilLiteral.Type,
            let value = type.init(nilLiteral: ()) as? Value
        else {
            throw DecodingError.valueNotFound(
                Value.self, DecodingError.Context(codingPath: [], debugDescription: "the body is empty"))
        }
        return value
    }
}

extension JSONValue {
    /// Returns the kind of the value at a path, such as `an object`; nil if the path leads nowhere.
    fileprivate func kind(at path: [any CodingKey]) -> String? {
        var value = self
        for key in path {
            guard let next = key.intValue.flatMap({ value[$0] }) ?? value[key.stringValue] else { return nil }
            value = next
        }
        return switch value {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
