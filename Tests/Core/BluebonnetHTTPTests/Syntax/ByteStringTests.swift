// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

@Suite struct ByteStringTests {
    @Test(arguments: [("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), ("\u{AC00}", "\u{1100}\u{1161}"), ("a", "A")])
    func bytewiseDifferentTextsAreDifferentKeys(one: String, other: String) {
        #expect(ByteString(one) != ByteString(other))
        #expect(Set([ByteString(one), ByteString(other), ByteString(one)]).count == 2)
        #expect([one, other, one].uniqueTexts.map { Array($0.utf8) } == [Array(one.utf8), Array(other.utf8)])
    }

    @Test func keysAreSortedBytewise() {
        let keys = ["b", "\u{E9}", "", "e\u{301}", "a"].map(ByteString.init)
        #expect(keys.sorted().map(\.string) == ["", "a", "b", "e\u{301}", "\u{E9}"])
    }

    @Test(arguments: [("Content-TYPE", "content-type"), ("\u{212A}ey", "\u{212A}ey"), ("É", "É"), ("", "")])
    func onlyASCIILettersAreLowercased(text: String, expected: String) {
        #expect(Array(text.lowercasedASCII.utf8) == Array(expected.utf8))
    }
}
