// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetHTTP
import Testing

@Suite struct JSONPathErrorTests {
    @Test(arguments: [
        ("", "a path begins with $", 0), ("data.id", "a path begins with $", 0),
        ("$.a.[0]", "no dot precedes a bracket", 4), ("$.", "a name or * is expected after the dot", 2),
        ("$.foo-bar", "names with other characters go in brackets: $['foo-bar']", 5),
        ("$.a[0].foo-bar.x", "names with other characters go in brackets: $.a[0]['foo-bar']", 10),
        ("$..foo-bar", "names with other characters go in brackets: $..['foo-bar']", 6),
        ("$.1st", "names with other characters go in brackets: $['1st']", 2),
        ("$[?@.foo-bar == 1]", "names with other characters go in brackets: @['foo-bar']", 8),
        ("$[foo]", "names in brackets are quoted: ['foo']", 2),
        ("$[foo, 1]", "names in brackets are quoted: ['foo']", 2),
        ("$.'a'", "quoted names go in brackets, without a dot", 2), ("$a", "a segment begins with . or [", 1),
        ("$.a ", "blank space follows the path", 3), ("$['a' 0]", "a comma or ] is expected", 6),
        ("$['a'", "the bracket is not closed", 1), ("$['a", "the string is not closed", 2),
        ("$[01]", "a number has no leading zeros", 2), ("$[-0]", "-0 is not an index: use 0", 2),
        ("$[9007199254740992]", "an index is at most 9007199254740991 and at least -9007199254740991", 2),
        ("$[(@.length-1)]", "a filter begins with ?, and the last element has the index -1", 2),
        ("$.a.length()", "functions are called in filters, such as [?length(@.name) > 1]", 10),
        ("$[?@.a = 1]", "values are compared with ==, not with =", 7),
        ("$[?@.a === 1]", "values are compared with ==, not with ===", 7),
        ("$[?@.a <> 1]", "values are compared with !=, not with <>", 7),
        ("$[?@.a =~ 'x']", "=~ is not an operator: use match() or search()", 7),
        ("$[?@.a & @.b]", "conditions are joined with &&", 7),
        ("$[?@.a or @.b]", "conditions are joined with ||, not with or", 7),
        ("$[?a == 1]", "queries begin with @ or $, strings are quoted, literals are true, false and null", 3),
        ("$[?@.a == /x/]", "patterns are strings: match(@.name, 'pattern')", 10),
        ("$[?@.* == 1]", "only a query for one value is compared: names and indices, one in each segment", 3),
        (
            "$[?length(@.*) == 1]",
            "only a query for one value is this argument: names and indices, one in each segment", 10
        ),
        ("$[?@[ 'a' ] == 1]", "no blank space is allowed in brackets of a query for one value", 5),
        ("$[?!@.a == 1]", "a negated comparison is in parentheses: !(…)", 4),
        ("$[?(@.a) == 1]", "parentheses enclose a condition, which == cannot compare", 3),
        ("$[?'a']", "a literal is not a condition: compare it", 3),
        ("$[?length(@)]", "length() is not a condition: compare its result", 3),
        ("$[?match(@, 'a') == true]", "match() is a condition, which cannot be compared or passed to a function", 3),
        ("$[?foo(@)]", "unknown function foo: the functions are count, length, match, search and value", 3),
        ("$[?match(@)]", "match() has 2 arguments, not 1", 3),
        ("$[?count(1) > 1]", "the argument of count() is a query, such as @.*", 9),
        ("$[?length(@.a == 1) > 1]", "length() takes no conditions as arguments", 10),
        ("$['\\x']", "unknown escape: a backslash is written as \\\\", 3), ("$['\\ud800']", "half a surrogate pair", 3),
        ("$['a\n']", "a control character in a string is written as \\u00…", 4),
        ("$.é.[0]", "no dot precedes a bracket", 5),
    ])
    func errorSaysWhatWasExpected(path: String, reason: String, offset: Int) {
        let error = #expect(throws: JSONPathError.self) { try JSONPath(path) }
        #expect(error?.reason == reason)
        #expect(error?.offset == offset)
        #expect(error?.description == "\(reason) at byte \(offset) of the path")
    }

    @Test func limitErrorNamesItsLimit() throws {
        let error = #expect(throws: JSONPathLimitError.self) {
            try JSONPath("$..*").values(in: .array([.null, .null]), stepLimit: 3)
        }
        #expect(error?.description == "the path needs more than 3 steps in this document")
    }
}
