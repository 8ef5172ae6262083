// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct JSONObjectTests {
    private let twins: JSONObject = ["\u{E9}": .integer(1), "e\u{301}": .integer(2)]

    @Test func namesAreComparedBytewise() {
        #expect(twins.count == 2)
        #expect(twins["\u{E9}"] == .integer(1) && twins["e\u{301}"] == .integer(2))
        #expect(twins.names.map { Array($0.utf8) } == [[0x65, 0xCC, 0x81], [0xC3, 0xA9]])
    }

    @Test func stringsAreComparedBytewise() {
        #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
        #expect(JSONValue.array([.string("K")]) != .array([.string("\u{212A}")]))
    }

    @Test func settingNilRemovesOneMember() {
        var object = twins
        object["\u{E9}"] = nil
        #expect(object == ["e\u{301}": .integer(2)] && object != ["\u{E9}": .integer(2)])
    }

    @Test func literalsAndDictionariesMakeObjects() {
        #expect(JSONObject(["a": .null]) == ["a": .null])
        #expect(["a": .null, "a": .bool(true)] as JSONObject == ["a": .bool(true)])
        #expect(JSONObject().isEmpty && "\(JSONObject(["b": .null, "a": .null]))" == #"{"a":null,"b":null}"#)
    }

    @Test func queryKeepsEquivalentNamesAndNumberTexts() throws {
        var members = twins
        members["n"] = .array(
            try ["12345678901234567890", "100.10", "1e2"].map { .number(try #require(JSONNumber($0))) })
        #expect(
            try QueryEncoder().encode(members)
                == "e%CC%81=2&n%5B%5D=12345678901234567890&n%5B%5D=100.10&n%5B%5D=1e2&%C3%A9=1")
    }

    @Test func propertyListLosingMemberIsRefused() {
        let error = #expect(throws: NetworkingError.self) {
            try PropertyListWriter.data(of: JSONValue.object(twins), format: .xml)
        }
        #expect(error?.message.contains("keys are the same") == true)
    }
}
