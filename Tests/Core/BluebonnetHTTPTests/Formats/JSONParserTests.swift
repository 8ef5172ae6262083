// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import BluebonnetHTTP

@Suite struct JSONParserTests {
    private func parse(_ text: String) throws -> JSONValue { try parse(Array(text.utf8)) }

    /// Parses the text and also checks it. Both must give the same result.
    private func parse(_ bytes: [UInt8]) throws -> JSONValue {
        let checked = bytes.withUnsafeBytes { text in
            Result { () throws(JSONSyntaxError) in try JSONParser.check(text) }
        }
        let parsed = bytes.withUnsafeBytes { text in
            Result { () throws(JSONSyntaxError) in try JSONParser.value(of: text) }
        }
        #expect(checked.failure == parsed.failure)
        return try parsed.get()
    }

    @Test(arguments: [
        (#"{"a":1,"a":1}"#, true), (#"{"a":1,"\u0061":2}"#, true), (#"[{},{"b":{"a":1,"c":2,"a":3}}]"#, true),
        (#"{"a":{"a":1},"b":[{"a":1},{"a":1}]}"#, false), (#"{"a":1,"A":1}"#, false), ("[1,1]", false), ("{}", false),
    ])
    func repeatedNameInObjectIsDetected(text: String, isRepeated: Bool) throws {
        var text = text
        let parsed = try text.withUTF8 { try JSONParser.parse(UnsafeRawBufferPointer($0)) }
        #expect(parsed.hasRepeatedName == isRepeated)
    }

    // MARK: - Valid JSON

    @Test(
        arguments: [
            ("null", .null), ("true", .bool(true)), ("false", .bool(false)), (" \t\r\n1 \t\r\n", .integer(1)),
            ("\"\"", .string("")),
            ("[]", .array([])), ("[ ]", .array([])), ("{}", .object([:])), ("{ }", .object([:])),
            ("[1,[],{}]", .array([.integer(1), .array([]), .object([:])])),
            ("{ \"a\" : 1 , \"b\" : [ null ] }", .object(["a": .integer(1), "b": .array([.null])])),
            ("{\"a\":1,\"a\":2}", .object(["a": .integer(2)])), ("{\"\":0}", .object(["": .integer(0)])),
            ("\u{FEFF}[1]", .array([.integer(1)])),
        ] as [(String, JSONValue)])
    func anyValueIsAllowedAtTopLevel(text: String, value: JSONValue) throws {
        #expect(try parse(text) == value)
    }

    @Test(
        arguments: [
            ("0", 0), ("-1", -1), ("9223372036854775807", .max), ("-9223372036854775808", .min),
        ] as [(String, Int64)])
    func wholeNumbersWithin64BitsAreIntegers(text: String, value: Int64) throws {
        #expect(try parse(text) == .integer(value))
        #expect(try parse("[\(text)]") == .array([.integer(value)]))
    }

    @Test(arguments: [
        ("-0", -0.0), ("9223372036854775808", 9_223_372_036_854_775_808), ("18446744073709551615", 0x1p64),
        ("12345678901234567890", 12_345_678_901_234_567_168), ("1.0", 1), ("100.10", 100.1), ("-0.0", -0.0),
        ("0.1", 0.1), ("1e2", 100), ("1E+2", 100), ("125e-3", 0.125), ("0e0", 0), ("1e-400", 0),
        ("123456789012345678.25", 123_456_789_012_345_680), ("3.141592653589793238", 3.141592653589793),
        ("2.2250738585072014e-308", 2.2250738585072014e-308), ("1.7976931348623157e308", 1.7976931348623157e308),
        ("1E400", .infinity), ("-1e999", -.infinity),
    ])
    func otherNumbersKeepTheirText(text: String, value: Double) throws {
        let parsed = try parse(text)
        guard case .number(let number) = parsed else { return #expect(Bool(false), "\(parsed)") }
        #expect(number.text == text)
        #expect(parsed.number == value)
        #expect(JSONText.text(of: try parse("[\(text)]")) == "[\(text)]")
    }

    @Test func bytewiseDifferentNamesAreDistinctMembers() throws {
        let composed = "\u{E9}"
        let decomposed = "e\u{301}"
        let value = try parse("{\"\(composed)\":1,\"\(decomposed)\":2,\"\u{212A}\":3,\"K\":4}")
        #expect(value.object?.count == 4)
        #expect(value[composed] == .integer(1) && value[decomposed] == .integer(2))
        #expect(value["\u{212A}"] == .integer(3) && value["K"] == .integer(4))
        #expect(JSONText.text(of: value) == "{\"K\":4,\"\(decomposed)\":2,\"\(composed)\":1,\"\u{212A}\":3}")
    }

    @Test(arguments: [
        (#"{"t":"\ud83d","a":{"b":[7,"x"]}}"#, ["a", "b", "1"], #""x""#),
        (#"{"t":NaN,"u":-Infinity,"v":[Infinity],"token":"x"}"#, ["token"], #""x""#),
        (#"{"a":1,"a":2,"t":NaN}"#, ["a"], "2"), ("\u{FEFF}[NaN, 5 ]", ["1"], " 5"), ("[NaN]", [], "[NaN]"),
        (#"[NaN,{"a":"\ud83d\ude00"}]"#, ["1", "a"], #""\ud83d\ude00""#),
    ])
    func valueIsFoundDespiteInvalidTextElsewhere(text: String, path: [String], value: String) throws {
        let bytes = Array(text.utf8)
        let range = try bytes.withUnsafeBytes { try JSONParser.range(of: path, in: $0) }
        #expect(range.map { String(decoding: bytes[$0], as: UTF8.self) } == value)
    }

    @Test(arguments: [
        (#"{"a":NaN}"#, ["b"]), ("[NaN]", ["1"]), ("[NaN]", ["00"]), ("[NaN]", ["-1"]), ("[]", ["0"]), ("{}", ["a"]),
        ("7", ["a"]), (#"{"a":"b"}"#, ["a", "b"]),
    ])
    func missingPathHasNoRange(text: String, path: [String]) throws {
        #expect(try Array(text.utf8).withUnsafeBytes { try JSONParser.range(of: path, in: $0) } == nil)
    }

    @Test(arguments: ["{\"a\":1", "{\"a\":nan}", "[1,]", "<html>", "", "[1] x", "{\"a\":\"\\ud8\"}"])
    func malformedTextIsRefusedByPathLookup(text: String) {
        #expect(throws: JSONSyntaxError.self) {
            try Array(text.utf8).withUnsafeBytes { try JSONParser.range(of: ["a"], in: $0) }
        }
    }

    @Test(arguments: [
        (#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{C}\n\r\tz"), (#""\u0041\u00e9\u20AC""#, "Aé€"),
        (#""\ud83d\uDE00""#, "😀"),
        (#""\u0000""#, "\u{0}"), (#""\uFFFF""#, "\u{FFFF}"), ("\"é😀\u{7F}\u{2028}\"", "é😀\u{7F}\u{2028}"),
        (#""\\u0041""#, "\\u0041"),
        (#""x\u0041y\u0042""#, "xAyB"),
    ])
    func stringEscapesAreDecoded(text: String, expected: String) throws {
        #expect(try parse(text) == .string(expected))
        #expect(try parse("{\(text):1}") == .object([expected: .integer(1)]))
    }

    // MARK: - Invalid JSON

    @Test(arguments: [
        "", " ", "[1,]", "[1 , ]", "[1,\n]", "[1,2,]", "[[],]", "[\"\",]", "{\"a\":1,}", "{\"a\":[1,]}", "[,]", "{,}",
        "[,1]", "[1,,2]",
        "[1,,]", "{\"a\":1,,}", "1,", "[1],", "[1]x", "[1][2]", "[1]\u{0}", "1 2", "[", "]", "{", "}", "[1", "{\"a\"",
        "{\"a\":",
        "{\"a\":1", "{\"a\" 1}", "{a:1}", "{1:2}", "{\"a\":1 \"b\":2}", "[1 2]", "[1}", "{\"a\":1]", "{\"a\"}", "{:1}",
        "{\"a\"::1}",
        "01", "-01", "00", "1.", ".5", "-.5", "+1", "1e", "1e+", "1.e1", "-", "--1", "0x1", "1_0", "1.0.0", "NaN",
        "Infinity", "-Infinity",
        "nul", "truex", "True", "tru", "f", "'a'", "/*c*/1", "1//c", "#1", "\u{A0}1", "[1]\u{C}",
        "\u{FEFF}",
        "\"", "\"a", "\"\\", "\"\\\"", "\"\\x\"", "\"\\u00\"", "\"\\u00g0\"", "\"\\u 041\"", "\"a\nb\"", "\"a\tb\"",
        "\"\u{0}\"", "\"\u{1F}\"",
        "\"\\ud800\"", "\"\\ud800x\"", "\"\\ud800\\n\"", "\"\\ud800\\u0041\"", "\"\\ud800\\ud800\"", "\"\\udc00\"",
        "\"\\uD83D\\\"", "\"\\ud800\\u",
        "\\u0031", "[\"a\",\n4\n,1,", "undefined",
    ])
    func invalidTextIsRefused(text: String) {
        #expect(throws: JSONSyntaxError.self) { try parse(text) }
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x5B, 0xFF, 0x5D], [0x22, 0x5C, 0x6E, 0xFF, 0x22],
            [0x22, 0xE2, 0x5C, 0x6E, 0x82, 0x22],
        ] as [[UInt8]])
    func invalidUTF8IsRefused(bytes: [UInt8]) {
        #expect(throws: JSONSyntaxError.self) { try parse(bytes) }
    }

    @Test(arguments: [
        ("[1,]", "unexpected character", 3), ("{\"a\":1,}", "a member's name is expected", 7),
        ("", "the text ends", 0),
        ("[1 2]", "a comma", 3), ("  01", "a zero", 3), ("[\"\\x\"]", "escape", 3), ("[\"ab\u{1}\"]", "control", 4),
        ("1 x", "more text", 2), ("{\"a\" 1}", "a colon", 5), ("[1e]", "a digit", 3),
    ])
    func errorHasReasonAndOffset(text: String, reason: String, offset: Int) {
        let error = #expect(throws: JSONSyntaxError.self) { try parse(text) }
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
        #expect(error?.offset == offset)
    }

    @Test func truncatedTextIsRefused() throws {
        let text = Array(#"{"a":[1.5e3,true,null,"\u00e9\n"],"b":{"c":-2}}"#.utf8)
        _ = try parse(text)
        for cut in text.indices {
            #expect(throws: JSONSyntaxError.self) { try parse(Array(text[..<cut])) }
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func checkAndParserAgreeOnMutatedText(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let numbers = #""a":[-1.5e30,true,0,12345678901234567890]"#
        let text = Array(" {\(numbers)".utf8) + Array(#","é\u00e9":{"c":"x\n\ud83d\ude00"},"d":null} "#.utf8)
        let bytes = Array("\"\\{}[]:,0e9.-+utn \u{1}é".utf8) + [0xFF, 0x80]
        var refusedCount = 0
        for _ in 0..<500 {
            var changed = text
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let position = Int.random(in: changed.indices, using: &random)
                changed[position] = bytes.randomElement(using: &random) ?? 0
            }
            if (try? parse(changed)) == nil { refusedCount += 1 }
        }
        #expect((1..<500).contains(refusedCount))
    }

    // MARK: - Depth and size

    @Test func nestingLimitIs512Levels() throws {
        func arrays(_ count: Int) -> String {
            String(repeating: "[", count: count) + String(repeating: "]", count: count)
        }
        func objects(_ count: Int) -> String {
            String(repeating: "{\"a\":", count: count) + "1" + String(repeating: "}", count: count)
        }
        _ = try parse(arrays(512))
        _ = try parse(objects(512))
        #expect(throws: JSONSyntaxError.self) { try parse(arrays(513)) }
        #expect(throws: JSONSyntaxError.self) { try parse(objects(513)) }
        _ = try parse("[" + Array(repeating: arrays(511), count: 3).joined(separator: ",") + "]")
    }

    @Test func excessiveNestingIsRefusedWithoutStackOverflow() {
        let error = #expect(throws: JSONSyntaxError.self) { try parse(String(repeating: "[", count: 1_000_000)) }
        #expect(error?.reason.contains("512") == true)
        #expect(throws: JSONSyntaxError.self) { try parse(String(repeating: "{\"a\":", count: 100_000)) }
    }

    @Test func millionDigitNumberKeepsItsDigits() throws {
        let digits = String(repeating: "9", count: 1_000_000)
        guard case .number(let number) = try parse(digits) else { return #expect(Bool(false)) }
        #expect(number.text == digits && number.double == .infinity)
        #expect(try parse("0." + String(repeating: "0", count: 1_000_000) + "1").number == 0)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
