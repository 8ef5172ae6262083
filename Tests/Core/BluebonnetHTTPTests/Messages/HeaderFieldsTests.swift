// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct HeaderFieldsTests {
    private typealias Field = HeaderFields.Field

    private static let pairs = [(name: "A", value: "1"), (name: "B", value: "2"), (name: "a", value: "3")]
    /// The same fields, from a list and as received.
    private static let both = [
        HeaderFields(pairs), HeaderFields(FieldBlock(pairs.map { Field(name: $0.name, value: $0.value) })),
    ]

    @Test func fieldLookupIgnoresCase() {
        let headers: HeaderFields = ["X-Token": "abc"]
        #expect(headers["x-token"] == "abc")
        #expect(headers["X-TOKEN"] == "abc")
        #expect(headers["X-Tokens"] == nil)
        #expect(headers.contains(name: "x-TOKEN") && !headers.contains(name: "X-Toke"))
    }

    @Test(arguments: both) func repeatedFieldHasJoinedAndSeparateValues(headers: HeaderFields) {
        #expect(headers["A"] == "1, 3")
        #expect(headers["b"] == "2")
        #expect(headers["C"] == nil)
        #expect(headers.values(for: "a") == ["1", "3"])
        #expect(headers.values(for: "c") == [])
        #expect(headers.contains(name: "b") && !headers.contains(name: "c"))
        #expect(headers.dictionary == ["A": "1, 3", "B": "2"])
        #expect(headers.combined.map(\.description) == ["A: 1, 3", "B: 2"])
    }

    @Test func cookieFieldsAreJoinedWithSemicolons() {
        let headers: HeaderFields = ["Cookie": "a=1", "cookie": "b=2"]
        #expect(headers["Cookie"] == "a=1; b=2")
        #expect(headers.dictionary == ["Cookie": "a=1; b=2"])
    }

    @Test(arguments: both) func fieldsAreOrderedCollection(headers: HeaderFields) {
        #expect(headers.count == 3 && headers.indices == 0..<3)
        #expect(headers.map(\.name) == ["A", "B", "a"])
        #expect(headers.reversed().map(\.value) == ["3", "2", "1"])
        #expect(headers[1].name == "B" && headers.last?.value == "3")
        #expect(headers.filter { $0.hasName("A") }.map(\.value) == ["1", "3"])
    }

    @Test(arguments: both) func settingReplacesFirstFieldAndRemovesOthers(headers: HeaderFields) {
        var headers = headers
        headers["a"] = "4"
        #expect(headers.map(\.name) == ["a", "B"])
        #expect(headers.map(\.value) == ["4", "2"])
        headers["C"] = "5"
        #expect(headers.map(\.value) == ["4", "2", "5"])
    }

    @Test(arguments: both) func settingNilRemovesAllFieldsWithName(headers: HeaderFields) {
        var headers = headers
        headers["missing"] = nil
        #expect(headers.count == 3)
        headers["A"] = nil
        #expect(headers.map(\.name) == ["B"])
        headers["b"] = nil
        #expect(headers.isEmpty)
    }

    @Test(arguments: both) func addedFieldComesLast(headers: HeaderFields) {
        var headers = headers
        headers.add(name: "A", value: "4")
        headers.add(Field(name: "B", value: "5"))
        #expect(headers.map(\.value) == ["1", "2", "3", "4", "5"])
        #expect(headers.values(for: "A") == ["1", "3", "4"])
        headers.removeAll { $0.hasName("a") }
        #expect(headers.map(\.value) == ["2", "5"])
    }

    @Test func literalsAndInitializersKeepRepeatedNames() {
        #expect((["A": "1", "B": "2", "a": "3"] as HeaderFields).map(\.value) == ["1", "2", "3"])
        #expect(
            ([Field(name: "A", value: "1"), Field(name: "a", value: "2")] as HeaderFields).map(\.value) == ["1", "2"])
        #expect(HeaderFields([("A", "1"), ("a", "2")]).map(\.value) == ["1", "2"])
        #expect(HeaderFields(zip(["A", "a"], ["1", "2"])).map(\.value) == ["1", "2"])
        #expect(HeaderFields(Self.both[0].filter { $0.hasName("a") }).map(\.value) == ["1", "3"])
        let empty: [HeaderFields] = [[:], [], HeaderFields()]
        for headers in empty { #expect(headers.isEmpty) }
    }

    @Test func dictionaryIsSortedByName() {
        let members = ["C": "1", "A": "2", "B": "3"]
        #expect(HeaderFields(members).map(\.name) == ["A", "B", "C"])
    }

    @Test func equalityIgnoresOrderExceptOfRepeatedFields() {
        let headers: HeaderFields = ["A": "1", "B": "2", "a": "3"]
        for same in [["b": "2", "a": "1", "A": "3"], ["A": "1", "a": "3", "B": "2"]] as [HeaderFields] {
            #expect(headers == same)
            #expect(headers.hashValue == same.hashValue)
        }
        #expect(Self.both[0] == Self.both[1] && Self.both[0].hashValue == Self.both[1].hashValue)
        for other in [["A": "3", "B": "2", "a": "1"], ["A": "1", "B": "2"], ["A": "1", "B": "2", "C": "3"]]
            as [HeaderFields]
        {
            #expect(headers != other)
        }
    }

    /// Swift considers the kelvin sign, U+212A, and the letter K equal.
    @Test func equalityComparesBytes() {
        #expect(Field(name: "A", value: "K") != Field(name: "A", value: "\u{212A}"))
        #expect(Field(name: "AB", value: "k") != Field(name: "AB", value: "K"))
        #expect(Field(name: "ab", value: "k") == Field(name: "AB", value: "k"))
    }

    @Test func writtenLikeRequiresSameOrderAndSpelling() {
        let fields = Array(Self.both[0])
        #expect(fields.isWrittenLike(fields) && fields.isWrittenLike(Array(Self.both[1])))
        #expect(!fields.isWrittenLike(fields.reversed()) && !fields.isWrittenLike(fields.dropLast()))
        #expect(![Field(name: "a", value: "1")].isWrittenLike([Field(name: "A", value: "1")]))
        #expect(![Field(name: "A", value: "K")].isWrittenLike([Field(name: "A", value: "\u{212A}")]))
        #expect([Field]().isWrittenLike([]))
    }

    @Test(arguments: both) func codingKeepsOrderSpellingAndRepeatedFields(headers: HeaderFields) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(headers)
        let text = #"[{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"a","value":"3"}]"#
        #expect(String(decoding: data, as: UTF8.self) == text)
        let decoded = try JSONDecoder().decode(HeaderFields.self, from: data)
        #expect(Array(decoded).isWrittenLike(Array(headers)))
    }

    @Test func descriptionsHideSecrets() {
        let headers: HeaderFields = [
            "Accept": "a/b", "authorization": "s3cret", "Proxy-Authorization": "s3cret", "COOKIE": "s3cret",
            "Set-Cookie": "s3cret",
        ]
        var dumped = ""
        dump(headers, to: &dumped)
        let texts = ["\(headers)", String(reflecting: headers), "\(Array(headers))", "\([headers])", dumped]
        for text in texts { #expect(text.contains("a/b") && text.contains("REDACTED") && !text.contains("s3cret")) }
        #expect("\(headers)".hasPrefix("[Accept: a/b, authorization: REDACTED, "))
        #expect(headers["Cookie"] == "s3cret")
    }

    /// More fields than the library compares pairwise.
    @Test func manyFieldsAreCombinedLikeFew() {
        let pairs = (0..<120).map { (name: "N\($0 % 60)", value: "\($0)") }
        let combined = HeaderFields(pairs).combined
        #expect(combined.map(\.name) == (0..<60).map { "N\($0)" })
        #expect(combined.map(\.value) == (0..<60).map { "\($0), \($0 + 60)" })
    }
}
