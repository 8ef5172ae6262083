// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

/// I-Regexps (RFC 9485).
@Suite struct JSONPathPatternTests {
    private func matches(_ pattern: String, _ text: String, isPartial: Bool = false) throws -> Bool {
        var budget = JSONPathBudget(stepLimit: 1_000_000)
        return try #require(try JSONPathPattern(pattern), "\(pattern)").matches(text, isPartial: isPartial, &budget)
    }

    @Test(arguments: [
        ("", [""], ["a"]), ("abc", ["abc"], ["ab", "abcd", "xabc"]), ("a|bc|", ["a", "bc", ""], ["abc", "b"]),
        ("(ab)*", ["", "ab", "abab"], ["aba"]), ("a+", ["a", "aaa"], ["", "ab"]), ("ab?c", ["ac", "abc"], ["abbc"]),
        ("a{3}", ["aaa"], ["aa", "aaaa"]), ("a{2,}", ["aa", "aaaaa"], ["a"]), ("a{0,2}", ["", "a", "aa"], ["aaa"]),
        ("a{0}b", ["b"], ["ab"]), ("(a|b){2,3}c", ["abc", "babc"], ["ac", "ababc"]), ("()*a", ["a"], [""]),
        ("(a*)*b", ["b", "aab"], ["a"]), ("a.c", ["abc", "a😀c", "a\u{2028}c"], ["a\nc", "a\rc", "ac"]),
        ("[a-c]", ["a", "b", "c"], ["d", "", "-"]), ("[^a-c]", ["d", "\n"], ["a", ""]), ("[-a]", ["-", "a"], ["b"]),
        ("[a-]", ["-", "a"], ["b"]), ("[^-a-]", ["b"], ["-", "a"]), ("[.*+?(){}|^]", [".", "*", "|", "^"], ["a"]),
        (#"[\]\[\\\-]"#, ["]", "[", "\\", "-"], ["a"]), (#"[\n-\r]"#, ["\n", "\u{B}", "\r"], ["\t"]),
        (#"\(\)\*\+\-\.\?\[\\\]\^\{\|\}"#, [#"()*+-.?[\]^{|}"#], ["x"]), (#"\n\r\t"#, ["\n\r\t"], ["nrt"]),
        ("^a$", ["a"], ["^a$", "ab"]), ("a^b|$c", ["a^b", "$c"], ["ab", "c"]), ("(^a$)", ["^a$"], ["a"]),
        ("^*a", ["^^a", "a"], ["^"]), ("^ab|c$", ["ab", "c"], ["abc"]), ("😀+", ["😀😀"], ["\u{D7FF}"]),
        ("[α-ω]é", ["βé"], ["Βé"]),
        (",-/>@Z_z~ ", [",-/>@Z_z~ "], [""]),
    ])
    func patternMatchesWholeText(pattern: String, texts: [String], others: [String]) throws {
        for text in texts { #expect(try matches(pattern, text), "\(text)") }
        for text in others { #expect(try !matches(pattern, text), "\(text)") }
    }

    @Test(arguments: [
        ("L", "aÀǅʰ中"), ("Ll", "a"), ("Lm", "ʰ"), ("Lo", "中"), ("Lt", "ǅ"), ("Lu", "À"),
        ("M", "\u{301}\u{903}\u{20DD}"),
        ("Mc", "\u{903}"), ("Me", "\u{20DD}"), ("Mn", "\u{301}"), ("N", "7Ⅷ½"), ("Nd", "٣"), ("Nl", "Ⅷ"), ("No", "½"),
        ("P", "_-)»«!("), ("Pc", "_"), ("Pd", "-"), ("Pe", ")"), ("Pf", "»"), ("Pi", "«"), ("Po", "!"), ("Ps", "("),
        ("Z", " \u{2028}\u{2029}"), ("Zl", "\u{2028}"), ("Zp", "\u{2029}"), ("Zs", "\u{A0}"), ("S", "€^+©"),
        ("Sc", "€"), ("Sk", "^"), ("Sm", "+"), ("So", "©"), ("C", "\u{1}\u{AD}\u{E000}\u{378}"), ("Cc", "\u{1}"),
        ("Cf", "\u{AD}"), ("Cn", "\u{378}"), ("Co", "\u{E000}"),
    ])
    func categoryMatchesItsCharacters(category: String, text: String) throws {
        #expect(try matches("\\p{\(category)}+", text))
        #expect(try matches("[x\\p{\(category)}]+", text))
        #expect(try !matches("\\P{\(category)}", String(text.unicodeScalars.prefix(1)), isPartial: true))
        #expect(try matches("[^\\P{\(category)}]+", text))
    }

    @Test(arguments: [
        ("b", "abc", true), ("", "", true), ("", "x", true), ("bd", "abc", false), ("c|x", "abc", true),
        ("a.*c", "xxabcxx", true), ("[0-9]{3}", "a12b123", true), ("[0-9]{3}", "12 34", false), ("^a", "ab", true),
        ("^a", "ba", false), ("a$", "ba", true), ("a$", "ab", false), ("^$", "", true), ("^$", "a", false),
        ("^a|b$", "xb", true),
        ("^a|b$", "bx", false), ("$1", "it is $1", true),
        ("a.c", "a\nc", false),
    ])
    func partialMatchFindsAnyPart(pattern: String, text: String, isFound: Bool) throws {
        #expect(try matches(pattern, text, isPartial: true) == isFound)
    }

    @Test(arguments: [
        "(", ")", "a)", "(a", "*", "+a", "?", "a**", "a*?", "a|*", "{", "}", "{2}", "a{", "a{}", "a{,2}", "a{2,1}",
        "a{x}", "a{1", "]", "[", "[]", "[^]", "[a", "[b-a]", "[a-b-c]", "[a--]", "[[a]", #"[\p{L}-z]"#, "[a-\\p{L}]",
        "\\", "\\d", "\\w", "\\s", "\\$", "\\/", "\\x", "\\u0041", "\\1", "\\p", "\\p{", "\\p{}", "\\p{X}", "\\p{Cs}",
        "\\p{Lx}", "\\p{Luu}", "\\p{L", "\\p{IsGreek}", "\\pL", "(?:a)", "(?i)a", "(?=a)", "[a&&[b]]", "[---]",
    ])
    func textIsNotPattern(text: String) throws {
        #expect(try JSONPathPattern(text) == nil)
    }

    @Test(arguments: [
        "a{10000}", "(a{100}){101}", "((a{50}){50}){50}", "a{99999999999999999999}", "a{0,10000}",
        String(repeating: "(", count: 100) + String(repeating: ")", count: 100), String(repeating: "a", count: 10_001),
    ])
    func hugePatternIsRefused(pattern: String) {
        #expect(throws: JSONPathLimitError.self) { try JSONPathPattern(pattern) }
        #expect(throws: JSONPathError.self) { try JSONPath("$[?match(@, '\(pattern)')]") }
    }

    /// Engines that try one way after the other need exponential time for these.
    @Test(arguments: ["(a*)*b", "(a|a)*b", "(a|aa)+b", "(.*.*.*.*.*)b", "(a?){50}a{50}b"])
    func workIsLinearInText(pattern: String) throws {
        let text = String(repeating: "a", count: 2_000)
        var budget = JSONPathBudget(stepLimit: 50_000)
        #expect(try JSONPathPattern(pattern)?.matches(text, isPartial: true, &budget) == false)
    }
}
