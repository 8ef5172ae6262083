// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

@Suite struct CSVWriterTests {
    @Test(arguments: [
        ("", ""), ("a", "a"), ("a b", "a b"), ("=1+2", "=1+2"), ("'a'", "'a'"), ("é;\t", "é;\t"),
        ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""), ("\"", "\"\"\"\""),
        ("a\nb", "\"a\nb\""), ("a\rb", "\"a\rb\""), ("a\r\nb", "\"a\r\nb\""),
        (" a", "\" a\""), ("a ", "\"a \""), (" ", "\" \""), ("\u{FEFF}a", "\"\u{FEFF}a\""),
        ("\"\u{301}", "\"\"\"\u{301}\""),
    ])
    func fieldIsQuotedOnlyIfNeeded(text: String, written: String) {
        #expect(Array(CSVWriter.field(text).utf8) == Array(written.utf8))
    }

    @Test func rowIsJoinedByCommasAndEndsWithCRLF() {
        #expect(CSVWriter.row(["a", "", "b,c"]) == "a,,\"b,c\"\r\n")
        #expect(CSVWriter.row(["a"], lineEnd: "\n") == "a\n")
    }

    @Test func rowWithOneEmptyFieldIsNotAnEmptyLine() {
        #expect(CSVWriter.row([""]) == "\"\"\r\n")
        #expect(CSVWriter.row(["", ""]) == ",\r\n")
    }
}
