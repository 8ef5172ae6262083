// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetCommand

@Suite struct MarkupTextTests {
    @Test(arguments: [
        ("", ""), ("plain é 😀", "plain é 😀"), ("<a href=\"x\">&'", "&lt;a href=&quot;x&quot;&gt;&amp;&#39;"),
        ("a\tb\nc\rd", "a&#9;b&#10;c&#13;d"), ("\0\u{1}\u{B}\u{1B}[31m", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}[31m"),
        ("\u{7F}\u{85}\u{9F}\u{A0}", "\u{FFFD}\u{FFFD}\u{FFFD}\u{A0}"),
        ("\u{FFFE}\u{FFFF}\u{10FFFF}", "\u{FFFD}\u{FFFD}\u{10FFFF}"),
        ("]]>", "]]&gt;"), ("e\u{301}<", "e\u{301}&lt;"),
    ])
    func textIsEscaped(_ text: String, _ escaped: String) { #expect(MarkupText.escaped(text) == escaped) }

    @Test func longTextIsCut() {
        #expect(MarkupText.start(of: "abc", count: 3) == "abc")
        #expect(MarkupText.start(of: "abcd", count: 3) == "abc…")
    }
}
