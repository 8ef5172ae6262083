// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The type and the file name in a `Content-Disposition` field (RFC 6266). It does not check the name;
/// `SuggestedFileName` makes the name safe.
package struct ContentDisposition {
    /// The disposition type in lower case: `attachment`, `inline` or another type.
    package let type: String
    /// The file's name: the value of `filename*` if it is readable and not empty, otherwise the value of `filename`. In
    /// `filename`, RFC 2047 words are decoded, and percent-escapes if they are UTF-8, as in browsers.
    package let fileName: String?

    /// Parses a value; nil if it does not start with a type.
    package init?(_ value: String) {
        var scanner = ParameterScanner(value)
        guard let type = scanner.token() else { return nil }
        self.type = type.lowercased()
        var parameters: [String: String] = [:]
        while let (name, value) = scanner.parameter() {
            // If a parameter occurs twice, neither value is right (RFC 6266, 4.1). Most other implementations use the
            // first value.
            parameters[name.lowercased()] = parameters[name.lowercased()] ?? value
        }
        let extended = parameters["filename*"].flatMap(Self.extendedValue).flatMap { $0.isEmpty ? nil : $0 }
        fileName = extended ?? parameters["filename"].map(Self.plainValue)
    }

    /// Decodes the name from servers that do not write `filename*`.
    private static func plainValue(_ value: String) -> String {
        if let words = EncodedWords.decoded(value) { return words }
        guard value.utf8.contains(UInt8(ascii: "%")), let bytes = PercentText.bytes(value.utf8) else { return value }
        return String(validating: bytes, as: UTF8.self) ?? value
    }

    /// Decodes `charset'language'text` with percent-escaped text (RFC 8187, 3.2); nil if the value is malformed.
    private static func extendedValue(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = unescaped(parts[2]) else { return nil }
        switch parts[0].lowercased() {
        case "utf-8", "utf8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
        default: return nil
        }
    }

    /// Returns the bytes of an extended value, which may contain only token bytes and escapes.
    private static func unescaped(_ text: Substring) -> [UInt8]? {
        let isPlain = text.utf8.allSatisfy {
            FieldSyntax.isTokenByte($0) && $0 != UInt8(ascii: "*") && $0 != UInt8(ascii: "'")
        }
        return isPlain ? PercentText.bytes(text.utf8) : nil
    }
}

/// Parses `token *( ";" token "=" ( token / quoted-string ) )`, with optional white space. Unreadable parameters are
/// skipped up to the next semicolon.
private struct ParameterScanner {
    private var rest: Substring.UnicodeScalarView

    init(_ text: String) { rest = Substring(text).unicodeScalars }

    /// Returns the token at the current position; nil if there is none.
    mutating func token() -> String? {
        skipSpace()
        let token = rest.prefix { $0.isASCII && FieldSyntax.isTokenByte(UInt8($0.value)) }
        rest = rest.dropFirst(token.count)
        return token.isEmpty ? nil : String(token)
    }

    /// Returns the next readable parameter; nil at the end.
    mutating func parameter() -> (name: String, value: String)? {
        while skipPastSemicolon() {
            guard let name = token() else { continue }
            skipSpace()
            guard rest.first == "=" else { continue }
            rest.removeFirst()
            if let value = value() { return (name, value) }
        }
        return nil
    }

    /// Parses a quoted string, or the text before the next semicolon: many servers omit the quotes.
    private mutating func value() -> String? {
        skipSpace()
        guard rest.first == "\"" else {
            let value = rest.prefix { $0 != ";" }
            rest = rest.dropFirst(value.count)
            let trimmed = String(value).trimmingCharacters(in: .whitespaces)
            return trimmed.isEmpty ? nil : trimmed
        }
        rest.removeFirst()
        var value = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            if scalar == "\"" { return String(value) }
            guard scalar == "\\" else {
                value.append(scalar)
                continue
            }
            if let escaped = rest.popFirst() { value.append(escaped) }
        }
        return nil  // the closing quotation mark is missing: the value may be cut off
    }

    private mutating func skipPastSemicolon() -> Bool {
        rest = rest.drop { $0 != ";" }
        return rest.popFirst() != nil
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == " " || $0 == "\t" }
    }
}
