// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct JSONTextTests {
    @Test(arguments: [
        (0, "0.0"), (1, "1.0"), (0.013, "0.013"), (12.5, "12.5"), (0.000_001, "0.000001"), (0.000_000_4, "0.0"),
        (0.000_000_6, "0.000001"), (1.999_999_9, "2.0"), (123_456.789_012, "123456.789012"), (1e10, "10000000000.0"),
        (0.100_000_1, "0.1"), (-1, "0.0"), (.nan, "0.0"), (.infinity, "1000000000000.0"), (0.05, "0.05"),
    ])
    func secondsHaveAtMostSixDigitsAndNoExponent(_ seconds: Double, _ expected: String) {
        var text = JSONText()
        text.seconds(seconds)
        #expect(text.string == expected)
    }

    @Test(arguments: [
        (JSONValue.null, "null"), (.bool(true), "true"), (.integer(.min), "-9223372036854775808"), (.number(5), "5"),
        (.number(0.1), "0.1"), (.number(-2.5), "-2.5"), (.number(JSONNumber(.nan)), "null"),
        (.string("a/b"), #""a/b""#),
        (.array([]), "[]"), (.object([:]), "{}"), (.array([.array([]), .integer(1)]), "[[],1]"),
        (.object(["b": .null, "a": .object(["c": .string("")])]), #"{"a":{"c":""},"b":null}"#),
    ])
    func valuesAreWrittenCompactlyWithSortedNames(_ value: JSONValue, _ expected: String) {
        #expect(JSONText.text(of: value) == expected)
    }

    @Test(arguments: [
        ("", #""""#), ("a\"b\\c", #""a\"b\\c""#), ("\u{8}\t\n\u{C}\r", #""\b\t\n\f\r""#),
        ("\0\u{1}\u{F}\u{10}\u{1B}\u{1F}", #""\u0000\u0001\u000f\u0010\u001b\u001f""#), ("/é🙂\u{7F}", "\"/é🙂\u{7F}\""),
        ("\r\n", #""\r\n""#),
    ])
    func stringsAreEscaped(_ string: String, _ expected: String) {
        #expect(JSONText.text(of: .string(string)) == expected)
    }

    @Test(arguments: [
        1e21, 1e-7, 123_456_789.123_456_78, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0x1p53, -0x1p70,
    ])
    func numbersRoundTrip(_ number: Double) throws {
        #expect(try JSONValue(parsing: Data(JSONText.text(of: .number(JSONNumber(number))).utf8)).number == number)
    }

    @Test func textGrowsBeyondExpectedByteCount() {
        for byteCount in [0, 1, 7, 64, 1_000] {
            var text = JSONText(expectedByteCount: byteCount)
            text.array { array in
                for count in 0..<200 { array.string(String(repeating: "x", count: count)) }
            }
            let expected = (0..<200).map { "\"\(String(repeating: "x", count: $0))\"" }.joined(separator: ",")
            #expect(text.string == "[\(expected)]")
            #expect(text.data == Data("[\(expected)]".utf8))
        }
    }

    @Test func namesCanBeWrittenInLowerCase() {
        var text = JSONText()
        text.object { object in
            for name in ["ETag", "x\"Y\u{1F}Z"] {
                var name = name
                name.withUTF8 { object.key(lowercasing: $0) }
                object.string("A")
            }
        }
        #expect(text.string == #"{"etag":"A","x\"y\u001fz":"A"}"#)
    }

    @Test func longTextIsShortenedInMessages() {
        #expect(JSONText.quoted("abc", maximumCount: 3) == #""abc""#)
        #expect(JSONText.quoted("abcd", maximumCount: 3) == #""abc…""#)
    }
}
