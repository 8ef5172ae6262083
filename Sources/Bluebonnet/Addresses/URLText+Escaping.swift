// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation

// Making a URL from text that a caller or a server wrote, without changing what is well formed in it.
extension URLText {
    /// The absolute URL of the text, read relative to `base`; nil when it is none.
    ///
    /// Bytes that a URL cannot hold are percent-escaped, escapes stay as they are, and an international host name is
    /// written in ASCII.
    static func url(_ text: String, relativeTo base: URL?) -> URL? {
        guard !text.isEmpty, let escaped = URLText(text).escaped else { return nil }
        guard let base else { return URL(string: escaped) }
        return URL(string: URLText(escaped).resolved(from: URLText(base.absoluteString)))
    }

    private var escaped: String? {
        let start = scheme.map { $0 + ":" } ?? ""
        guard let authority else { return start + Self.escape(remainder) }
        guard let ascii = Self.ascii(authority) else { return nil }
        return start + "//" + ascii + Self.escape(remainder)
    }

    private static func ascii(_ authority: Substring) -> String? {
        if authority.utf8.allSatisfy({ $0 < 0x80 }) { return String(authority) }
        guard let url = URL(string: "http://\(authority)/") else { return nil }
        return URLText(url.absoluteString).authority.map(String.init)
    }

    /// Path, query and fragment with everything escaped that RFC 3986 does not let them hold.
    static func escape(_ text: some StringProtocol) -> String {
        if text.utf8.allSatisfy(isURLByte) { return String(text) }
        let bytes = Array(text.utf8)
        let fragment = bytes.firstIndex(of: UInt8(ascii: "#"))
        var result: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isKept = isURLByte(byte) || index == fragment || isEscape(bytes[index...])
            append(byte, escaped: !isKept, to: &result)
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The bytes as text in which everything that is not ASCII is escaped: the way a `Location` is made readable.
    static func escapingNonASCII(_ bytes: some Sequence<UInt8>) -> String {
        var result: [UInt8] = []
        for byte in bytes { append(byte, escaped: byte >= 0x80, to: &result) }
        return String(decoding: result, as: UTF8.self)
    }

    private static func append(_ byte: UInt8, escaped: Bool, to result: inout [UInt8]) {
        guard escaped else { return result.append(byte) }
        let digits = String(byte, radix: 16, uppercase: true)
        result += "%".utf8
        result += (byte < 0x10 ? "0" + digits : digits).utf8
    }

    /// Whether the bytes start with "%" and two hexadecimal digits.
    private static func isEscape(_ bytes: ArraySlice<UInt8>) -> Bool {
        let digits = bytes.dropFirst().prefix(2)
        return bytes.first == UInt8(ascii: "%") && digits.count == 2
            && digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }

    /// Whether path, query and fragment may hold this byte as it is; "%" and "#" may stand in some places only.
    static func isURLByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "&")...UInt8(ascii: ";"): true  // & ' ( ) * + , - . / digits : ;
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "="), UInt8(ascii: "?"), UInt8(ascii: "@"): true
        case UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }
}
