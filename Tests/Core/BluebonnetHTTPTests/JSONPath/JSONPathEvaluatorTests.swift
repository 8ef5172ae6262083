// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Testing

/// The semantics of RFC 9535, section by section, with its examples.
@Suite struct JSONPathEvaluatorTests {
    private func expectSelected(_ path: String, _ expected: String, in document: String) throws {
        #expect(try JSONPathSample.selected(path, in: document) == JSONPathSample.value(expected), "\(path)")
    }

    // MARK: - 2.2 and 2.3.1: root and names

    @Test(arguments: ["null", "7", "[1]", #"{"k":"v"}"#]) func rootIsSelected(document: String) throws {
        try expectSelected("$", "[\(document)]", in: document)
        #expect(try JSONPathSample.places("$", in: document) == ["$"])
    }

    @Test(arguments: [
        ("$.o['j j']", #"[{"k.k":3}]"#, ["$['o']['j j']"]), ("$.o['j j']['k.k']", "[3]", ["$['o']['j j']['k.k']"]),
        (#"$.o["j j"]["k.k"]"#, "[3]", ["$['o']['j j']['k.k']"]), (#"$["'"]["@"]"#, "[2]", [#"$['\'']['@']"#]),
        ("$.absent", "[]", []), ("$.o.absent.x", "[]", []), ("$.s.x", "[]", []), ("$.a.x", "[]", []),
        ("$[0]", "[]", []), ("$['a']['0']", "[]", []),
    ])
    func nameSelectsMember(path: String, values: String, places: [String]) throws {
        let document = #"{"o":{"j j":{"k.k":3}},"'":{"@":2},"s":"x","a":[1]}"#
        try expectSelected(path, values, in: document)
        #expect(try JSONPathSample.places(path, in: document) == places)
    }

    @Test func namesAreComparedBytewise() throws {
        let document = "{\"\u{E9}\":1,\"e\u{301}\":2}"
        try expectSelected("$.\u{E9}", "[1]", in: document)
        try expectSelected("$.e\u{301}", "[2]", in: document)
    }

    // MARK: - 2.3.2 to 2.3.4: wildcard, index, slice

    @Test(arguments: [
        ("$[*]", #"[[5,3],{"j":1,"k":2}]"#), ("$.o[*]", "[1,2]"), ("$.o[*, *]", "[1,2,1,2]"), ("$.a[*]", "[5,3]"),
        ("$.*", #"[[5,3],{"j":1,"k":2}]"#), ("$.a[*].*", "[]"), ("$.a[*][*]", "[]"),
    ])
    func wildcardSelectsChildren(path: String, values: String) throws {
        try expectSelected(path, values, in: #"{"o":{"j":1,"k":2},"a":[5,3]}"#)
    }

    @Test(arguments: [
        ("$[1]", ["$[1]"]), ("$[-2]", ["$[0]"]), ("$[-1]", ["$[1]"]), ("$[2]", []), ("$[-3]", []),
        ("$[9007199254740991]", []), ("$[-9007199254740991]", []), ("$['a']", []),
    ])
    func indexSelectsElement(path: String, places: [String]) throws {
        #expect(try JSONPathSample.places(path, in: #"["a","b"]"#) == places)
    }

    @Test(arguments: [
        ("1:3", "bc"), ("5:", "fg"), ("1:5:2", "bd"), ("5:1:-2", "fd"), ("::-1", "gfedcba"), (":", "abcdefg"),
        ("::", "abcdefg"), ("::2", "aceg"), (":2", "ab"), ("-2:", "fg"), (":-5", "ab"), ("-100:2", "ab"),
        ("2:-100", ""), ("3:3", ""), ("3:1", ""), ("1:3:-1", ""), ("::0", ""), ("1:5:0", ""), ("6::-3", "gda"),
        ("-1:-4:-1", "gfe"), ("100::-2", "geca"), (":3:-1", "gfe"), ("0:100:3", "adg"),
        ("0:9007199254740991:9007199254740991", "a"), ("-9007199254740991:9007199254740991", "abcdefg"),
        ("9007199254740991:-9007199254740991:-9007199254740991", "g"), ("3::-9007199254740991", "d"),
    ])
    func sliceSelectsRange(slice: String, letters: String) throws {
        let selected = try JSONPathSample.selected("$[\(slice)]", in: #"["a","b","c","d","e","f","g"]"#)
        #expect(selected == .array(letters.map { .string(String($0)) }))
    }

    @Test func sliceOfOtherValuesSelectsNothing() throws {
        try expectSelected("$[*][:]", "[]", in: #"["abc",{"0":1},7]"#)
        try expectSelected("$[::-1]", "[]", in: "[]")
    }

    // MARK: - 2.5: segments

    @Test(arguments: [
        ("$[0, 3]", #"["a","d"]"#), ("$[0:2, 5]", #"["a","b","f"]"#), ("$[0, 0]", #"["a","a"]"#),
        ("$[5,'x',*][0]", "[]"), ("$[3,-1,?@=='b']", #"["d","g","b"]"#),
    ])
    func childSegmentAppliesSelectorsInOrder(path: String, values: String) throws {
        try expectSelected(path, values, in: #"["a","b","c","d","e","f","g"]"#)
    }

    @Test(arguments: [
        ("$..j", "[4,1]"), ("$..[0]", #"[5,{"j":4}]"#), ("$..o", #"[{"j":1,"k":2}]"#), ("$.o..[*, *]", "[1,2,1,2]"),
        ("$.a..[0, 1]", #"[5,3,{"j":4},{"k":6}]"#), ("$..absent", "[]"), ("$..j..j", "[]"),
        ("$..*", #"[[5,3,[{"j":4},{"k":6}]],{"j":1,"k":2},5,3,[{"j":4},{"k":6}],{"j":4},{"k":6},4,6,1,2]"#),
        ("$..[*]", #"[[5,3,[{"j":4},{"k":6}]],{"j":1,"k":2},5,3,[{"j":4},{"k":6}],{"j":4},{"k":6},4,6,1,2]"#),
        ("$..['j','k']", "[4,6,1,2]"), ("$..[?@==6]", "[6]"), ("$..[-1:]", #"[[{"j":4},{"k":6}],{"k":6}]"#),
    ])
    func descendantSegmentVisitsAllLevels(path: String, values: String) throws {
        try expectSelected(path, values, in: #"{"o":{"j":1,"k":2},"a":[5,3,[{"j":4},{"k":6}]]}"#)
    }

    // MARK: - 2.6: null

    @Test(arguments: [
        ("$.a", "[null]"), ("$.a[0]", "[]"), ("$.a.d", "[]"), ("$.b[0]", "[null]"), ("$.b[*]", "[null]"),
        ("$.b[?@]", "[null]"), ("$.b[?@==null]", "[null]"), ("$.c[?@.d==null]", "[]"), ("$.null", "[1]"),
    ])
    func nullIsValueLikeOthers(path: String, values: String) throws {
        try expectSelected(path, values, in: #"{"a":null,"b":[null],"c":[{}],"null":1}"#)
    }

    // MARK: - 2.7: normalized paths

    @Test(arguments: [
        ("a", "$['a']"), ("\u{B}", #"$['\u000b']"#), ("\u{8}\t\n\u{C}\r", #"$['\b\t\n\f\r']"#),
        ("'\"\\/", #"$['\'"\\/']"#), ("\u{1F}\0", #"$['\u001f\u0000']"#), ("\u{7F}é😀", "$['\u{7F}é😀']"),
        ("", "$['']"),
    ])
    func normalizedPathEscapesName(name: String, normalized: String) throws {
        let document = JSONValue.object([name: .integer(1)])
        #expect(try JSONPath("$.*").nodes(in: document).map(\.path) == [normalized])
        #expect(try JSONPath(normalized).values(in: document) == [.integer(1)])
    }

    @Test func normalizedPathHasPositiveIndices() throws {
        #expect(try JSONPathSample.places("$[-3]", in: "[0,1,2,3,4]") == ["$[2]"])
        #expect(try JSONPathSample.places("$.a.b[1:2]", in: #"{"a":{"b":[0,1,2]}}"#) == ["$['a']['b'][1]"])
    }
}
