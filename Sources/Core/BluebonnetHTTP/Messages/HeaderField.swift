// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

extension HeaderFields {
    /// One header field: a name and its value.
    public struct Field: Sendable, Codable {
        /// The name, in the spelling in which it is sent or was received.
        public let name: String
        /// The value.
        public let value: String

        /// Makes a field. Name and value are not checked; see ``HeaderFields``.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// Returns whether the field has this name. Case is ignored.
        public func hasName(_ name: String) -> Bool { FieldSyntax.isSameName(self.name, name) }

        /// The key under which the field is looked up.
        package var nameKey: ByteString { ByteString(name.lowercasedASCII) }
    }
}

extension HeaderFields.Field: Hashable {
    /// Returns whether both fields have the same value, and names that differ at most in case.
    public static func == (first: Self, second: Self) -> Bool {
        first.hasName(second.name) && FieldSyntax.isSameText(first.value, second.value)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in name.utf8 { hasher.combine(FieldSyntax.lowercase(byte)) }
        hasher.combine(value)
    }
}

extension HeaderFields.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `Name: value`. A secret value is redacted.
    public var description: String { "\(name): \(shownValue)" }

    /// The `description`.
    public var debugDescription: String { description }

    /// Name and value. A secret value is redacted.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "value": shownValue]) }

    private var shownValue: String { Redaction.isSecret(name) ? Redaction.placeholder : value }
}
