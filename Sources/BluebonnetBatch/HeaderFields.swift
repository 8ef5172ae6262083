// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Bluebonnet

extension ResultLine {
    /// The headers of a response, as a result line shows them: names in lower case, each once, in order of arrival.
    ///
    /// Repeated headers are joined by `, `, except `set-cookie`, which is always a list, because its values may hold
    /// commas. Equality does not look at the order of the names.
    public struct HeaderFields: Sendable {
        /// One name with its values: several for `set-cookie` only.
        public struct Field: Sendable, Hashable {
            /// The name in lower case.
            public let name: String
            /// The values: one, joined where the header was repeated, or those of `set-cookie`.
            public fileprivate(set) var values: [String]
        }

        private enum Storage {
            case fields([Field])
            /// As it arrived: names that come once each, none of which is a list, and nothing but ASCII.
            case block(FieldBlock)
        }

        private let storage: Storage

        /// The headers in the order in which their names first arrived.
        public var fields: [Field] {
            switch storage {
            case .fields(let fields): fields
            case .block(let block): Self.collected(block.fields)
            }
        }

        /// The headers as they arrived, where nothing has to be joined to show them.
        var plainBlock: FieldBlock? {
            if case .block(let block) = storage { block } else { nil }
        }

        /// Collects headers as they arrived.
        public init(_ headers: [(name: String, value: String)]) {
            storage = .fields(Self.collected(headers))
        }

        init(_ block: FieldBlock) {
            let isPlain = block.isASCII && !block.hasRepeatedNames && !block.hasField("set-cookie")
            storage = isPlain ? .block(block) : .fields(Self.collected(block.fields))
        }

        private static func collected(_ headers: [(name: String, value: String)]) -> [Field] {
            var fields: [Field] = []
            var places = Places()
            fields.reserveCapacity(headers.count)
            for header in headers {
                let name = header.name.lowercased()
                if let index = places.index(of: name, in: fields) {
                    fields[index].add(header.value)
                } else {
                    fields.append(Field(name: name, values: [header.value]))
                }
            }
            return fields
        }

        /// Finds fields by their names: most responses have so few that looking at each is quicker than a table.
        private struct Places {
            private static let fewCount = 32
            private var indices: [String: Int] = [:]

            mutating func index(of name: String, in fields: [Field]) -> Int? {
                guard fields.count > Self.fewCount else { return fields.firstIndex { $0.name == name } }
                for index in indices.count..<fields.count { indices[fields[index].name] = index }
                return indices[name]
            }
        }

        /// The value of the header, whatever the case of `name`; the values of `set-cookie` are joined too.
        public subscript(name: String) -> String? {
            if let plainBlock { return plainBlock.values(for: name).first }
            let name = name.lowercased()
            return fields.first { $0.name == name }?.values.joined(separator: ", ")
        }

        private var valuesByName: [String: [String]] {
            Dictionary(fields.map { ($0.name, $0.values) }) { first, _ in first }
        }
    }
}

extension ResultLine.HeaderFields.Field {
    /// Whether the value is written as an array.
    var isList: Bool { name == "set-cookie" }

    /// Adds the value of a repeated header.
    fileprivate mutating func add(_ value: String) {
        if isList { values.append(value) } else { values[0] += ", \(value)" }
    }
}

extension ResultLine.HeaderFields: Hashable {
    public static func == (first: Self, second: Self) -> Bool {
        first.valuesByName == second.valuesByName
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(valuesByName)
    }
}

extension ResultLine.HeaderFields: Codable {
    /// Reads an object; the order of its members is lost.
    public init(from decoder: any Decoder) throws {
        let members = try [String: JSONValue](from: decoder)
        var headers: [(name: String, value: String)] = []
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            let values = [member.string].compactMap(\.self) + (member.array ?? []).compactMap(\.string)
            guard values.count == member.array?.count ?? 1 else {
                let problem = "the header \(name) is neither a string nor an array of strings"
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: problem))
            }
            headers += values.map { (name, $0) }
        }
        self.init(headers)
    }

    public func encode(to encoder: any Encoder) throws {
        let members = fields.map { field in
            (field.name, field.isList ? field.values.jsonValue : .string(field.values.joined(separator: ", ")))
        }
        try JSONValue.object(Dictionary(members) { first, _ in first }).encode(to: encoder)
    }
}
