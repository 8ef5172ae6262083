// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Escapes text for XML and HTML.
enum MarkupText {
    /// Returns text for the content of an element, or for an attribute's value in double quotation marks. A character
    /// that XML 1.0 does not allow (2.2) becomes U+FFFD. Line ends and tabs are escaped, because attributes would lose
    /// them.
    static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            case "\t", "\n", "\r": escaped.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
            default: escaped.append(isAllowed(scalar) ? scalar : "\u{FFFD}")
            }
        }
        return String(escaped)
    }

    /// Returns whether XML allows a character. A Unicode scalar is never a surrogate. XML allows the control characters
    /// from U+007F to U+009F, but HTML forbids references to them, and they are not visible.
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0xFFFE, 0xFFFF: false
        default: true
        }
    }

    /// Returns the start of a text, with "…" if it was cut.
    static func start(of text: String, count: Int) -> String {
        let start = text.prefix(count)
        return start.endIndex == text.endIndex ? text : start + "…"
    }
}
