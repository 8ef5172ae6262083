// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The header fields of a request or of a response, in order, including repeated names.
///
/// ```swift
/// var headers: HeaderFields = ["Accept": "text/html", "X-Request-ID": "42"]
/// headers["accept-language"] = "en"                        // names are compared without regard to case
/// headers["X-Request-ID"] = nil                            // removes the field
/// headers.add(name: "Link", value: "</style.css>; rel=preload")
/// for cookie in operation.responseHeaders.values(for: "Set-Cookie") { print(cookie) }
/// ```
///
/// A collection of its fields. Two collections are equal if they have the same fields; the case of names and the order
/// of fields with different names are ignored. Names and values are not checked here: an operation whose request has a
/// field that cannot be sent fails with `NetworkingError.Code.invalidRequest`.
public struct HeaderFields: Sendable {
    private enum Storage: Sendable {
        case list([Field])
        /// The fields as received: bytes, which become text on access.
        case block(FieldBlock)
    }

    private var storage: Storage

    private init(_ storage: Storage) { self.storage = storage }

    /// Makes an empty collection.
    public init() { self.init(.list([])) }

    /// Makes a collection of the given fields, including repeated names.
    public init(_ fields: [Field]) { self.init(.list(fields)) }

    /// Makes a collection of pairs of name and value, including repeated names.
    public init(_ pairs: [(name: String, value: String)]) {
        self.init(pairs.map { Field(name: $0.name, value: $0.value) })
    }

    /// Makes a collection of pairs of name and value, including repeated names: `HeaderFields(zip(names, values))`.
    public init(_ pairs: some Sequence<(String, String)>) {
        self.init(pairs.map { Field(name: $0.0, value: $0.1) })
    }

    /// Makes a collection from a dictionary, sorted by name. Names that differ only in case become repeated names.
    public init(_ dictionary: [String: String]) {
        self.init(dictionary.map { Field(name: $0.key, value: $0.value) }.sorted { $0.name < $1.name })
    }

    /// Makes a collection from the fields of a received head.
    package init(_ block: FieldBlock) { self.init(.block(block)) }

    /// The fields as received; nil for a collection that was made or changed in another way.
    package var block: FieldBlock? { if case .block(let block) = storage { block } else { nil } }

    /// The fields in order.
    package var fields: [Field] {
        switch storage {
        case .list(let fields): fields
        case .block(let block): block.fields
        }
    }
}

// MARK: - By name

extension HeaderFields {
    /// The value of the field with that name; nil if there is none.
    ///
    /// The values of a repeated field are joined by ", " (RFC 9110, 5.3), and the values of `Cookie` by "; " (RFC 9113,
    /// 8.2.3). `Set-Cookie` cannot be read this way, because its values may contain commas: use `values(for:)`. Setting
    /// a value replaces the first field with that name and removes the others; setting nil removes all.
    public subscript(name: String) -> String? {
        get {
            if case .list(let fields) = storage {
                guard let first = fields.firstIndex(named: name) else { return nil }
                if fields.firstIndex(named: name, from: first + 1) == nil { return fields[first].value }
            }
            let values = values(for: name)
            return values.count < 2 ? values.first : values.joined(separator: Self.separator(of: name))
        }
        set { replace(name, newValue) }
    }

    /// Returns the values of all fields with that name, in order.
    public func values(for name: String) -> [String] {
        switch storage {
        case .block(let block): return block.values(for: name)
        case .list(let fields):
            var values: [String] = []
            for field in fields where field.hasName(name) { values.append(field.value) }
            return values
        }
    }

    /// Returns whether there is a field with that name.
    public func contains(name: String) -> Bool {
        switch storage {
        case .list(let fields): fields.containsName(name)
        case .block(let block): block.hasField(named: name)
        }
    }

    /// The name of the field by which a server recognizes a request that it has already processed.
    package static let idempotencyKeyName = "Idempotency-Key"

    /// Whether a server could recognize the request. A blank key identifies nothing.
    package var hasIdempotencyKey: Bool {
        values(for: Self.idempotencyKeyName).contains { !FieldSyntax.isBlank($0) }
    }

    /// Whether there may be a field about a server's rate limit.
    package var mayTellRateLimit: Bool {
        switch storage {
        case .block(let block): block.mayTellRateLimit
        case .list(let fields):
            fields.contains {
                FieldSyntax.begins($0.name, with: "ratelimit") || FieldSyntax.begins($0.name, with: "x-ratelimit")
            }
        }
    }

    /// Adds a field after the other fields, even if a field with that name exists.
    public mutating func add(name: String, value: String) { add(Field(name: name, value: value)) }

    /// Adds a field after the other fields, even if a field with its name exists.
    public mutating func add(_ field: Field) { change { $0.append(field) } }

    /// Removes the fields for which the closure returns true.
    public mutating func removeAll(where shouldBeRemoved: (Field) throws -> Bool) rethrows {
        let kept = try fields.filter { try !shouldBeRemoved($0) }
        storage = .list(kept)
    }

    /// The fields by name, as in Foundation: repeated fields are joined, in the spelling of the first field.
    public var dictionary: [String: String] {
        Dictionary(combined.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// The fields. Repeated fields are joined at the position and in the spelling of the first field.
    package var combined: [Field] {
        let fields = fields
        guard fields.hasRepeatedNames else { return fields }
        var places: [ByteString: Int] = [:]
        var combined: [Field] = []
        for field in fields {
            let name = field.nameKey
            guard let place = places[name] else {
                places[name] = combined.count
                combined.append(field)
                continue
            }
            let value = combined[place].value + Self.separator(of: field.name) + field.value
            combined[place] = Field(name: combined[place].name, value: value)
        }
        return combined
    }

    private static func separator(of name: String) -> String {
        FieldSyntax.isSameName(name, "Cookie") ? "; " : ", "
    }

    private mutating func replace(_ name: String, _ value: String?) {
        change { fields in
            guard let first = fields.firstIndex(named: name) else {
                if let value { fields.append(Field(name: name, value: value)) }
                return
            }
            let next = value == nil ? first : first + 1
            if let value { fields[first] = Field(name: name, value: value) }
            fields[next...].removeAll { $0.hasName(name) }
        }
    }

    /// Removes the list from the storage during the change, so that the list is not copied.
    private mutating func change(_ body: (inout [Field]) -> Void) {
        var fields = fields
        storage = .list([])
        body(&fields)
        storage = .list(fields)
    }
}

// MARK: - As a collection

extension HeaderFields: RandomAccessCollection {
    public var startIndex: Int { 0 }

    public var endIndex: Int {
        switch storage {
        case .list(let fields): fields.count
        case .block(let block): block.count
        }
    }

    public subscript(position: Int) -> Field {
        switch storage {
        case .list(let fields): fields[position]
        case .block(let block): block.field(at: position)
        }
    }
}

extension HeaderFields: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    /// Makes a collection of the pairs of a literal, including repeated names.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { Field(name: $0.0, value: $0.1) })
    }

    /// Makes a collection of the fields of a literal, including repeated names.
    public init(arrayLiteral elements: Field...) { self.init(elements) }
}

extension HeaderFields: Hashable {
    public static func == (first: HeaderFields, second: HeaderFields) -> Bool {
        let (first, second) = (first.fields, second.fields)
        guard first.count == second.count else { return false }
        return first == second || first.valuesByName == second.valuesByName
    }

    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for field in fields { sum &+= field.hashValue }  // independent of the order
        hasher.combine(sum)
    }
}

extension HeaderFields: Codable {
    /// Decodes an array of objects with the members `name` and `value`.
    public init(from decoder: any Decoder) throws { self.init(try [Field](from: decoder)) }

    /// Encodes an array of objects with the members `name` and `value`, including secrets.
    public func encode(to encoder: any Encoder) throws { try fields.encode(to: encoder) }
}

extension HeaderFields: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The fields for people, without the values of fields whose names say that they contain secrets, such as
    /// `Authorization`, `Cookie` and `X-API-Key`.
    public var description: String { "[" + fields.map(\.description).joined(separator: ", ") + "]" }

    /// The `description`.
    public var debugDescription: String { description }

    /// The fields, whose mirrors show no secrets.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: fields, displayStyle: .collection) }
}

extension [HeaderFields.Field] {
    /// Returns whether there is a field with that name.
    package func containsName(_ name: String) -> Bool { firstIndex(named: name) != nil }

    /// Returns the index of the first field with that name, from a position. Reads the fields in place: a copy of a
    /// field retains two strings, and the fields of a request are looked through several times (benchmark `mixed`).
    fileprivate func firstIndex(named name: String, from start: Int = 0) -> Int? {
        withUnsafeBufferPointer { fields in
            var index = start
            while index < fields.count {
                if FieldSyntax.isSameName(fields[index].name, name) { return index }
                index += 1
            }
            return nil
        }
    }

    /// Whether a name occurs twice. Most heads have few fields, so comparing every pair is faster than storing the
    /// names.
    fileprivate var hasRepeatedNames: Bool {
        guard count < 50 else { return true }  // perhaps; a wrong answer only costs time
        return indices.contains { index in self[(index + 1)...].contains { $0.hasName(self[index].name) } }
    }

    fileprivate var valuesByName: [ByteString: [ByteString]] {
        Dictionary(grouping: self) { $0.nameKey }.mapValues { $0.map { ByteString($0.value) } }
    }

    /// Returns whether the fields would be written identically: in the same order and the same spelling.
    package func isWrittenLike(_ other: [HeaderFields.Field]) -> Bool {
        guard count == other.count else { return false }
        let isSameArray = withUnsafeBufferPointer { mine in
            other.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress }
        }
        if isSameArray { return true }
        return zip(self, other).allSatisfy { first, second in
            FieldSyntax.isSameText(first.name, second.name) && FieldSyntax.isSameText(first.value, second.value)
        }
    }
}
