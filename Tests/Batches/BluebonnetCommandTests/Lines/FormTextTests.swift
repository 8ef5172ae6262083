// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Testing

@testable import BluebonnetCommand

@Suite struct FormTextTests {
    private static let forms: [(String, JSONObject)] = [
        ("", JSONObject()), ("a=1", ["a": "1"]), ("b=2&a=1", ["a": "1", "b": "2"]), ("a=", ["a": ""]),
        ("a", ["a": .null]),
        ("a&b=1", ["a": .null, "b": "1"]), ("a=x+y%20z", ["a": "x y z"]), ("a%5B%5D=%C3%A9", ["a[]": "é"]),
        ("=1", ["": "1"]), ("a=b=c", ["a": "b=c"]), ("%C3%A9=1&e%CC%81=2", ["\u{E9}": "1", "e\u{301}": "2"]),
    ]

    @Test(arguments: forms)
    func formHasTheMembersOfItsText(text: String, expected: JSONObject) {
        #expect(FormText.members(text) == expected)
    }

    private static let otherTexts: [String] = [
        "a=1&a=2", "a[]=1&a[]=2", "a=1&&b=2", "&", "a=%", "a=%zz", "a=%FF", "a b=1", "{\"a\":1}", "<a/>", "é=1",
        "a=1\n",
        "ab+c=", "a%2fb", "a*b",
    ]

    @Test(arguments: otherTexts)
    func otherTextIsNotAForm(text: String) {
        #expect(FormText.members(text) == nil)
    }

    @Test func reservedBytesAreEscaped() {
        #expect(FormText.escaped("aZ9-._~ /?é\n%") == "aZ9-._~%20%2F%3F%C3%A9%0A%25")
    }
}
