// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// The value of a `Content-Disposition` field (RFC 6266), as far as it names a file. It interprets nothing: what the
/// name may do is `SuggestedFileName`'s business.
package struct ContentDisposition {
    /// What the field says the content is, in lower case: `attachment`, `inline` or something else.
    package let type: String
    /// The file's name: that of `filename*` if it can be read and is not empty, else that of `filename`. The latter has
    /// its RFC 2047 words and percent-escapes undone where they are UTF-8, as browsers do.
    package let fileName: String?

    /// Reads a value; nil when it does not start with a type.
    package init?(_ value: String) {
        var scanner = ParameterScanner(value)
        guard let type = scanner.token() else { return nil }
        self.type = type.lowercased()
        var parameters: [String: String] = [:]
        while let (name, value) = scanner.parameter() {
            // Of two with one name neither is right (RFC 6266, 4.1); the first one is what most others take.
            parameters[name.lowercased()] = parameters[name.lowercased()] ?? value
        }
        let extended = parameters["filename*"].flatMap(Self.extendedValue).flatMap { $0.isEmpty ? nil : $0 }
        fileName = extended ?? parameters["filename"].map(Self.plainValue)
    }

    /// The name that servers mean who do not write `filename*`.
    private static func plainValue(_ value: String) -> String {
        if let words = EncodedWords.decoded(value) { return words }
        guard value.utf8.contains(UInt8(ascii: "%")), let bytes = PercentText.bytes(value.utf8) else { return value }
        return String(validating: bytes, as: UTF8.self) ?? value
    }

    /// `charset'language'text`, the text percent-escaped (RFC 8187, 3.2); nil when it is not well formed.
    private static func extendedValue(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = unescaped(parts[2]) else { return nil }
        switch parts[0].lowercased() {
        case "utf-8", "utf8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
        default: return nil
        }
    }

    /// The bytes of an extended value, which has no others than those of a token and escapes.
    private static func unescaped(_ text: Substring) -> [UInt8]? {
        let isPlain = text.utf8.allSatisfy {
            FieldSyntax.isTokenByte($0) && $0 != UInt8(ascii: "*") && $0 != UInt8(ascii: "'")
        }
        return isPlain ? PercentText.bytes(text.utf8) : nil
    }
}

/// Reads `token *( ";" token "=" ( token / quoted-string ) )`, with white space where it may be. What cannot be read is
/// passed over up to the next semicolon.
private struct ParameterScanner {
    private var rest: Substring.UnicodeScalarView

    init(_ text: String) { rest = Substring(text).unicodeScalars }

    /// The token at hand; nil when there is none.
    mutating func token() -> String? {
        skipSpace()
        let token = rest.prefix { $0.isASCII && FieldSyntax.isTokenByte(UInt8($0.value)) }
        rest = rest.dropFirst(token.count)
        return token.isEmpty ? nil : String(token)
    }

    /// The next parameter that can be read; nil at the end.
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

    /// A quoted string, or whatever stands before the next semicolon: many servers forget the quotes.
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
        return nil  // the closing quotation mark is missing: who knows what was cut off
    }

    private mutating func skipPastSemicolon() -> Bool {
        rest = rest.drop { $0 != ";" }
        return rest.popFirst() != nil
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == " " || $0 == "\t" }
    }
}
