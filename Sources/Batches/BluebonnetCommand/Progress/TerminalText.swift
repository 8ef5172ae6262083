// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

/// Makes any text fit for one line of a terminal; it knows how wide characters are, roughly.
enum TerminalText {
    /// The text with everything replaced that would move the cursor, change colours or turn the direction of writing.
    static func clean(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isHarmless($0) ? $0 : "?" }))
    }

    /// The start of the text that fits, with "…" where something was cut off.
    static func cut(_ text: String, to width: Int) -> String {
        guard columns(of: text) > width else { return text }
        var room = width - 1
        let start = text.prefix { character in
            room -= columns(of: character)
            return room >= 0
        }
        return width > 0 ? start + "…" : ""
    }

    /// The text, cut or filled with spaces to exactly this width.
    static func fit(_ text: String, to width: Int) -> String {
        let text = cut(text, to: width)
        return text + String(repeating: " ", count: max(0, width - columns(of: text)))
    }

    /// The columns that the text takes.
    static func columns(of text: String) -> Int {
        text.reduce(0) { $0 + columns(of: $1) }
    }

    private static func columns(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        let isWide = scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) }
        return isWide ? 2 : 1
    }

    /// Where the scripts are whose characters take two columns (Unicode Standard Annex 11).
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
