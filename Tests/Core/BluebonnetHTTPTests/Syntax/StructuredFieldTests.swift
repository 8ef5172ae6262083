// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

@Suite struct StructuredFieldTests {
    private typealias Item = StructuredField.Item

    @Test(
        arguments: [
            ("1", .integer(1)), ("-15", .integer(-15)), ("999999999999999", .integer(999_999_999_999_999)),
            ("1.5", .decimal(1.5)), ("-0.125", .decimal(-0.125)), ("\"a \\\" b\\\\\"", .string("a \" b\\")),
            ("foo/bar:*", .token("foo/bar:*")), ("*x", .token("*x")), ("?1", .boolean(true)), ("?0", .boolean(false)),
            (":aGk=:", .bytes([0x68, 0x69])), ("@1659578233", .date(1_659_578_233)),
            ("%\"f%c3%bc\"", .displayString("fü")),
        ] as [(String, StructuredField.BareItem)])
    func itemIsRead(text: String, value: StructuredField.BareItem) {
        #expect(StructuredField.list([text]) == [.item(Item(value))])
    }

    @Test(arguments: [
        "1,", ",1", "1,,2", "1 2", "\"a", "\"a\\b\"", "\"\u{e9}\"", "?2", "?", "1.", "1.2345", "1234567890123456",
        "1234567890123.1", "-", "(1", "(1 2", "(1,2)", "a;B", "a;", "a;=1", ":a", ":a!:", "@1.5", "@a", "%\"%C3%BC\"",
        "%\"%c3\"", "%a", "a b", "1;a=", "é",
    ])
    func invalidListIsNoValue(text: String) {
        #expect(StructuredField.list([text]) == nil)
    }

    @Test func listHasParametersAndInnerLists() {
        let members = StructuredField.list(["a;x=1;y, (\"b\" c;z=?0);w=*", "\t d"])
        #expect(
            members == [
                .item(Item(.token("a"), parameters: ["x": .integer(1), "y": .boolean(true)])),
                .innerList(
                    [Item(.string("b")), Item(.token("c"), parameters: ["z": .boolean(false)])],
                    parameters: ["w": .token("*")]),
                .item(Item(.token("d"))),
            ])
        #expect(StructuredField.list([]) == [])
        #expect(StructuredField.list([" "]) == [])
    }

    @Test func lastValueOfDictionaryKeyCounts() {
        let members = StructuredField.dictionary(["a=1, b;x=2", "a=(), c=?0"])
        #expect(members?["a"] == .innerList([], parameters: [:]))
        #expect(members?["b"] == .item(Item(.boolean(true), parameters: ["x": .integer(2)])))
        #expect(members?["c"]?.boolean == false)
        for text in ["A=1", "a=", "a=1,", "=1", "a 1"] { #expect(StructuredField.dictionary([text]) == nil) }
    }

    @Test func listOfStringsHasOnlyStrings() {
        #expect(StructuredField.strings(["\"a\", \"b\"", "\"c\";x"]) == ["a", "b", "c"])
        #expect(StructuredField.strings(["\"a\", b"]) == nil)
        #expect(StructuredField.strings(["(\"a\")"]) == nil)
    }

    @Test func writtenStringIsReadAgain() {
        for text in ["", "a", "a\"b\\c", " ~"] {
            let written = StructuredField.text(ofString: text)
            #expect(written.flatMap { StructuredField.strings([$0]) } == [text])
        }
        #expect(StructuredField.text(ofString: "ü") == nil)
        #expect(StructuredField.text(ofString: "a\n") == nil)
    }
}
