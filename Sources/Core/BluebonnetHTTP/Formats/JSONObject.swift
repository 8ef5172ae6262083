// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The members of a JSON object, by name.
///
/// Two names are the same when they have the same bytes in UTF-8, as they are for other readers of JSON. Keys of a
/// Swift dictionary are the same when they are canonically equivalent, so that one of two members could be lost there.
public struct JSONObject: Sendable, Hashable {
    private var members: [ByteString: JSONValue] = [:]

    /// Makes an object without members.
    public init() {}

    /// Makes an object of a dictionary's members.
    public init(_ dictionary: [String: JSONValue]) {
        for (name, value) in dictionary { members[ByteString(name)] = value }
    }

    private init(_ members: [ByteString: JSONValue]) { self.members = members }

    /// The member with this name; nil when there is none. Setting nil removes it.
    public subscript(name: String) -> JSONValue? {
        get { members[ByteString(name)] }
        set { members[ByteString(name)] = newValue }
    }

    /// Sets a member.
    ///
    /// - Returns: the value that it had; nil for a new member.
    @discardableResult
    public mutating func updateValue(_ value: JSONValue, forKey name: String) -> JSONValue? {
        members.updateValue(value, forKey: ByteString(name))
    }

    /// The names, in the order of their bytes.
    public var names: [String] { members.keys.sorted().map(\.string) }

    /// The members in the order of their names' bytes.
    package var sorted: [Element] {
        members.sorted { $0.key < $1.key }.map { (key: $0.key.string, value: $0.value) }
    }

    /// Makes room for this many members.
    mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }
}

extension JSONObject {
    /// The object with each value replaced by what `transform` makes of it.
    public func mapValues(_ transform: (JSONValue) throws -> JSONValue) rethrows -> JSONObject {
        JSONObject(try members.mapValues(transform))
    }

    /// The object with those members only for which the closure returns true.
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> JSONObject {
        JSONObject(try members.filter { try isIncluded((key: $0.key.string, value: $0.value)) })
    }
}

extension JSONObject: Sequence {
    /// A member.
    public typealias Element = (key: String, value: JSONValue)

    /// Iterates over the members in no particular order.
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
    /// Makes an object of a literal's members; of two with one name the later counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (name, value) in elements { members[ByteString(name)] = value }
    }
}

extension JSONObject: CustomStringConvertible {
    /// Compact JSON text for a log, as `JSONValue.description`: without the values of secrets.
    public var description: String { JSONValue.object(self).description }
}

/// The members of a JSON object, of several types, for instance of a literal with variables. Their names stay as they
/// are, as in a `JSONValue`, whatever the encoder does with the names of properties.
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
