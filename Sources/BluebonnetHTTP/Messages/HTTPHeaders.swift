// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The header fields of a request, in the order they were set; a name is found without regard to case.
///
/// ```swift
/// serializer.headers["X-Request-ID"] = "42"
/// serializer.headers["accept-language"] = nil  // removes Accept-Language
/// ```
public struct HTTPHeaders: Sendable, Hashable {
    /// One name and its value, as they were set.
    public struct Field: Sendable, Hashable {
        /// The name, as it was spelled when it was set.
        public let name: String
        /// The value.
        public let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The fields, oldest first.
    public private(set) var fields: [Field] = []

    /// Makes an empty list.
    public init() {}

    /// The value of the field with that name; setting nil removes the field.
    public subscript(name: String) -> String? {
        get { index(of: name).map { fields[$0].value } }
        set { set(newValue, for: name) }
    }

    /// Removes every field whose name does not pass.
    package mutating func keep(where isKept: (String) -> Bool) {
        fields.removeAll { !isKept($0.name) }
    }

    private mutating func set(_ value: String?, for name: String) {
        let field = value.map { Field(name: name, value: $0) }
        switch (index(of: name), field) {
        case (let index?, let field?): fields[index] = field
        case (let index?, nil): fields.remove(at: index)
        case (nil, let field?): fields.append(field)
        case (nil, nil): break
        }
    }

    private func index(of name: String) -> Int? {
        fields.firstIndex { FieldSyntax.isSameName($0.name, name) }
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Makes a list from a literal; of two names that differ only in case the later value counts.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self[name] = value }
    }
}
