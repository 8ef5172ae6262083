// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

public import Foundation

/// A value of a property list as a Swift value that may cross threads.
public enum PropertyListValue: Sendable, Hashable {
    case bool(Bool)
    /// A whole number that fits into 64 bits with a sign.
    case integer(Int64)
    /// Any other number.
    case real(Double)
    case string(String)
    case date(Date)
    case data(Data)
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])
}

// MARK: - Reading

extension PropertyListValue {
    /// The member of a dictionary with this key; nil if there is none.
    public subscript(key: String) -> PropertyListValue? {
        if case .dictionary(let members) = self { members[key] } else { nil }
    }

    /// The element of an array at this index; nil if there is none.
    public subscript(index: Int) -> PropertyListValue? {
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

    /// The value in the types of `PropertyListSerialization`: dictionaries, arrays, strings, numbers, dates and data.
    public var foundationObject: any Sendable {
        switch self {
        case .bool(let value): value
        case .integer(let value): value
        case .real(let value): value
        case .string(let value): value
        case .date(let value): value
        case .data(let value): value
        case .array(let elements): elements.map(\.foundationObject)
        case .dictionary(let members): members.mapValues(\.foundationObject)
        }
    }
}

// MARK: - Parsing

extension PropertyListValue {
    /// Parses a property list in the XML or the binary format. The value at the top may be of any kind.
    ///
    /// The old text format, in which any word is a string, is refused, although Foundation accepts it. Arrays and
    /// dictionaries nested deeper than 512 are refused. Binary lists with more values than bytes are refused too: by
    /// referring to one array again and again, a few bytes could make an endless list.
    ///
    /// - Throws: `PropertyListSyntaxError`.
    public init(parsing data: Data) throws(PropertyListSyntaxError) {
        if data.starts(with: BinaryPropertyList.magic) {
            self = try BinaryPropertyList.value(of: data)
            return
        }
        guard !data.isEmpty else { throw PropertyListSyntaxError("it is empty") }
        var format = PropertyListSerialization.PropertyListFormat.xml
        let object: Any
        do {
            object = try PropertyListSerialization.propertyList(from: data, options: [], format: &format)
        } catch {
            throw PropertyListSyntaxError("it is neither XML nor binary")
        }
        guard format == .xml else { throw PropertyListSyntaxError("it is neither XML nor binary") }
        self = try Self.value(of: object)
    }

    /// Converts a value of Foundation's tree, whose depth `PropertyListSerialization` limits to 512.
    private static func value(of object: Any) throws(PropertyListSyntaxError) -> PropertyListValue {
        if type(of: object) is NSNumber.Type, let number = object as? NSNumber { return value(of: number) }
        switch object {
        case let text as String: return .string(text)
        case let value as Bool: return .bool(value)
        case let number as NSNumber: return value(of: number)
        case let date as Date: return .date(date)
        case let data as Data: return .data(data)
        case let elements as [Any]:
            var values: [PropertyListValue] = []
            for element in elements { values.append(try value(of: element)) }
            return .array(values)
        case let members as [String: Any]:
            var values: [String: PropertyListValue] = [:]
            for (key, member) in members { values[key] = try value(of: member) }
            return .dictionary(values)
        default: throw PropertyListSyntaxError("it has a \(type(of: object)), which is not a property list value")
        }
    }

    private static func value(of number: NSNumber) -> PropertyListValue {
        // Foundation has one object for true and one for false.
        if number === NSNumber(value: number.boolValue) { return .bool(number.boolValue) }
        let isFloating = "fd".utf8.contains(UInt8(bitPattern: number.objCType.pointee))
        if !isFloating, let integer = Int64(number.stringValue) { return .integer(integer) }
        return .real(number.doubleValue)
    }
}

/// The reason why bytes are not a property list.
public struct PropertyListSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The violation, as a sentence without a full stop.
    public let reason: String

    package init(_ reason: String) { self.reason = reason }

    public var description: String { reason }
}
