// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Makes text safe for one line of a terminal, and estimates its width.
enum TerminalText {
    /// Returns the text with "?" in place of each character that would move the cursor, change colours or change the
    /// direction of writing.
    static func clean(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isHarmless($0) ? $0 : "?" }))
    }

    /// Returns the start of the text that fits, with "…" if it was cut.
    static func cut(_ text: String, to width: Int) -> String {
        guard columns(of: text) > width else { return text }
        var room = width - 1
        let start = text.prefix { character in
            room -= columns(of: character)
            return room >= 0
        }
        return width > 0 ? start + "…" : ""
    }

    /// Returns the text, cut or padded with spaces to exactly this width.
    static func fit(_ text: String, to width: Int) -> String {
        let text = cut(text, to: width)
        return text + String(repeating: " ", count: max(0, width - columns(of: text)))
    }

    /// Returns the estimated number of columns of the text.
    static func columns(of text: String) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    private static func columns(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        let isWide = scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) }
        return isWide ? 2 : 1
    }

    /// The ranges of scripts whose characters are two columns wide (Unicode Standard Annex 11).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x20000...0x3FFFD,
    ]

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
        default: true
        }
    }
}
