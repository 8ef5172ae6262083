// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

package import Foundation

/// A name of a form and its value, before escaping.
package struct FormField: Equatable {
    /// A value that a form can contain.
    package enum Value: Equatable {
        /// `NSNull` or nil.
        case nothing
        case text(String)
        case data(Data)
    }

    package let name: String
    package let value: Value

    package init(name: String, value: Value) {
        self.name = name
        self.value = value
    }
}

/// Converts nested parameters to the flat list of names and values of a query or a form. It escapes nothing.
package struct FormFields {
    /// Whether `Data` may be a value. A multipart form contains data unchanged; a query cannot contain data.
    private let allowsData: Bool
    private var fields: [FormField] = []

    private init(allowsData: Bool) { self.allowsData = allowsData }

    /// Returns the parameters in the order in which they are sent.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest`, which names the parameter that cannot be encoded.
    package static func flat(_ parameters: Parameters, allowsData: Bool = false) throws(NetworkingError) -> [FormField]
    {
        try flat(parameters.map { ($0.key, $0.value) }, allowsData: allowsData)
    }

    /// Returns the members in the order in which they are sent.
    ///
    /// - Throws: `NetworkingError` with `invalidRequest`, which names the parameter that cannot be encoded.
    package static func flat(_ members: JSONObject) throws(NetworkingError) -> [FormField] {
        try flat(members.map { ($0.key, $0.value) }, allowsData: false)
    }

    private static func flat(
        _ members: [(key: String, value: any Sendable)], allowsData: Bool
    ) throws(NetworkingError) -> [FormField] {
        var list = FormFields(allowsData: allowsData)
        try ParameterPath.naming {
            for (key, value) in sorted(members) {
                try ParameterPath.at("." + key) { try list.append(value, named: key, depth: 1) }
            }
        }
        return list.fields
    }

    private static func sorted<Value>(_ members: [(key: String, value: Value)]) -> [(key: String, value: Value)] {
        members.sorted { ByteString($0.key) < ByteString($1.key) }
    }

    private mutating func append(_ value: Any, named name: String, depth: Int) throws {
        switch try ParameterPath.kind(of: value, depth: depth) {
        case .null: append(.nothing, name)
        case .bool(let value): append(.text(value ? "1" : "0"), name)
        case .number(let text), .text(let text): append(.text(text), name)
        case .date: throw ParameterPath.fault(ParameterValue.dateAdvice)
        case .data(let data):
            guard allowsData else { throw ParameterPath.fault(ParameterValue.dataAdvice) }
            append(.data(data), name)
        case .dictionary(let members):
            for (key, value) in Self.sorted(members) {
                try ParameterPath.at("." + key) { try append(value, named: "\(name)[\(key)]", depth: depth + 1) }
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                try ParameterPath.at("[\(index)]") { try append(element, named: name + "[]", depth: depth + 1) }
            }
        case .set(let elements): fields += try sorted(elements, named: name, depth: depth)
        }
    }

    private mutating func append(_ value: FormField.Value, _ name: String) {
        fields.append(FormField(name: name, value: value))
    }

    /// Returns the fields of a set. Its elements have no order, so they are sorted by their text.
    private func sorted(_ elements: [Any], named name: String, depth: Int) throws -> [FormField] {
        var groups: [[FormField]] = []
        for element in elements {
            var group = FormFields(allowsData: allowsData)
            try ParameterPath.at("{}") { try group.append(element, named: name, depth: depth + 1) }
            groups.append(group.fields)
        }
        return groups.sorted { $0.lexicographicallyPrecedes($1, by: Self.precedes) }.flatMap { $0 }
    }

    private static func precedes(_ first: FormField, _ second: FormField) -> Bool {
        let (firstName, secondName) = (ByteString(first.name), ByteString(second.name))
        if firstName != secondName { return firstName < secondName }
        return first.value.bytes.lexicographicallyPrecedes(second.value.bytes)
    }
}

extension FormField.Value {
    /// The value as the bytes of a multipart part.
    package var bytes: Data {
        switch self {
        case .nothing: Data()
        case .text(let text): Data(text.utf8)
        case .data(let data): data
        }
    }
}
