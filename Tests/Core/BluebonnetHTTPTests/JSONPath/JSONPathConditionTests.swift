// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Testing

/// Filters (RFC 9535, 2.3.5) and functions (2.4), with the RFC's examples.
@Suite struct JSONPathConditionTests {
    private static let document = """
        {"a":[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}],
        "o":{"p":1,"q":2,"r":3,"s":5,"t":{"u":6}},"e":"f"}
        """

    private func expectSelected(_ path: String, _ expected: String, in document: String = document) throws {
        #expect(try JSONPathSample.selected(path, in: document) == JSONPathSample.value(expected), "\(path)")
    }

    /// Whether the condition is true in a document.
    private func isTrue(_ condition: String, in document: String) throws -> Bool {
        try !JSONPath("$[?\(condition)]").values(in: .array([JSONPathSample.value(document)])).isEmpty
    }

    @Test(arguments: [
        ("$.a[?@.b == 'kilo']", #"[{"b":"kilo"}]"#), ("$.a[?(@.b == 'kilo')]", #"[{"b":"kilo"}]"#),
        ("$.a[?@>3.5]", "[5,4,6]"), ("$.a[?@.b]", #"[{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}]"#),
        ("$[?@[?@.b]].length", "[]"), ("$.o[?@<3, ?@<3]", "[1,2,1,2]"),
        (#"$.a[?@<2 || @.b == "k"]"#, #"[1,{"b":"k"}]"#),
        (#"$.a[?match(@.b, "[jk]")]"#, #"[{"b":"j"},{"b":"k"}]"#),
        (#"$.a[?search(@.b, "[jk]")]"#, #"[{"b":"j"},{"b":"k"},{"b":"kilo"}]"#),
        ("$.o[?@>1 && @<4]", "[2,3]"), ("$.o[?@.u || @.x]", #"[{"u":6}]"#), ("$.a[?@.b == $.x]", "[3,5,1,2,4,6]"),
        ("$.a[?!@.b]", "[3,5,1,2,4,6]"), ("$.a[?!(@.b || @ < 4)]", "[5,4,6]"), ("$.e[?@]", "[]"),
    ])
    func filterSelectsChildren(path: String, values: String) throws { try expectSelected(path, values) }

    @Test func filterWithQueryTestsExistence() throws {
        #expect(try JSONPathSample.places("$[?@.*]", in: Self.document) == ["$['a']", "$['o']"])
        #expect(try JSONPathSample.places("$[?@[?@.b]]", in: Self.document) == ["$['a']"])
        #expect(try JSONPathSample.places("$.a[?@ == @]", in: Self.document).count == 10)
        try expectSelected("$[?@.x]", #"[{"x":null},{"x":false}]"#, in: #"[{"x":null},{"x":false},{"y":1},7]"#)
    }

    @Test(arguments: [
        ("true && false || true", true), ("false && false || true", true), ("true || false && false", true),
        ("(true || false) && false", false), ("!false && true", true), ("!(true && false)", true),
        ("((true))", true), ("!(!(true))", true),
    ])
    func conjunctionBindsMoreTightly(condition: String, isTrue: Bool) throws {
        let spelled = condition.replacing("true", with: "1==1").replacing("!false", with: "!(1==2)")
            .replacing("false", with: "1==2")
        #expect(try self.isTrue(spelled, in: "null") == isTrue, "\(spelled)")
    }

    // MARK: - Comparisons

    @Test(arguments: [
        ("$.absent1 == $.absent2", true), ("$.absent1 <= $.absent2", true), ("$.absent == 'g'", false),
        ("$.absent1 != $.absent2", false), ("$.absent != 'g'", true), ("1 <= 2", true), ("1 > 2", false),
        ("13 == '13'", false), ("'a' <= 'b'", true), ("'a' > 'b'", false), ("$.obj == $.arr", false),
        ("$.obj != $.arr", true), ("$.obj == $.obj", true), ("$.obj != $.obj", false), ("$.arr == $.arr", true),
        ("$.arr != $.arr", false), ("$.obj == 17", false), ("$.obj != 17", true), ("$.obj <= $.arr", false),
        ("$.obj < $.arr", false), ("$.obj <= $.obj", true), ("$.arr <= $.arr", true), ("1 <= $.arr", false),
        ("1 >= $.arr", false), ("1 > $.arr", false), ("1 < $.arr", false), ("true <= true", true),
        ("true > true", false), ("null == null", true), ("null <= null", true), ("null < null", false),
        ("null == false", false), ("null == $.absent", false), ("$.absent1 < $.absent2", false),
        ("$.absent1 >= $.absent2", true), ("$.absent <= 1", false), ("false < true", false), ("'' < 'a'", true),
        ("'ab' < 'abc'", true), ("'Z' < 'a'", true), ("'10' < '9'", true), ("$.obj >= 17", false),
    ])
    func comparisonFollowsTable(condition: String, isTrue: Bool) throws {
        let document = #"{"obj":{"x":"y"},"arr":[2,3]}"#
        #expect(try self.isTrue(condition.replacing("$", with: "@"), in: document) == isTrue)
        let path = try JSONPath("$[?\(condition)]")
        #expect(try path.values(in: JSONPathSample.value(document)).isEmpty != isTrue)
    }

    @Test(arguments: [
        ("1.0 == 1", true), ("1e0 == 1.00", true), ("100 == 1E2", true), ("-0 == 0", true), ("-0.0 < 0", false),
        ("0.1 == 0.10", true), ("0.1 < 0.10000000000000000001", true), ("1 < 1.00000000000000000001", true),
        ("12345678901234567890 < 12345678901234567891", true), ("9007199254740993 > 9007199254740992.0", true),
        ("-12345678901234567891 < -12345678901234567890", true), ("1e400 < 1e401", true), ("-1e401 < -1e400", true),
        ("1e400 == 10e399", true), ("1e-400 > 0", true), ("-1e-400 < 0", true), ("1e-400 < 1e-399", true),
        ("9223372036854775807 < 9223372036854775808", true), ("2 > 1.5", true), ("-1.5 > -2", true),
    ])
    func numbersAreComparedByValue(condition: String, isTrue: Bool) throws {
        #expect(try self.isTrue(condition, in: "null") == isTrue)
        let operands = condition.split(separator: " ")
        let compared = try self.isTrue("@[0] \(operands[1]) @[1]", in: "[\(operands[0]),\(operands[2])]")
        #expect(compared == isTrue)
    }

    @Test(arguments: [
        (#"[1,[2,{"a":null}]]"#, #"[1.0,[2,{"a":null}]]"#, true), (#"{"a":1,"b":[2]}"#, #"{"b":[2e0],"a":1}"#, true),
        ("[1,2]", "[2,1]", false), ("[1]", "[1,1]", false), (#"{"a":1}"#, #"{"b":1}"#, false),
        (#"{"a":1}"#, #"{"a":1,"b":2}"#, false), ("[]", "{}", false), ("[]", "[]", true), ("{}", "{}", true),
        (#"["\u00e9"]"#, #"["e\u0301"]"#, false), (#"["a"]"#, #"["\u0061"]"#, true),
    ])
    func arraysAndObjectsAreComparedDeeply(first: String, second: String, isEqual: Bool) throws {
        #expect(try isTrue("@[0] == @[1]", in: "[\(first),\(second)]") == isEqual)
        #expect(try isTrue("@[0] != @[1]", in: "[\(first),\(second)]") != isEqual)
    }

    /// In UTF-16, the first character would be greater.
    @Test func stringsAreOrderedByScalarValues() throws {
        #expect(try isTrue(#"'\uFF5E' < '\uD83D\uDE00'"#, in: "null"))
        #expect(try !isTrue(#"'\u00e9' == 'e\u0301'"#, in: "null"))
    }

    // MARK: - Functions

    @Test(arguments: [
        ("length('')", "0"), ("length('a😀é')", "3"), ("length('e\u{301}')", "2"), ("length(@.a)", "3"),
        ("length(@.o)", "2"), ("length(@)", "3"), ("count(@.*)", "3"), ("count(@..*)", "8"), ("count(@.x)", "0"),
        ("count(@.a)", "1"), ("value(@.a[0])", "1"), ("value(@..c)", "2"), ("length(value(@.s))", "2"),
    ])
    func functionReturnsValue(call: String, value: String) throws {
        #expect(try isTrue("\(call) == \(value)", in: #"{"a":[1,2,3],"o":{"b":1,"c":2},"s":"xy"}"#))
    }

    @Test(arguments: [
        "length(1)", "length(true)", "length(null)", "length(@.absent)", "value(@.a[*])", "value(@.absent)",
        "length(value(@.a[*]))",
    ])
    func functionReturnsNothing(call: String) throws {
        #expect(try isTrue("\(call) == @.nothing", in: #"{"a":[1,2]}"#))
    }

    @Test(arguments: [
        ("match(@.s, @.p)", true), ("match(@.s, 'a.c')", true), ("match(@.s, 'b')", false),
        ("search(@.s, 'b')", true), ("search(@.s, @.absent)", false), ("match(@.absent, '.*')", false),
        ("match(@.n, '1')", false), ("search(@.s, @.n)", false), ("match(@.s, '[')", false),
        ("search(@.s, @.bad)", false), ("!match(@.s, '[')", true), ("search('xabcx', @.s)", true),
    ])
    func patternMatchesStringsOnly(condition: String, isTrue: Bool) throws {
        #expect(try self.isTrue(condition, in: #"{"s":"abc","p":"ab[c]","n":1,"bad":"("}"#) == isTrue)
    }
}
