// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The form of a value in a JSON text.
protocol JSONRepresentable {
    var jsonValue: JSONValue { get }
}

/// A part of a request line. It is read from a field and written as a value in one way only, which `Codable` shares.
protocol FieldCodable: Codable, JSONRepresentable {
    init(_ field: StrictField) throws(RequestLineError)
}

extension FieldCodable {
    /// Reads the value as strictly as a request line is read.
    public init(from decoder: any Decoder) throws {
        let value = try JSONValue(from: decoder)
        do throws(RequestLineError) {
            try self.init(StrictField(value: value, path: .top))
        } catch {
            let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: error.description)
            throw DecodingError.dataCorrupted(context)
        }
    }

    /// Writes an object without the members that have their default.
    public func encode(to encoder: any Encoder) throws {
        try jsonValue.encode(to: encoder)
    }
}

/// Collects the members of an object that is written.
struct MemberList<Name: RawRepresentable<String>>: JSONRepresentable {
    private(set) var members = JSONObject()

    var jsonValue: JSONValue { .object(members) }

    /// Sets a member, unless there is no value.
    mutating func set(_ name: Name, _ value: (some JSONRepresentable)?) {
        if let value { members[name.rawValue] = value.jsonValue }
    }

    /// Sets a member, unless it has its default.
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
