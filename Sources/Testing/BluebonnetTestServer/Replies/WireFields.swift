// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Header fields in the order and spelling in which they are, or were, on the wire.
public struct WireFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// One line of a header.
    public struct Field: Sendable, Equatable {
        /// The name, as sent.
        public var name: String
        /// The value, without the white space around it.
        public var value: String
    }

    /// Every field, in order, duplicates included.
    public var fields: [Field]

    /// Makes a list from pairs of name and value.
    public init(_ pairs: [(String, String)] = []) {
        fields = pairs.map { Field(name: $0.0, value: $0.1) }
    }

    /// Makes a list from a literal, keeping order and duplicates.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements)
    }

    /// The names, in order, as sent.
    public var names: [String] { fields.map(\.name) }

    /// The first value of that name, in any case.
    public subscript(name: String) -> String? { values(named: name).first }

    /// All values of that name, in any case, in order.
    public func values(named name: String) -> [String] {
        let wanted = name.lowercased()
        return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
    }

    /// The lines as they go on the wire, each with its end of line.
    var wireFormat: String {
        fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    }
}
