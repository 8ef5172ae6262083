// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The members of a JSON object, by name.
///
/// Names are equal if their UTF-8 bytes are equal, as in other JSON parsers. A Swift dictionary also treats canonically
/// equivalent names as equal, such as "é" and "e" with a combining accent, and would lose one of the two members.
public struct JSONObject: Sendable, Hashable {
    private var members: [ByteString: JSONValue] = [:]

    /// Makes an object without members.
    public init() {}

    /// Makes an object from a dictionary's members.
    public init(_ dictionary: [String: JSONValue]) {
        for (name, value) in dictionary { members[ByteString(name)] = value }
    }

    private init(_ members: [ByteString: JSONValue]) { self.members = members }

    /// The member with this name; nil if there is none. Setting nil removes the member.
    public subscript(name: String) -> JSONValue? {
        get { members[ByteString(name)] }
        set { members[ByteString(name)] = newValue }
    }

    /// Sets a member.
    ///
    /// - Returns: the previous value; nil for a new member.
    @discardableResult
    public mutating func updateValue(_ value: JSONValue, forKey name: String) -> JSONValue? {
        members.updateValue(value, forKey: ByteString(name))
    }

    /// The names, sorted by their bytes.
    public var names: [String] { members.keys.sorted().map(\.string) }

    /// The members, sorted by the bytes of their names.
    package var sorted: [Element] {
        members.sorted { $0.key < $1.key }.map { (key: $0.key.string, value: $0.value) }
    }

    mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }
}

extension JSONObject {
    /// Returns the object with each value replaced by the result of `transform`.
    public func mapValues(_ transform: (JSONValue) throws -> JSONValue) rethrows -> JSONObject {
        JSONObject(try members.mapValues(transform))
    }

    /// Returns the object with only the members for which the closure returns true.
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> JSONObject {
        JSONObject(try members.filter { try isIncluded((key: $0.key.string, value: $0.value)) })
    }
}

extension JSONObject: Sequence {
    /// A member.
    public typealias Element = (key: String, value: JSONValue)

    /// Iterates over the members in unspecified order.
    public struct Iterator: IteratorProtocol {
        fileprivate var members: Dictionary<ByteString, JSONValue>.Iterator

        public mutating func next() -> Element? { members.next().map { (key: $0.key.string, value: $0.value) } }
    }

    public func makeIterator() -> Iterator { Iterator(members: members.makeIterator()) }

    /// The number of members.
    public var count: Int { members.count }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    public var underestimatedCount: Int { members.count }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Makes an object from a literal. If two members have the same name, the later member replaces the earlier one.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (name, value) in elements { members[ByteString(name)] = value }
    }
}

extension JSONObject: CustomStringConvertible {
    /// Compact JSON text for a log, without the values of secrets: see `JSONValue.description`.
    public var description: String { JSONValue.object(self).description }
}

/// The members of a JSON object whose values have different types, as in a literal that contains variables. Names are
/// written unchanged, even if the encoder has a key encoding strategy such as `convertToSnakeCase`.
package struct JSONMembers: Encodable, Sendable {
    private struct Member: Encodable, Sendable {
        let value: (any Encodable & Sendable)?

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if let value { try container.encode(value) } else { try container.encodeNil() }
        }
    }

    private let members: [String: Member]

    package init(_ members: [String: (any Encodable & Sendable)?]) {
        self.members = members.mapValues { Member(value: $0) }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(members)
    }
}
