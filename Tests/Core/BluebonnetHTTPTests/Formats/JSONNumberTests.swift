// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Testing

@Suite struct JSONNumberTests {
    @Test(arguments: ["0", "-0", "1.0", "100.10", "1e2", "1E+400", "18446744073709551616", "-1.5e-7"])
    func numberKeepsItsText(text: String) {
        #expect(JSONNumber(text)?.text == text)
    }

    @Test(arguments: ["", " 1", "1 ", "+1", "01", "1.", ".5", "0x1", "NaN", "inf", "1,2", "\"1\"", "[1]", "null", "١"])
    func invalidTextIsNotNumber(text: String) {
        #expect(JSONNumber(text) == nil)
    }

    @Test(arguments: [
        (1.0, "1"), (-2.5, "-2.5"), (0.1, "0.1"), (1e16, "1e+16"), (9_007_199_254_740_991, "9007199254740991"),
    ])
    func doubleUsesShortestText(value: Double, text: String) {
        #expect(JSONNumber(value).text == text)
        #expect(JSONNumber(value).double == value)
    }

    @Test(arguments: [
        ("1.0", "1.00"), ("1e2", "100"), ("1E+2", "100.0"), ("-0", "0.0"), ("0.001", "1e-3"), ("120e-1", "12"),
    ])
    func differentSpellingsOfOneValueAreEqual(one: String, other: String) throws {
        let (first, second) = (try #require(JSONNumber(one)), try #require(JSONNumber(other)))
        #expect(first == second && first.hashValue == second.hashValue)
    }

    @Test(arguments: [
        ("12345678901234567890", "12345678901234567891"), ("1", "-1"), ("1e400", "1e401"),
        ("0.1", "0.10000000000000001"),
        ("1e99999999999999999999", "1e99999999999999999998"),
    ])
    func numbersBeyondDoublePrecisionAreDistinct(one: String, other: String) throws {
        #expect(try #require(JSONNumber(one)) != #require(JSONNumber(other)))
    }

    @Test(
        arguments: [
            ("0", 0), ("-0.0", 0), ("1.0", 1), ("1e3", 1_000), ("-120e-1", -12),
            ("9007199254740993.0", 9_007_199_254_740_993), ("9223372036854775807", Int64.max),
            ("-9223372036854775808", Int64.min), ("9.223372036854775807e18", Int64.max),
            ("0e400", 0), ("9223372036854775808", nil), ("1e19", nil), ("1e400", nil), ("1.5", nil), ("1e-3", nil),
            ("9007199254740993.5", nil),
        ] as [(String, Int64?)])
    func wholeValueIsExact(text: String, value: Int64?) throws {
        #expect(try #require(JSONNumber(text)).wholeValue == value)
    }

    @Test(arguments: [
        ("1.0", true), ("1e3", true), ("12345678901234567890", true), ("1e400", true), ("1.5", false),
        ("12345678901234567890.5", false), ("1e-3", false),
    ])
    func fractionBeyondDoublePrecisionIsFound(text: String, isWhole: Bool) throws {
        #expect(try #require(JSONNumber(text)).isWhole == isWhole)
    }

    @Test(
        arguments: [
            (.integer(.max), "9223372036854775807"), (.number(2.50), "2.5"), ("2", nil), (.null, nil),
        ] as [(JSONValue, String?)])
    func exactNumberOfValueHasAllDigits(value: JSONValue, text: String?) {
        #expect(value.exactNumber?.text == text)
    }
}
