// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension HeaderFields {
    /// One header field: a name and its value.
    public struct Field: Sendable, Codable {
        /// The name, in the spelling in which it is sent or arrived.
        public let name: String
        /// The value.
        public let value: String

        /// Makes a field. Neither name nor value is checked; see ``HeaderFields``.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// Whether this is the field's name; case does not matter.
        public func hasName(_ name: String) -> Bool { FieldSyntax.isSameName(self.name, name) }

        /// The name as fields are looked up by it.
        package var nameKey: ByteString { ByteString(name.lowercasedASCII) }
    }
}

extension HeaderFields.Field: Hashable {
    /// Whether both have the same value, and names that differ only in case.
    public static func == (first: Self, second: Self) -> Bool {
        first.hasName(second.name) && FieldSyntax.isSameText(first.value, second.value)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in name.utf8 { hasher.combine(FieldSyntax.lowercase(byte)) }
        hasher.combine(value)
    }
}

extension HeaderFields.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `Name: value`, without the value when it is a secret.
    public var description: String { "\(name): \(shownValue)" }

    /// The `description`.
    public var debugDescription: String { description }

    /// Name and value, without the value when it is a secret.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "value": shownValue]) }

    private var shownValue: String { Redaction.isSecret(name) ? Redaction.placeholder : value }
}
