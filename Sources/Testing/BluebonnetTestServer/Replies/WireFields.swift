// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Header fields with the order and spelling of the wire.
public struct WireFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// One header line.
    public struct Field: Sendable, Equatable {
        /// The name, as sent.
        public var name: String
        /// The value, without the white space around it.
        public var value: String
    }

    /// Every field in order, including duplicates.
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

    /// The first value of this name, compared without regard to case.
    public subscript(name: String) -> String? { values(named: name).first }

    /// Returns all values of this name, in order. Names are compared without regard to case.
    public func values(named name: String) -> [String] {
        let wanted = name.lowercased()
        return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
    }

    /// The lines as on the wire, each with its line end.
    var wireFormat: String {
        fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    }
}
