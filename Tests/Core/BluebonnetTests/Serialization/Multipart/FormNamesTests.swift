// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite struct FormNamesTests {
    @Test(arguments: [
        ("plain name.txt", "plain name.txt"), ("a\"b", "a%22b"), ("a\r\nb", "a%0D%0Ab"), ("a\nb", "a%0Ab"),
        ("a\rb", "a%0Db"), ("100%22", "100%22"), ("naïve \u{1F408}.txt", "naïve \u{1F408}.txt"), ("a\\b;c", "a\\b;c"),
        ("\"\u{301}", "%22\u{301}"), ("", ""),
    ])
    func onlyQuotesAndLineEndsAreEscaped(text: String, escaped: String) {
        #expect(Array(FormNames.escape(text).utf8) == Array(escaped.utf8))
    }

    @Test(arguments: [
        ("a\nb", "a\r\nb"), ("a\rb", "a\r\nb"), ("a\r\nb", "a\r\nb"), ("\n\n", "\r\n\r\n"), ("\r\r", "\r\n\r\n"),
        ("\n\r", "\r\n\r\n"), ("a\r", "a\r\n"), ("a", "a"),
    ])
    func lineEndsBecomeCRLF(text: String, expected: String) {
        #expect(Array(FormNames.withNetworkLineEnds(text).utf8) == Array(expected.utf8))
    }
}
