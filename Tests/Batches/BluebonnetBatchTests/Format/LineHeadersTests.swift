// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch

@Suite struct LineHeadersTests {
    @Test func namesAreLowercaseAndUniqueInOrderOfArrival() {
        let headers = LineHeaders(["Vary": "a", "ETag": "e", "VARY": "b", "vary": ""])
        #expect(headers.fields.map(\.name) == ["vary", "etag"])
        #expect(headers.fields.map(\.values) == [["a, b, "], ["e"]])
    }

    @Test func lineKeepsHeadersAsTheyArrived() {
        var line = ResultLine(id: "1", outcome: .success)
        line.headers = ["Vary": "a", "vary": "b"]
        #expect(line.headers?.map(\.name) == ["Vary", "vary"])
        #expect(line.headers?["VARY"] == "a, b")
    }

    @Test(arguments: [31, 32, 33, 34, 200])
    func repeatedNamesAreMergedAtAnyCount(count: Int) {
        let once = (0..<count).map { (name: "N\($0)", value: "\($0)") }
        let again = once.reversed().map { (name: $0.name.lowercased(), value: "again") }
        let headers = LineHeaders(HeaderFields(once + again))
        #expect(headers.fields.map(\.name) == (0..<count).map { "n\($0)" })
        #expect(headers.fields.map(\.values) == (0..<count).map { ["\($0), again"] })
    }

    /// Most heads are written as they arrived. Heads that need joining or correction are not.
    @Test(arguments: [
        ([("ETag", "\"e\""), ("X-Tab", "a\tb"), ("empty", "")], #"{"etag":"\"e\"","x-tab":"a\tb","empty":""}"#),
        ([("Vary", "a"), ("X", "1"), ("vary", "b")], #"{"vary":"a, b","x":"1"}"#),
        ([("Set-Cookie", "a=1")], #"{"set-cookie":["a=1"]}"#),
        ([("Set-Cookie", "a"), ("SET-COOKIE", "b")], #"{"set-cookie":["a","b"]}"#),
        ([("Name", "Zoë")], #"{"name":"Zoë"}"#), ([], "{}"),
    ])
    func headAndFieldListAreWrittenAlike(_ list: [(String, String)], _ expected: String) {
        let fields = HeaderFields(list.map { (name: $0.0, value: $0.1) })
        for headers in [HeaderFields(FieldBlock(Array(fields))), fields] {
            var line = ResultLine(id: "1", outcome: .success)
            line.headers = headers
            let text = String(decoding: line.encodedLine(), as: UTF8.self)
            #expect(text.contains(#""headers":\#(expected),"attempts""#))
        }
    }

    @Test func cookiesAreNeverJoined() {
        let headers = LineHeaders(["Set-Cookie": "a", "X": "1", "SET-COOKIE": "b"])
        #expect(headers.fields.map(\.values) == [["a", "b"], ["1"]])
    }

    @Test func equalityComparesWrittenFieldsInAnyOrder() {
        let headers = LineHeaders(["A": "1", "B": "2", "a": "3"])
        #expect(headers == LineHeaders(["b": "2", "a": "1, 3"]))
        #expect(headers.hashValue == LineHeaders(["b": "2", "a": "1, 3"]).hashValue)
        #expect(headers != LineHeaders(["b": "2"]))
        #expect(headers != LineHeaders(["a": "1, 3", "b": "3"]))
    }

    @Test func singleCookieIsAnArrayToo() throws {
        let data = try JSONEncoder().encode(LineHeaders(["Set-Cookie": "a"]))
        #expect(String(decoding: data, as: UTF8.self) == #"{"set-cookie":["a"]}"#)
    }

    @Test(arguments: [#"{"a":1}"#, #"{"a":["x",2]}"#, #"{"a":null}"#, #"{"a":{}}"#, "[]"])
    func valuesOfAnotherKindAreNotDecoded(_ text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(LineHeaders.self, from: Data(text.utf8))
        }
    }
}
