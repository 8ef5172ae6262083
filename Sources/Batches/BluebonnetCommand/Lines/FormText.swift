// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation

/// Reads the text of URL-encoded forms and queries.
enum FormText {
    /// Returns the members of a form or a query that is equal to the text, except for the order of its items and the
    /// spelling of escapes. Nil if no object is: if a name is repeated, an item is not encoded, or the text is
    /// something else, such as JSON.
    static func members(_ text: String) -> JSONObject? {
        var members = JSONObject()
        if text.isEmpty { return members }
        guard text.utf8.allSatisfy(isFormByte) else { return nil }
        for item in text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard !item.isEmpty, let name = decoded(parts[0]), members[name] == nil else { return nil }
            guard parts.count == 2 else {
                members[name] = .null
                continue
            }
            guard let value = decoded(parts[1]) else { return nil }
            members[name] = .string(value)
        }
        return isCertain(members, text) ? members : nil
    }

    /// A single item without a value may be any text, such as Base64, in which `+` is not a space. It must not change.
    private static func isCertain(_ members: JSONObject, _ text: String) -> Bool {
        let hasValue = members.contains { $0.value.string?.isEmpty == false }
        return hasValue || (try? QueryEncoder().encode(members)) == text
    }

    /// Returns the text with every byte escaped that is not unreserved in a URL (RFC 3986, 2.3).
    static func escaped(_ text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            let isBare = isLetterOrDigit(byte) || "-._~".utf8.contains(byte)
            let digits = String(byte, radix: 16, uppercase: true)
            result += isBare ? String(UnicodeScalar(byte)) : "%" + (byte < 0x10 ? "0" : "") + digits
        }
    }

    private static func decoded(_ text: Substring.UTF8View) -> String? {
        Substring(text).replacingOccurrences(of: "+", with: " ").removingPercentEncoding
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(FieldSyntax.lowercase(byte))
    }

    private static func isFormByte(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || "-._~*+%!'(),/:;?@$=&[]".utf8.contains(byte)
    }
}
