// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// A value that can be written as JSON.
protocol JSONRepresentable {
    var jsonValue: JSONValue { get }
}

/// A part of a request line with one way of reading it, from a field, and one way of writing it, as a JSON value.
/// `Codable` uses the same two.
protocol FieldCodable: Codable, JSONRepresentable {
    init(_ field: StrictField) throws(RequestLineError)
}

extension FieldCodable {
    /// Reads the value as strictly as the parser of request lines does.
    public init(from decoder: any Decoder) throws {
        let value = try JSONValue(from: decoder)
        do throws(RequestLineError) {
            try self.init(StrictField(value: value, path: .top))
        } catch {
            let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: error.description)
            throw DecodingError.dataCorrupted(context)
        }
    }

    /// Writes an object without the members that have their default value.
    public func encode(to encoder: any Encoder) throws {
        try jsonValue.encode(to: encoder)
    }
}

/// Collects the members of an object to write.
struct MemberList<Name: RawRepresentable<String>>: JSONRepresentable {
    private(set) var members = JSONObject()

    var jsonValue: JSONValue { .object(members) }

    /// Sets a member, unless the value is nil.
    mutating func set(_ name: Name, _ value: (some JSONRepresentable)?) {
        if let value { members[name.rawValue] = value.jsonValue }
    }

    /// Sets a member, unless the value is the default.
    mutating func set<Value: JSONRepresentable & Equatable>(_ name: Name, _ value: Value, unless defaultValue: Value) {
        if value != defaultValue { set(name, value) }
    }

    /// Adds the members of a group that has its own names.
    mutating func add(_ group: MemberList<some RawRepresentable<String>>) {
        for (name, value) in group.members { members[name] = value }
    }
}

extension JSONRepresentable where Self: RawRepresentable<String> {
    var jsonValue: JSONValue { .string(rawValue) }
}

extension JSONValue: JSONRepresentable {
    var jsonValue: JSONValue { self }
}

extension String: JSONRepresentable {
    var jsonValue: JSONValue { .string(self) }
}

extension Int: JSONRepresentable {
    var jsonValue: JSONValue { .integer(Int64(self)) }
}

extension Double: JSONRepresentable {
    var jsonValue: JSONValue { .number(JSONNumber(self)) }
}

extension Bool: JSONRepresentable {
    var jsonValue: JSONValue { .bool(self) }
}

extension Array: JSONRepresentable where Element: JSONRepresentable {
    var jsonValue: JSONValue { .array(map(\.jsonValue)) }
}

extension Dictionary: JSONRepresentable where Key == String, Value: JSONRepresentable {
    var jsonValue: JSONValue { .object(JSONObject(mapValues(\.jsonValue))) }
}

extension JSONObject: JSONRepresentable {
    var jsonValue: JSONValue { .object(self) }
}
