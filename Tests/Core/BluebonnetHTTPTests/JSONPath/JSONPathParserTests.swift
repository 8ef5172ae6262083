// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

/// The grammar of RFC 9535, appendix A.
@Suite struct JSONPathParserTests {
    private func expectValid(_ text: String) {
        #expect(throws: Never.self, "\(text)") { try JSONPath(text) }
    }

    private func expectInvalid(_ text: String) {
        #expect(throws: JSONPathError.self, "\(text)") { try JSONPath(text) }
    }

    // MARK: - Segments

    @Test(arguments: [
        "$", "$.a", "$.a.b", "$._", "$.a1", "$.é😀", "$.*", "$..a", "$..*", "$..['a']", "$..[*]", "$['a']['b']", "$[*]",
        "$ .a", "$ \t\r\n['a']", "$.a ..b", "$[ 'a' ]", "$[\n'a'\t,\r0 ]", "$.a.true", "$.and", "$[0][1][-1]",
        "$.\u{80}",
        "$['']", "$[\"\"]", "$[0,1,2]", "$['a',0,*,:,?@]",
    ])
    func segmentIsValid(path: String) { expectValid(path) }

    @Test(arguments: [
        "", " ", "a", "@", "@.a", " $", "$ ", "$.a ", "$\n", "$a", "$.", "$. a", "$.\n*", "$.. a", "$..", "$.. ['a']",
        "$...a", "$.a.", "$.a..", "$.1", "$.1a", "$.-a", "$.a-b", "$.'a'", "$.\"a\"", "$.[0]", "$.a.[0]", "$[", "$[]",
        "$[ ]", "$['a'", "$['a',]", "$[,'a']", "$['a' 'b']", "$['a',,'b']", "$]", "$['a']]", "$[a]", "$[a.b]", "$.a b",
        "$$", "$.a$", "$.$", "$.@", "$[$]", "$[@]", "$[(@.length-1)]", "$.a()", "$.&", "$[**]", "$.**", "$[1a]",
        "$\u{A0}.a",
        "$\u{C}.a", "$.a\0", "$..[", "$.a#", "$/a", "\u{FEFF}$",
    ])
    func segmentIsInvalid(path: String) { expectInvalid(path) }

    // MARK: - Strings

    @Test(arguments: [
        (#"'a'"#, "a"), (#""a""#, "a"), (#"'"'"#, "\""), (#""'""#, "'"), (#"'\''"#, "'"), (#""\"""#, "\""),
        (#"'\b\f\n\r\t\/\\'"#, "\u{8}\u{C}\n\r\t/\\"), (#"'\u0041\u00e9\u20AC'"#, "Aé€"), (#"'\uD83D\uDE00'"#, "😀"),
        (#"'\ud83d\ude00'"#, "😀"), (#"'\u0000'"#, "\0"), (#"'\uD7FF\uE000\uFFFF'"#, "\u{D7FF}\u{E000}\u{FFFF}"),
        ("'é😀\u{7F}\u{2028}'", "é😀\u{7F}\u{2028}"), ("' $.[]?@ '", " $.[]?@ "),
    ])
    func stringIsDecoded(literal: String, text: String) throws {
        let document = JSONValue.object([text: .integer(1)])
        #expect(try JSONPath("$[\(literal)]").values(in: document) == [.integer(1)])
        #expect(try JSONPath("$[?@ == \(literal)]").values(in: .array([.string(text)])) == [.string(text)])
    }

    @Test(arguments: [
        #"'"#, #"'a"#, #"'a""#, #""a'"#, #"'\"'"#, #""\'""#, #"'\'"#, #"'\a'"#, #"'\x41'"#, #"'\0'"#, #"'\u'"#,
        #"'\u004'"#,
        #"'\u00g0'"#, #"'\U0041'"#, #"'\u+041'"#, #"'\uD800'"#, #"'\uDC00'"#, #"'\uD800\uD800'"#, #"'\uD800\u0041'"#,
        #"'\uD800x'"#, #"'\uD83D\n'"#, #"'\u{41}'"#, "'a\nb'", "'\u{1F}'", "'\0'", "'\t'", #"'\ '"#, #"'\u00４1'"#,
        "`a`",
    ])
    func stringIsInvalid(literal: String) {
        expectInvalid("$[\(literal)]")
        expectInvalid("$[?@ == \(literal)]")
    }

    // MARK: - Indices and slices

    @Test(arguments: [
        "0", "1", "-1", "10", "9007199254740991", "-9007199254740991", ":", "::", "1:", ":1", "1:2", "1:2:", "1:2:3",
        "::3",
        "-1:-2:-3", "1 : 2 : 3", " :\t:\n1 ", "1:\r2", ": :", "0:0:0", "1 :", ": 1", ":: 1",
        "-9007199254740991:9007199254740991:-9007199254740991",
    ])
    func indexOrSliceIsValid(selector: String) { expectValid("$[\(selector)]") }

    @Test(arguments: [
        "-0", "00", "01", "-01", "+1", "1.0", "1e2", "-", "--1", "- 1", "0x1", "9007199254740992", "-9007199254740992",
        "99999999999999999999", "1:01", "-0:", ":-0", "::-0", "1:2:3:4", ":::", "1:2.0", "1:9007199254740992",
        "::-9007199254740992", "1:a", "1:'a'", "1-2", "1..2", "٣",
    ])
    func indexOrSliceIsInvalid(selector: String) { expectInvalid("$[\(selector)]") }

    // MARK: - Filters

    @Test(arguments: [
        "?@", "? @", "?@.a", "?$", "?$.a[*]", "?@..a", "?@[*,1]", "?(@.a)", "?( @.a )", "?!@.a", "?! @.a", "?!(@.a)",
        "?! ( @.a )",
        "?@.a&&@.b||@.c", "?@.a && @.b\n|| @.c", "?(@.a || @.b) && !@.c", "?@.a==1", "?@.a  ==\t1", "?1==@.a", "?1==1",
        "?@['a']==1", "?@[0] < $[-1]", "?@ .a [0]==1", "?'a'!=\"b\"", "?true==false", "?null>=null", "?@==-0",
        "?@==-0.0",
        "?@==1.5e3", "?@==1E-2", "?@==1e+2", "?@==0e0", "?@==10000000000000000000000", "?@[?@.a]", "?@.*,?@.a",
        "?@.true", "?((@.a))", "?!match(@,'a')", "?@==1,0", "?match(@.a,'b')&&@.c",
    ])
    func filterIsValid(selector: String) { expectValid("$[\(selector)]") }

    @Test(arguments: [
        "?", "?1", "?'a'", "?true", "?null", "?-1", "?a", "?@.a==", "?==1", "?@.a=1", "?@.a===1", "?@.a<>1", "?@.a!1",
        "?@.a=~'x'",
        "?@.a=='a", "?@.a&@.b", "?@.a|@.b", "?@.a and @.b", "?@.a or @.b", "?@.a&&", "?||@.a", "?!!@.a", "?!@.a==1",
        "?!1", "?! !@.a",
        "?(@.a", "?@.a)", "?()", "?(1)", "?(@.a)==1", "?1==(1)", "?(@.a)==(@.b)", "?@.a==@.*", "?@..a==1", "?@[*]==1",
        "?@[0:1]==1",
        "?@[0,1]==1", "?@['a','b']==1", "?@[?@.a]==1", "?@[?@[?@.a==1]>0]", "?@[ 'a' ]==1", "?1==@[0 ]", "?1<2<3",
        "?@.a==True", "?@.a==NULL", "?@.a==01",
        "?@.a==1.", "?@.a==.5", "?@.a==+1", "?@.a==1e", "?@.a==-", "?@.a==0x1", "?@.a==00", "?@.a==[1]", "?@.a=={}",
        "?@.a==/x/",
        "?@.a == b", "?@a", "?@ a", "?@.a @.b", "?@.a,", "?.a", "?[0]", "?@.a > 1 > 2", "?@.a -1", "?@.a + 1 == 2",
        "?!", "?@.foo-bar",
    ])
    func filterIsInvalid(selector: String) { expectInvalid("$[\(selector)]") }

    // MARK: - Functions

    @Test(arguments: [
        "?length(@) < 3", "?count(@.*) == 1", "?match(@.timezone, 'Europe/.*')", "?value(@..color) == \"red\"",
        "?length(@.a)==1",
        "?length( @.a )==1", "?length(\n'a'\t)==1", "?match(@.a,'b')", "?match( @.a , 'b' )", "?search('a', $.b)",
        "?count($..*)>1",
        "?count(@)==count($)", "?length(value(@..a))==1", "?length(length(@))==@", "?match(value(@.*), 'x')",
        "?match(@.a, '[')",
        "?!search(@.a, 'b') || length(@.b) > 1", "?length(@[0])==1", "?length(@[ 0 ])==1", "?match(1, true)",
        "?length(null)==1",
        "?count(@[?@.a])==1",
        "?value(@['a', 'b'])==1", "?1<=count(@..a)",
    ])
    func functionIsWellTyped(selector: String) { expectValid("$[\(selector)]") }

    @Test(arguments: [
        "?length(@.*) < 3", "?count(1) == 1", "?count('a') == 1", "?count(length(@)) == 1",
        "?match(@.timezone, 'Europe/.*') == true",
        "?value(@..color)", "?length(@)", "?count(@.*)", "?foo(@.a)", "?Length(@)==1", "?length (@)==1", "?length()==1",
        "?length(@,@)==1", "?match(@.a)", "?match(@.a,'b','c')", "?search()", "?value(1)==1", "?length(@.a==1)==1",
        "?length(!@.a)==1",
        "?length((@.a))==1", "?count(@.a&&@.b)==1", "?length(match(@,'a'))==1", "?match(@..a,'b')", "?match(@.a,@.*)",
        "?length(@ @)==1", "?length(@", "?length(@,)==1", "?length(,@)==1", "?count(match(@.a,'b'))==1",
        "?true==match(@.a,'b')",
        "?bnl(@.*)", "?@.length()==1", "?length", "?count(@.*", "?match(@.a, b)", "?le-n(@)==1",
    ])
    func functionIsNotWellTyped(selector: String) { expectInvalid("$[\(selector)]") }

    // MARK: - Depth

    @Test(arguments: [("(", ")"), ("!(", ")"), ("@[?", "]"), ("count(@[?", "])==1")])
    func nestingIsLimited(opening: String, closing: String) {
        func path(_ depth: Int) -> String {
            "$[?" + String(repeating: opening, count: depth) + "@.a==1" + String(repeating: closing, count: depth) + "]"
        }
        expectValid(path(30))
        let error = #expect(throws: JSONPathError.self) { try JSONPath(path(100_000)) }
        #expect(error?.reason == "more than 64 nested filters, parentheses and functions")
    }

    @Test func longPathIsValid() throws {
        let path = try JSONPath("$" + String(repeating: ".a", count: 100_000))
        #expect(try path.values(in: .object(["a": .integer(1)])) == [])
        #expect(path.segments.count == 100_000)
    }
}
