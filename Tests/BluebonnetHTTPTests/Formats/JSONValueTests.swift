// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct JSONValueTests {
    private let value: JSONValue = .object([
        "text": .string("x"), "count": .integer(3), "ratio": .number(0.5), "isOn": .bool(true), "none": .null,
        "list": .array([.integer(1), .string("two")]),
    ])

    @Test func membersAndElementsAreReachedBySubscript() {
        #expect(value["text"]?.string == "x")
        #expect(value["list"]?[1]?.string == "two")
        #expect(value["list"]?[2] == nil)
        #expect(value["list"]?[-1] == nil)
        #expect(value["missing"] == nil)
        #expect(value["text"]?["x"] == nil)
        #expect(value[0] == nil)
    }

    @Test func readersAnswerForTheirKindOnly() {
        #expect(value["count"]?.integer == 3)
        #expect(value["count"]?.number == 3)
        #expect(value["ratio"]?.integer == nil)
        #expect(value["ratio"]?.number == 0.5)
        #expect(value["isOn"]?.bool == true)
        #expect(value["isOn"]?.number == nil)
        #expect(value["none"]?.string == nil)
        #expect(value["list"]?.array?.count == 2)
        #expect(value.object?.count == 6)
        #expect(value.array == nil)
        #expect(value["list"]?.object == nil)
    }

    @Test(arguments: [
        String.Encoding.utf8, .utf16, .utf16BigEndian, .utf16LittleEndian, .utf32BigEndian, .utf32LittleEndian,
    ])
    func textIsParsedInEveryEncodingThatJSONMayHave(encoding: String.Encoding) throws {
        for (text, expected) in [
            ("[\"é😀\"]", JSONValue.array([.string("é😀")])), ("1", .integer(1)), ("{}", .object([:])),
        ] {
            let data = try #require(text.data(using: encoding))
            #expect(try JSONValue(parsing: data) == expected)
        }
    }

    @Test func valueSurvivesEncodingAndDecoding() throws {
        let data = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
        #expect(try JSONValue(parsing: data) == value)
    }

    @Test func foundationTakesItsObject() throws {
        let data = try JSONSerialization.data(withJSONObject: value.foundationObject)
        #expect(try JSONValue(parsing: data) == value)
    }
}
