// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

internal import Foundation

/// Decodes the encoded words of mail (RFC 2047), `=?UTF-8?B?w6kudHh0?=`, which some servers write into file names.
/// Pure.
enum EncodedWords {
    /// Returns the text of a value that consists of encoded words, ignoring the white space between them. Nil for any
    /// other text, and for a word in an unknown charset or encoding.
    static func decoded(_ value: String) -> String? {
        guard value.hasPrefix("=?"), value.hasSuffix("?=") else { return nil }
        var text = ""
        // White space between two words is not part of the text (RFC 2047, 6.2).
        for word in value.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
            guard let piece = decoded(word: word) else { return nil }
            text += piece
        }
        return text
    }

    private static func decoded(word: Substring) -> String? {
        let parts = word.split(separator: "?", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0] == "=", parts[4] == "=" else { return nil }
        let bytes: [UInt8]? =
            switch parts[2] {
            case "B", "b": Data(base64Encoded: String(parts[3])).map(Array.init)
            case "Q", "q": unquoted(parts[3])
            default: nil
            }
        // A language may follow the charset (RFC 2231, 5).
        let charset = parts[1].prefix { $0 != "*" }.lowercased()
        return bytes.flatMap { text($0, charset) }
    }

    /// Decodes `=` and two digits to a byte, and `_` to a space (RFC 2047, 4.2).
    private static func unquoted(_ text: Substring) -> [UInt8]? {
        let escaped = text.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "="): [UInt8(ascii: "%")]
            case UInt8(ascii: "%"): Array("%25".utf8)
            case UInt8(ascii: "_"): [0x20]
            default: [byte]
            }
        }
        return PercentText.bytes(escaped)
    }

    private static func text(_ bytes: [UInt8], _ charset: String) -> String? {
        let body = Data(bytes)
        switch charset {
        case "utf-8", "utf8": return String(validating: bytes, as: UTF8.self)
        case let name:
            guard BodyEncoding.isKnown(charset: name) else { return nil }
            return BodyEncoding(ofText: body, charset: name).text(of: body)
        }
    }
}
