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

    @Test func accessorsReturnNilForOtherKinds() {
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

    @Test func literalsCreateValues() {
        let name = "Ada"
        let value: JSONValue = [
            "id": 17, "name": "\(name)", "price": 9.5, "paid": false, "note": nil, "tags": ["new", 1, [:], []],
        ]
        #expect(
            value.description
                == #"{"id":17,"name":"Ada","note":null,"paid":false,"price":9.5,"tags":["new",1,{},[]]}"#)
        #expect(value["note"] == .null && value["none"] == nil)
        let twice: JSONValue = ["a": 1, "a": 2]
        #expect(twice == .object(["a": .integer(2)]))
    }

    @Test func descriptionIsJSON() {
        #expect(
            "\(JSONValue.object(["b": .array([.integer(1), .null]), "a": .string("x\"")]))"
                == #"{"a":"x\"","b":[1,null]}"#)
        #expect("\(JSONValue.number(0.5))" == "0.5")
        #expect("\(value)" == #"{"count":3,"isOn":true,"list":[1,"two"],"none":null,"ratio":0.5,"text":"x"}"#)
    }

    @Test func nullsAreRemovedAtAnyDepth() throws {
        let value = try JSONValue(parsing: Data(#"{"a":null,"b":[null,{"c":null,"d":1}]}"#.utf8))
        #expect("\(value.removingNulls())" == #"{"b":[{"d":1}]}"#)
        #expect("\(value.removingNulls(fromArrays: false))" == #"{"b":[null,{"d":1}]}"#)
        #expect("\(value.removingNulls(fromObjects: false))" == #"{"a":null,"b":[{"c":null,"d":1}]}"#)
        #expect(JSONValue.null.removingNulls() == .null)
    }

    @Test(arguments: [
        String.Encoding.utf8, .utf16, .utf16BigEndian, .utf16LittleEndian, .utf32BigEndian, .utf32LittleEndian,
    ])
    func textIsParsedInEveryJSONEncoding(encoding: String.Encoding) throws {
        for (text, expected) in [
            ("[\"é😀\"]", JSONValue.array([.string("é😀")])), ("1", .integer(1)), ("{}", .object([:])),
        ] {
            let data = try #require(text.data(using: encoding))
            #expect(try JSONValue(parsing: data) == expected)
        }
    }

    @Test func valueRoundTripsThroughFoundationCoders() throws {
        let data = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
        #expect(try JSONValue(parsing: data) == value)
    }

    @Test(arguments: ["12345678901234567890", "18446744073709551615", "123456789012345678.25", "0.1", "1e300", "-2.5"])
    func foundationEncoderKeepsDigits(text: String) throws {
        let value = try JSONValue(parsing: Data("[\(text)]".utf8))
        #expect(try JSONValue(parsing: JSONEncoder().encode(value)) == value)
    }

    @Test(arguments: ["12345678901234567890", "18446744073709551615", "0.1", "1e300", "-2.5"])
    func foundationDecoderKeepsDigits(text: String) throws {
        let value = try JSONValue(parsing: Data("[\(text)]".utf8))
        #expect(try JSONDecoder().decode(JSONValue.self, from: Data("[\(text)]".utf8)) == value)
    }

    @Test func foundationSerializesFoundationObject() throws {
        let data = try JSONSerialization.data(withJSONObject: value.foundationObject)
        #expect(try JSONValue(parsing: data) == value)
    }
}
