// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// The values of Structured Fields (RFC 9651): lists and dictionaries of items and inner lists.
package enum StructuredField {
    /// A value without parameters.
    package enum BareItem: Sendable, Hashable {
        case integer(Int64)
        case decimal(Double)
        case string(String)
        case token(String)
        case bytes([UInt8])
        case boolean(Bool)
        /// Seconds since 1970.
        case date(Int64)
        case displayString(String)
    }

    /// A value with its parameters.
    package struct Item: Sendable, Hashable {
        package let value: BareItem
        package let parameters: [String: BareItem]

        package init(_ value: BareItem, parameters: [String: BareItem] = [:]) {
            (self.value, self.parameters) = (value, parameters)
        }
    }

    /// A member of a list or of a dictionary.
    package enum Member: Sendable, Hashable {
        case item(Item)
        case innerList([Item], parameters: [String: BareItem])
    }

    /// Parses the lines of a list field; nil if the field is not a list. Without a line the list is empty.
    package static func list(_ lines: [String]) -> [Member]? {
        var parser = StructuredFieldParser(lines)
        return parser.wholeList()
    }

    /// Parses the lines of a dictionary field; nil if the field is not a dictionary. Of a repeated key, the last value
    /// counts.
    package static func dictionary(_ lines: [String]) -> [String: Member]? {
        var parser = StructuredFieldParser(lines)
        return parser.wholeDictionary()
    }

    /// Parses the lines of a field that is a list of strings. Nil if the field is not a list, or if a member is not a
    /// string.
    package static func strings(_ lines: [String]) -> [String]? {
        guard let members = list(lines) else { return nil }
        let strings = members.compactMap(\.string)
        return strings.count == members.count ? strings : nil
    }

    /// Returns the text of a string; nil if the string has a character that a string cannot contain (RFC 9651, 4.1.6).
    package static func text(ofString string: String) -> String? {
        guard string.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        let escaped = string.utf8.flatMap { byte in
            byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? [UInt8(ascii: "\\"), byte] : [byte]
        }
        return "\"" + String(decoding: escaped, as: UTF8.self) + "\""
    }

    /// Returns whether a text can be written as a token (RFC 9651, 3.3.4).
    package static func isToken(_ text: String) -> Bool {
        guard let first = text.utf8.first, isAlpha(first) || first == UInt8(ascii: "*") else { return false }
        return text.utf8.allSatisfy(isTokenByte)
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        FieldSyntax.isTokenByte(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "/")
    }

    static func isAlpha(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}

extension StructuredField.Member {
    /// The string, if the member is a string.
    package var string: String? {
        guard case .item(let item) = self, case .string(let string) = item.value else { return nil }
        return string
    }

    /// The Boolean, if the member is one.
    package var boolean: Bool? {
        guard case .item(let item) = self, case .boolean(let value) = item.value else { return nil }
        return value
    }

    /// The strings of an inner list; nil if the member is not an inner list, or if one of its items is not a string.
    package var innerStrings: [String]? {
        guard case .innerList(let items, _) = self else { return nil }
        let strings = items.compactMap { StructuredField.Member.item($0).string }
        return strings.count == items.count ? strings : nil
    }
}
