// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import Foundation
import Testing

@testable import BluebonnetBatch

@Suite struct ExtractedValuesTests {
    private static func values(_ members: String, of body: String) throws -> JSONValue? {
        let line = try RequestLineParser().parse(line: Data(#"{"url":"u",\#(members)}"#.utf8), number: 1)?.line
        let pipeline = try #require(line?.pipeline)
        return try pipeline.values(in: AssertionVerdictTests.response(body))
    }

    @Test func eachSourceGivesItsValue() throws {
        let members = #"""
            "extract":{"one":"$.a","many":"$.l[*]","none":"$.x","etag":{"header":"etag"},"no":{"header":"X"},
            "status":{"status":true},"duration":{"duration":true},"group":{"text":"\"a\":(\\d)"},
            "whole":{"text":"\"a\":\\d"},"unmatched":{"text":"zzz"}}
            """#
        #expect(
            try Self.values(members, of: #"{"a":5,"l":[1,2]}"#) == [
                "one": 5, "many": [1, 2], "none": nil, "etag": "\"x\"", "no": nil, "status": 200, "duration": 0.25,
                "group": "5", "whole": "\"a\":5", "unmatched": nil,
            ])
    }

    @Test func rowsGiveAnArrayWithPathsFromEachRow() throws {
        let members = #""rows":"$.lines[*]","extract":{"sku":"$.sku","sum":"$.total","s":{"status":true}}"#
        let body = #"{"lines":[{"sku":"a","total":1.50},{"sku":"b"}]}"#
        let number = try #require(JSONNumber("1.50"))
        #expect(
            try Self.values(members, of: body) == [
                ["sku": "a", "sum": .number(number), "s": 200], ["sku": "b", "sum": nil, "s": 200],
            ])
        #expect(try Self.values(members, of: #"{"lines":[]}"#) == [])
    }

    @Test func bodyThatIsNoJSONFailsTheLine() throws {
        do {
            _ = try Self.values(#""extract":{"a":"$.a"}"#, of: "no json")
            Issue.record("no error")
        } catch let error as NetworkingError {
            #expect(error.code == .cannotParseResponse)
            #expect(error.message.hasPrefix("values cannot be extracted: the body is not JSON"))
        }
    }
}
