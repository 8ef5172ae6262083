// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetCommand

@Suite struct TerminalTextTests {
    @Test func controlCharactersCannotReachTheTerminal() {
        #expect(TerminalText.clean("a\u{1B}[2Jb\nc\r\td") == "a?[2Jb?c??d")
        #expect(TerminalText.clean("\u{202E}evil\u{9B}31m") == "?evil?31m")
        #expect(TerminalText.clean("naïve 日本 🙂") == "naïve 日本 🙂")
    }

    @Test func textIsCutToItsColumnsWithAnEllipsis() {
        #expect(TerminalText.cut("abcdef", to: 6) == "abcdef")
        #expect(TerminalText.cut("abcdef", to: 5) == "abcd…")
        #expect(TerminalText.cut("abcdef", to: 1) == "…")
        #expect(TerminalText.cut("abcdef", to: 0) == "")
        #expect(TerminalText.cut("", to: 0) == "")
    }

    @Test func wideCharactersCountTwice() {
        #expect(TerminalText.columns(of: "日本") == 4)
        #expect(TerminalText.columns(of: "🙂") == 2)
        #expect(TerminalText.columns(of: "e\u{301}") == 1)
        #expect(TerminalText.cut("日本語", to: 5) == "日本…")
        #expect(TerminalText.cut("日本語", to: 4) == "日…")
    }

    @Test func textIsFittedToItsColumns() {
        #expect(TerminalText.fit("ab", to: 4) == "ab  ")
        #expect(TerminalText.fit("日", to: 4) == "日  ")
        #expect(TerminalText.fit("abcdef", to: 4) == "abc…")
    }
}
