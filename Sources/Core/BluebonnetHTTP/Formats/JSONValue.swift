// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// A JSON value (RFC 8259) as a Swift value that may cross threads.
public enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// A number without fraction or exponent that fits in 64 bits.
    case integer(Int64)
    /// Any other number, as written.
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

// MARK: - Reading

extension JSONValue {
    /// The member of an object with this name; nil if there is none.
    public subscript(key: String) -> JSONValue? {
        if case .object(let members) = self { members[key] } else { nil }
    }

    /// The element of an array at this index; nil if there is none.
    public subscript(index: Int) -> JSONValue? {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
    }

    /// The text of a string; nil for other values.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of an integer; nil for other values.
    public var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The value of any number; nil for other values. A number with more digits than a `Double` is rounded, and a
    /// number beyond the range of `Double` is infinite. `JSONNumber.text` has all digits.
    public var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number.double
        case .null, .bool, .string, .array, .object: nil
        }
    }

    /// The value of a Boolean; nil for other values.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The elements of an array; nil for other values.
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of an object; nil for other values.
    public var object: JSONObject? {
        if case .object(let members) = self { members } else { nil }
    }
}

// MARK: - Equality

extension JSONValue {
    /// Strings and names of members are equal if they have the same bytes. Numbers are equal if they have the same
    /// value.
    public static func == (first: Self, second: Self) -> Bool {
        switch (first, second) {
        case (.null, .null): true
        case (.bool(let first), .bool(let second)): first == second
        case (.integer(let first), .integer(let second)): first == second
        case (.number(let first), .number(let second)): first == second
        case (.string(let first), .string(let second)): FieldSyntax.isSameText(first, second)
        case (.array(let first), .array(let second)): first == second
        case (.object(let first), .object(let second)): first == second
        case (.null, _), (.bool, _), (.integer, _), (.number, _), (.string, _), (.array, _), (.object, _): false
        }
    }
}

// MARK: - Foundation and text

extension JSONValue {
    /// Parses JSON text in UTF-8, UTF-16 or UTF-32. The value at the top may be of any kind.
    ///
    /// - Throws: `JSONSyntaxError`, with the position at which the text is no longer JSON.
    public init(parsing data: Data) throws(JSONSyntaxError) {
        try self.init(parsing: data, BodyEncoding(of: data, charset: nil))
    }

    /// Parses JSON text in an encoding.
    package init(parsing data: Data, _ encoding: BodyEncoding) throws(JSONSyntaxError) {
        let text = try Self.utf8(of: data, encoding)
        self = try text.withUnsafeBytes { text in
            Result { () throws(JSONSyntaxError) in try JSONParser.value(of: text) }
        }.get()
    }

    /// Returns JSON text in UTF-8, checked without making values.
    package static func checkedUTF8(of data: Data, _ encoding: BodyEncoding) throws(JSONSyntaxError) -> Data {
        let text = try utf8(of: data, encoding)
        try text.withUnsafeBytes { text in
            Result { () throws(JSONSyntaxError) in try JSONParser.check(text) }
        }.get()
        return text
    }

    /// Converts JSON text to UTF-8. Text that is already in UTF-8 is returned unchecked.
    package static func utf8(of data: Data, _ encoding: BodyEncoding) throws(JSONSyntaxError) -> Data {
        if encoding == .utf8 { return data }
        guard let text = encoding.text(of: data) else {
            throw JSONSyntaxError(reason: "bytes that are not text in their encoding", offset: 0)
        }
        return Data(text.utf8)
    }

    /// The value in the types of `JSONSerialization`: dictionaries, arrays, strings, numbers and `NSNull`. If the names
    /// of two members are canonically equivalent, the dictionary contains one of the members.
    public var foundationObject: any Sendable {
        switch self {
        case .null: NSNull()
        case .bool(let value): value
        case .integer(let value): value
        case .number(let value): value.foundationObject
        case .string(let value): value
        case .array(let elements): elements.map(\.foundationObject)
        case .object(let members):
            Dictionary(members.map { ($0.key, $0.value.foundationObject) }) { first, _ in first }
        }
    }
}

// MARK: - Literals

/// `["id": 17, "price": 9.5, "tags": ["new"], "note": nil, "paid": false]` is an object. If two members have the same
/// name, the last member counts.
extension JSONValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(JSONNumber(floatLiteral: value)) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(nilLiteral: ()) { self = .null }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var members = JSONObject()
        for (name, value) in elements { members[name] = value }
        self = .object(members)
    }
}

extension JSONValue: CustomStringConvertible {
    /// Compact JSON text for a log, without the values of members with secret names at any depth. `jsonText` includes
    /// them.
    public var description: String { redacted.jsonText }

    /// Compact JSON text of the value, with the members of objects sorted by name. A number that is not finite, which
    /// JSON cannot express, is written as `null`.
    public var jsonText: String { JSONText.text(of: self) }

    /// The value without the values of members with secret names, at any depth.
    package var redacted: JSONValue {
        switch self {
        case .object(let members):
            .object(
                members.reduce(into: JSONObject()) { kept, member in
                    let isSecret = Redaction.isSecret(member.key)
                    kept[member.key] = isSecret ? .string(Redaction.placeholder) : member.value.redacted
                })
        case .array(let elements): .array(elements.map(\.redacted))
        case .null, .bool, .integer, .number, .string: self
        }
    }
}

extension JSONValue {
    /// Returns the value without nulls at any depth: members of objects and elements of arrays, like AFNetworking's
    /// `AFJSONObjectByRemovingKeysWithNullValues`. A value that is itself null is unchanged.
    ///
    /// - Parameters:
    ///   - fromObjects: whether members of objects are removed. Default true.
    ///   - fromArrays: whether elements of arrays are removed, which changes the indices of later elements. Default
    ///     true.
    public func removingNulls(fromObjects: Bool = true, fromArrays: Bool = true) -> JSONValue {
        func cleaned(_ value: JSONValue) -> JSONValue {
            value.removingNulls(fromObjects: fromObjects, fromArrays: fromArrays)
        }
        return switch self {
        case .object(let members):
            .object(members.filter { !fromObjects || $0.value != .null }.mapValues(cleaned))
        case .array(let elements): .array(elements.filter { !fromArrays || $0 != .null }.map(cleaned))
        case .null, .bool, .integer, .number, .string: self
        }
    }
}

// MARK: - Codable

extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(JSONNumber(value, exactly: try? container.decode(Decimal.self)))
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(JSONObject(try container.decode([String: JSONValue].self)))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try value.encode(to: &container)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value):
            try container.encode(Dictionary(value.map { ($0.key, $0.value) }) { first, _ in first })
        }
    }
}

// No number type of Foundation keeps the text, so a number is coded in the type that loses no digits, if there is one.
extension JSONNumber {
    /// - Parameter decimal: the same number with up to 38 digits, if the decoder supports them.
    fileprivate init(_ value: Double, exactly decimal: Decimal?) {
        self.init(value)
        guard let decimal, let exact = JSONNumber(decimal.description), exact.double == value else { return }
        if exact != self { self = exact }
    }

    fileprivate func encode(to container: inout any SingleValueEncodingContainer) throws {
        if let whole = UInt64(text) { return try container.encode(whole) }
        guard JSONNumber(double) != self, let decimal = Decimal(string: text), JSONNumber(decimal.description) == self
        else { return try container.encode(double) }
        try container.encode(decimal)
    }

    fileprivate var foundationObject: any Sendable { UInt64(text).map { $0 as any Sendable } ?? double }
}
