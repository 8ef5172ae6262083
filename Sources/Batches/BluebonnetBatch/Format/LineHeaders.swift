// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

/// The headers of a response as a result line writes them: names in lower case, each once, in order of arrival.
///
/// Repeated headers are joined by `, `, except `set-cookie`, which is always a list, because its values may contain
/// commas. Equality compares names and values, not the order of the names.
struct LineHeaders: Sendable {
    /// One name with its values. Only `set-cookie` has more than one value.
    struct Field: Sendable {
        /// The name in lower case.
        let name: String
        /// The values: all values of `set-cookie`; for other names one, in which repeated headers are joined.
        fileprivate(set) var values: [String]
    }

    /// The headers as they arrived.
    let headers: HeaderFields

    init(_ headers: HeaderFields) { self.headers = headers }

    /// The header block, if it can be written as it arrived: ASCII only, no name repeated, no `set-cookie`. Else nil.
    var plainBlock: FieldBlock? {
        guard let block = headers.block, block.isASCII, !block.hasRepeatedNames, !block.hasField("set-cookie") else {
            return nil
        }
        return block
    }

    /// The headers in the order in which their names first arrived.
    var fields: [Field] {
        var fields: [Field] = []
        var places = Places()
        fields.reserveCapacity(headers.count)
        for header in headers {
            let name = header.name.lowercasedASCII
            if let index = places.index(of: name, in: fields) {
                fields[index].add(header.value)
            } else {
                fields.append(Field(name: name, values: [header.value]))
            }
        }
        return fields
    }

    /// Finds fields by name. Most responses have so few fields that a linear search is faster than a table.
    private struct Places {
        private static let fewCount = 32
        private var indices: [ByteString: Int] = [:]

        mutating func index(of name: String, in fields: [Field]) -> Int? {
            guard fields.count > Self.fewCount else {
                return fields.firstIndex { FieldSyntax.isSameText($0.name, name) }
            }
            for index in indices.count..<fields.count { indices[ByteString(fields[index].name)] = index }
            return indices[ByteString(name)]
        }
    }

    private var valuesByName: [ByteString: [ByteString]] {
        Dictionary(fields.map { (ByteString($0.name), $0.values.map(ByteString.init)) }) { first, _ in first }
    }
}

extension LineHeaders.Field {
    /// Whether the value is written as an array.
    var isList: Bool { name == "set-cookie" }

    /// Adds the value of a repeated header.
    fileprivate mutating func add(_ value: String) {
        if isList { values.append(value) } else { values[0] += ", \(value)" }
    }
}

extension LineHeaders: Hashable {
    static func == (first: Self, second: Self) -> Bool {
        first.valuesByName == second.valuesByName
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(valuesByName)
    }
}

extension LineHeaders: Codable {
    /// Reads an object. The order of its members is lost.
    init(from decoder: any Decoder) throws {
        let members = try [String: JSONValue](from: decoder)
        var headers = HeaderFields()
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            let values = [member.string].compactMap(\.self) + (member.array ?? []).compactMap(\.string)
            guard values.count == member.array?.count ?? 1 else {
                let problem = "the header \(name) is neither a string nor an array of strings"
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: problem))
            }
            for value in values { headers.add(name: name, value: value) }
        }
        self.init(headers)
    }

    func encode(to encoder: any Encoder) throws {
        var members = JSONObject()
        for field in fields {
            members[field.name] = field.isList ? field.values.jsonValue : .string(field.values.joined(separator: ", "))
        }
        try JSONValue.object(members).encode(to: encoder)
    }
}
