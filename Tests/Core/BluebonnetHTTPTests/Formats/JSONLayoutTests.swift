// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct JSONLayoutTests {
    private func layout(_ text: String, isPretty: Bool = false, escapesSlashes: Bool = false) -> String {
        let data = JSONLayout.text(Data(text.utf8), isPretty: isPretty, escapesSlashes: escapesSlashes)
        return String(decoding: data, as: UTF8.self)
    }

    @Test func prettyLayoutPutsEachElementOnItsOwnLine() {
        let expected = """
            {
              "a" : [
                1,
                {
                  "b" : "x,{}:y"
                }
              ],
              "c" : {},
              "d" : []
            }
            """
        #expect(layout(#"{"a":[1,{"b":"x,{}:y"}],"c":{},"d":[]}"#, isPretty: true) == expected)
    }

    @Test func slashesInStringsAreEscapedAfterAnyCharacter() {
        #expect(layout(#"{"a/b":"c\\/\"/d"}"#, escapesSlashes: true) == #"{"a\/b":"c\\\/\"\/d"}"#)
    }

    @Test(arguments: [#""""#, #""\\""#, "[]", "{}", "1", #"{"a":[[],{}]}"#, #"["\"[", "/"]"#])
    func layoutPreservesValue(text: String) throws {
        let data = Data(layout(text, isPretty: true, escapesSlashes: true).utf8)
        #expect(try JSONValue(parsing: data) == JSONValue(parsing: Data(text.utf8)))
    }

    @Test func compactLayoutLeavesTextUnchanged() {
        #expect(layout(#"{"a":"/"}"#) == #"{"a":"/"}"#)
    }
}
