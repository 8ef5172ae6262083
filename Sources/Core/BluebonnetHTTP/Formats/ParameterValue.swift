// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// Named values that a request serializer encodes into a URL or a body. Values may be nested.
///
/// Values are strings, numbers, truth values, `URL`, `UUID`, `NSNull` or nil, `JSONValue`, and dictionaries and arrays
/// of such values. A key that is not a string, such as an integer, is written as its text, as in Swift's own encoders.
/// Two keys with the same text, such as `1` and `"1"`, are refused. A `Date` is refused, except in a property list:
/// servers expect different text forms of a date, so format it first. `Data` is accepted in property lists and
/// multipart forms.
public typealias Parameters = [String: any Sendable]

/// One parameter, classified into the few kinds that the encoders distinguish. It is independent of any encoding.
///
/// On Linux, a Swift integer also casts to `NSNumber`, and an `NSNumber` to `Bool`. Exact types are therefore checked
/// first, and `NSNumber` is recognised by its class.
package enum ParameterValue {
    case null
    case bool(Bool)
    /// A finite number as both a query and JSON write it: a whole number without a fraction, a number of JSON as
    /// written.
    case number(String)
    case text(String)
    /// Only property lists can contain dates.
    case date(Date)
    /// Only property lists and multipart forms can contain data.
    case data(Data)
    case dictionary([(key: String, value: Any)])
    case array([Any])
    case set([Any])

    /// The reason why a value is not a parameter, as the end of a sentence.
    package struct Unsupported: Error { let reason: String }

    package init(_ value: Any) throws(Unsupported) {
        // In the order of cost: a cast to a concrete type is cheap, a failing cast to a protocol is expensive.
        if let common = try Self.common(value) {
            self = common
        } else if let container = try Self.container(value) {
            self = container
        } else if let rare = try Self.rare(value) {
            self = rare
        } else {
            self = try Self.unwrapped(value)
        }
    }

    private static func common(_ value: Any) throws(Unsupported) -> ParameterValue? {
        if type(of: value) is NSNumber.Type, let number = value as? NSNumber { return try boxed(number) }
        return switch value {
        case let text as String: .text(text)
        case let value as Int: .number(String(value))
        case let value as Bool: .bool(value)
        case let value as Double: try floating(value)
        case let value as JSONValue: try ParameterValue(value)
        case let members as JSONObject: try ParameterValue(.object(members))
        default: nil
        }
    }

    private static func rare(_ value: Any) throws(Unsupported) -> ParameterValue? {
        switch value {
        case is NSNull: .null
        case let date as Date: .date(date)
        case let data as Data: .data(data)
        case let url as URL: .text(url.absoluteString)
        case let identifier as UUID: .text(identifier.uuidString)
        case let text as any StringProtocol: .text(String(text))
        case let value as any BinaryInteger: .number(String(describing: value))
        case let value as any BinaryFloatingPoint: try floating(value)
        case let value as Decimal: try decimal(value)
        default: nil
        }
    }

    private init(_ value: JSONValue) throws(Unsupported) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .number(String(value))
        case .number(let value):
            guard value.isFinite else { throw Unsupported(reason: "\(value) is not a finite number") }
            self = .number(value.text)
        case .string(let text): self = .text(text)
        case .array(let elements): self = .array(elements)
        case .object(let members): self = .dictionary(members.map { ($0.key, $0.value) })
        }
    }
}

// MARK: - Numbers

extension ParameterValue {
    /// Converts a number in Foundation's box. Foundation has one object for true and one for false.
    private static func boxed(_ number: NSNumber) throws(Unsupported) -> ParameterValue {
        if number === NSNumber(value: number.boolValue) { return .bool(number.boolValue) }
        if number is NSDecimalNumber { return try decimal(number.decimalValue) }
        return switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "f"): try floating(number.floatValue)
        case UInt8(ascii: "d"): try floating(number.doubleValue)
        default: .number(number.stringValue)
        }
    }

    /// Returns the shortest text that parses as the same number. A whole number has no ".0", which Swift adds and
    /// `NSNumber` does not.
    private static func floating(_ value: some BinaryFloatingPoint) throws(Unsupported) -> ParameterValue {
        guard value.isFinite else { throw Unsupported(reason: "\(value) is not a finite number") }
        let text = "\(value)"
        return .number(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }

    private static func decimal(_ value: Decimal) throws(Unsupported) -> ParameterValue {
        guard value.isFinite else { throw Unsupported(reason: "a decimal is not a finite number") }
        return .number(value.description)
    }
}

// MARK: - Containers

extension ParameterValue {
    private static func container(_ value: Any) throws(Unsupported) -> ParameterValue? {
        switch value {
        case let members as [String: Any]: .dictionary(members.map { ($0.key, $0.value) })
        case let members as [AnyHashable: Any]: .dictionary(try entries(members))
        case let elements as [Any]: .array(elements)
        case let elements as Set<AnyHashable>: .set(elements.map(\.base))
        default: nil
        }
    }

    private static func entries(_ members: [AnyHashable: Any]) throws(Unsupported) -> [(key: String, value: Any)] {
        var entries: [(key: String, value: Any)] = []
        var names: Set<ByteString> = []
        for (key, value) in members {
            let name = try name(key.base)
            guard names.insert(ByteString(name)).inserted else {
                throw Unsupported(reason: "two of its keys are written as \(JSONText.quoted(name))")
            }
            entries.append((name, value))
        }
        return entries
    }

    /// Returns the text of a dictionary's key that is not a string.
    private static func name(_ key: Any) throws(Unsupported) -> String {
        switch try ParameterValue(key) {
        case .text(let text), .number(let text): return text
        case .bool(let value): return value ? "1" : "0"
        case .null, .date, .data, .dictionary, .array, .set:
            throw Unsupported(reason: "\(type(of: key)) cannot be a key")
        }
    }

    /// Returns the parameter in an optional. Any other value is not a parameter.
    private static func unwrapped(_ value: Any) throws(Unsupported) -> ParameterValue {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { throw Unsupported(reason: advice(for: value)) }
        guard let wrapped = mirror.children.first?.value else { return .null }
        return try ParameterValue(wrapped)
    }

    private static func advice(for value: Any) -> String {
        "\(type(of: value)) is not a string, a number, a boolean, a dictionary or an array"
    }

    /// The reason why text formats refuse dates.
    static let dateAdvice = "a Date has no single text form, so format it first"
    /// The reason why text formats refuse data.
    static let dataAdvice = "Data is not text, so encode it first"
}
