// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Testing

@Suite(.timeLimit(.minutes(1))) struct JSONPathTests {
    @Test func pathKeepsItsText() throws {
        let path = try JSONPath("$ .a[ 'b' ]")
        #expect(path.description == "$ .a[ 'b' ]")
        #expect(try path == JSONPath("$ .a[ 'b' ]") && path != JSONPath("$.a['b']"))
        #expect(try JSONPath("$.\u{E9}") != JSONPath("$.e\u{301}"))
        #expect(try Set([path, path, JSONPath("$")]).count == 2)
    }

    @Test(arguments: [
        ("$", true), ("$.a", true), ("$['a'][0].b[-1]", true), ("$[ 'a' ]", true), ("$.*", false), ("$..a", false),
        ("$['a','b']", false), ("$[0:1]", false), ("$[?@.a]", false), ("$.a[*].b", false), ("$[0,0]", false),
    ])
    func singularPathHasOnlyNamesAndIndices(path: String, isSingular: Bool) throws {
        #expect(try JSONPath(path).isSingular == isSingular)
    }

    @Test func valueSelectsAtPath() throws {
        let document: JSONValue = ["data": [["id": 1], ["id": 2]]]
        #expect(try document.values(at: JSONPath("$.data[*].id")) == [1, 2])
    }

    // MARK: - Bounded work

    @Test(arguments: [
        "$..*..*..*..*", "$[*,*,*,*,*,*,*,*,*,*][*,*,*,*,*,*,*,*,*,*][*,*,*,*,*,*,*,*,*,*]",
        "$[?count($..*) == count($..*)]",
        "$[?$..[?$..[?@ == 9]]]", "$..[?$[0] == $[1]]", "$[?count(@..*) > 0 && $ == $]",
    ])
    func explosivePathHitsLimit(path: String) throws {
        let row = JSONValue.array(Array(repeating: .array([2, 3, [4]]), count: 1_000))
        #expect(throws: JSONPathLimitError.self) {
            try JSONPath(path).values(in: .array([row, row, row]), stepLimit: 100_000)
        }
    }

    @Test func comparedStringsAndPatternsCountAsSteps() throws {
        let text = JSONValue.string(String(repeating: "a", count: 100_000))
        let document = JSONValue.array(Array(repeating: text, count: 100))
        for condition in ["@ == $[0]", "@ <= $[0]", "search(@, 'a{20}b')", "length(@) > 1", "match('a', @)"] {
            #expect(throws: JSONPathLimitError.self, "\(condition)") {
                try JSONPath("$[?\(condition)]").values(in: document, stepLimit: 10_000)
            }
        }
        #expect(try JSONPath("$[?@ == $[0]]").values(in: document).count == 100)
    }

    @Test func deepDocumentDoesNotOverflowStack() throws {
        var document: JSONValue = 1
        for _ in 0..<5_000 { document = [document] }
        #expect(try JSONPath("$..*").values(in: document).count == 5_000)
        #expect(try JSONPath("$[?@ == $[0]]").values(in: document).count == 1)
        #expect(try JSONPath("$..[?@ == 1]").nodes(in: document).map(\.path.utf8.count) == [1 + 3 * 5_000])
    }
}
