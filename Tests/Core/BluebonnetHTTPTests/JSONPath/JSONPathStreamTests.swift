// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

@Suite struct JSONPathStreamTests {
    private struct Unexpected: Error {}

    /// Delivers at most a number of values.
    private func delivered(_ path: String, _ text: String, limit: Int = .max) throws -> [JSONValue] {
        var values: [JSONValue] = []
        try Array(text.utf8).withUnsafeBytes { bytes in
            try JSONPath(path).forEachValue(inText: bytes) { value in
                values.append(value)
                return values.count < limit
            }
        }
        return values
    }

    private func ranges(_ path: String, _ text: String) throws -> [String] {
        let bytes = Array(text.utf8)
        var ranges: [String] = []
        try bytes.withUnsafeBytes { text in
            try JSONPath(path).forEachRange(inText: text) { range in
                ranges.append(String(decoding: bytes[range], as: UTF8.self))
                return true
            }
        }
        return ranges
    }

    @Test(arguments: [
        ("$", ["{ \"data\" : [ {\"id\": 1}, {\"id\": [2 ]}, 7, {} ] , \"next\" : null }"]),
        ("$.data[*].id", ["1", "[2 ]"]),
        ("$.data[1:]", ["{\"id\": [2 ]}", "7", "{}"]), ("$.data[::2]", ["{\"id\": 1}", "7"]),
        ("$.data[1].id", ["[2 ]"]),
        ("$.data[-1]", ["{}"]), ("$.data[-3].id[0]", ["2"]), ("$.data[3,0]", ["{}", "{\"id\": 1}"]),
        ("$.next", ["null"]),
        ("$.*", ["[ {\"id\": 1}, {\"id\": [2 ]}, 7, {} ]", "null"]), ("$['next','data'][0]", ["{\"id\": 1}"]),
        ("$.data[?@.id == 1].id", ["1"]), ("$.data[?@.id].*", ["1", "[2 ]"]), ("$.data[::-1].id", ["[2 ]", "1"]),
        ("$.absent[*]", []), ("$.next[*]", []), ("$.data.id", []), ("$.data[9].id", []), ("$.data[5:1]", []),
        ("$[0]", []),
        ("$[?@[3]]", ["[ {\"id\": 1}, {\"id\": [2 ]}, 7, {} ]"]), ("$.data[:2][?@ == 1]", ["1"]),
    ])
    func rangesExcludeSurroundingSpace(path: String, ranges: [String]) throws {
        let text = "\u{FEFF} { \"data\" : [ {\"id\": 1}, {\"id\": [2 ]}, 7, {} ] , \"next\" : null } "
        #expect(try self.ranges(path, text) == ranges)
        #expect(try delivered(path, text) == ranges.map(JSONPathSample.value))
    }

    @Test(arguments: [
        ("$.data[*].id", ["1", "2"]), ("$[*][*]", []), ("$.data[?@.id > 0].id", ["1", "2"]),
        ("$.data[0:9:1]['id']", ["1", "2"]),
    ])
    func valuesAreDeliveredBeforeTextEnds(path: String, values: [String]) throws {
        let text = #"{"data":[{"id":1},{"id":2},"#
        if values.isEmpty {
            #expect(throws: JSONSyntaxError.self) { try delivered(path, text) }
        } else {
            #expect(try delivered(path, text, limit: 2) == values.map(JSONPathSample.value))
        }
    }

    @Test(arguments: [
        ("$.a", #"{"a":1,"b":"x}"#), ("$[0]", "[1,2,]"), ("$[*]", "[1] 2"), ("$.x.y", #"{"x":{"y":1}"#),
        ("$[:1]", "[1,01]"),
        ("$..a", #"{"a":1,}"#), ("$[?@.a]", #"[{"a":1},{"a":1,}]"#), ("$[1,0]", "[1,2"), ("$.*", #"{"a":"\x"}"#),
        ("$", ""),
        ("$[?@ == $]", "[1,"), ("$.b", "{\"a\":\"\u{1}\"}"), ("$[*]['a','b']", #"[{"a":1,"b":tru}]"#),
    ])
    func invalidTextHasErrorOfParser(path: String, text: String) throws {
        let bytes = Array(text.utf8)
        let expected = #expect(throws: JSONSyntaxError.self) { try bytes.withUnsafeBytes { try JSONParser.check($0) } }
        let error = #expect(throws: JSONSyntaxError.self) { try delivered(path, text) }
        #expect(error == expected)
    }

    @Test(arguments: [
        ("$.a", #"{"a":1,"a":2}"#, ["2"]), ("$.a.b", #"{"a":{"b":1},"a":{"c":2}}"#, []),
        ("$[*].a", #"[{"a":1,"\u0061":2}]"#, ["2"]),
        ("$.a[0]", #"{"a":[1],"b":0,"a":7}"#, []), ("$.a[*]", #"{"a":[],"a":[1,2]}"#, ["1", "2"]),
        ("$.a[-1]", #"{"a":[1],"a":[2,3]}"#, ["3"]),
        ("$.*", #"{"b":1,"a":2,"b":3}"#, ["2", "3"]), ("$['a','a']", #"{"a":1,"a":2}"#, ["2", "2"]),
        ("$..a", #"{"a":1,"a":2}"#, ["2"]),
        ("$[?@ > 1]", #"{"a":5,"a":1,"b":2}"#, ["2"]),
    ])
    func laterMemberCounts(path: String, text: String, values: [String]) throws {
        #expect(try delivered(path, text) == values.map(JSONPathSample.value))
    }

    @Test func repeatedMemberAfterDeliveryIsError() throws {
        let text = #"{"a":[1,2],"b":0,"a":[3]}"#
        let error = #expect(throws: JSONPathRepeatedMember.self) { try delivered("$.a[*]", text) }
        #expect(error == JSONPathRepeatedMember(name: "a", offset: 17))
        #expect(try delivered("$.a[*]", text, limit: 2) == [1, 2])
        #expect(try Array(text.utf8).withUnsafeBytes { try JSONPath("$.a[*]").values(inText: $0) } == [3])
    }

    @Test func errorOfClosureIsRethrown() {
        #expect(throws: Unexpected.self) {
            try Array("[1]".utf8).withUnsafeBytes { text in
                try JSONPath("$[*]").forEachValue(inText: text) { _ in throw Unexpected() }
            }
        }
    }

    @Test(arguments: ["[0,0,0,0,0,0,0,0,0,0]", "[-1,-1,-1,-1,-1,-1,-1,-1,-1,-1]", "[*,*,*,*,*,*,*,*,*,*]"])
    func textThatIsReadOftenHitsLimit(segment: String) throws {
        let text = Array("[[[[[[\(String(repeating: " ", count: 10_000))]]]]]]".utf8)
        let path = try JSONPath("$" + String(repeating: segment, count: 5))
        #expect(throws: JSONPathLimitError.self) {
            try text.withUnsafeBytes { try path.forEachValue(inText: $0, stepLimit: 100_000) { _ in true } }
        }
    }

    @Test(arguments: [("$.a[*]", true), ("$[?@.b]", true), ("$..a", false), ("$[?$.b]", false), ("$[?@[?$]]", false)])
    func onlySomePathsHaveRanges(path: String, hasRanges: Bool) throws {
        #expect(try JSONPath(path).hasRanges == hasRanges)
    }
}
