// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetCommand

@Suite struct ShellReaderTests {
    private func words(_ text: String) -> [[String]] {
        let script = ShellReader.read(Array(text.utf8))
        #expect(script.error == nil)
        return script.commands.map { $0.words.map(\.text) }
    }

    private static let scripts: [(String, [[String]])] = [
        ("curl a", [["curl", "a"]]), ("  curl\t a  ", [["curl", "a"]]), ("", []), ("\n;\n", []),
        ("a b; c\nd", [["a", "b"], ["c"], ["d"]]),
        ("a \\\n  b", [["a", "b"]]), ("a\\\nb", [["ab"]]), ("a \\\r\n b\r\nc", [["a", "b"], ["c"]]),
        ("# comment\na # more 'words\nb#c '#'", [["a"], ["b#c", "#"]]),
        ("'a b' 'c\\' '$x`y`\"'", [["a b", "c\\", "$x`y`\""]]), ("''", [[""]]), ("a''b'c'\"d\"", [["abcd"]]),
        ("'it'\\''s'", [["it's"]]), ("'a\nb' c", [["a\nb", "c"]]), ("'a\r\nb'", [["a\r\nb"]]),
        (#""a \"b\" \\ \$ \` \n""#, [[#"a "b" \ $ ` \n"#]]), ("\"a\\\nb\"", [["ab"]]), ("\"it's #1\"", [["it's #1"]]),
        (#"\a\ \'\"\\"#, [[#"a '"\"#]]), ("a\\", [["a\\"]]), ("$ a$ $", [["$", "a$", "$"]]),
        ("\"$\" \"a$%\"", [["$", "a$%"]]),
        ("http://h/[1-2]{a,b}*?x^2=a~b!", [["http://h/[1-2]{a,b}*?x^2=a~b!"]]), ("\u{FEFF}curl é", [["curl", "é"]]),
    ]

    @Test(arguments: scripts)
    func scriptIsSplitAsAShellDoes(text: String, expected: [[String]]) {
        #expect(words(text) == expected)
    }

    private static let escapes: [(String, String)] = [
        (#"\n\t\r\a\b\e\E\f\v\\\'\"\?"#, "\n\t\r\u{7}\u{8}\u{1B}\u{1B}\u{C}\u{B}\\'\"?"),
        (#"\u0021\u00e9\ud83d\ude00\U0001F600!"#, "!é😀😀!"), (#"\x41\x4\303\251\1018\0"#, "A\u{4}éA8\0"),
        (#"\cA\q\x"#, "\u{1}\\q\\x"), ("a $b `c` \" # ;", "a $b `c` \" # ;"), ("a\nb", "a\nb"), ("", ""),
    ]

    @Test(arguments: escapes)
    func escapesOfDollarQuotesAreRead(content: String, expected: String) {
        #expect(words("$'\(content)'").map { $0.map { Array($0.utf8) } } == [[Array(expected.utf8)]])
        #expect(words("a$'\(content)'b") == [["a" + expected + "b"]])
    }

    private static let refusals: [(String, Int, String)] = [
        ("a\nb && c", 2, "&&"), ("curl http://h/?a=1&b=2", 1, "put the URL in quotation marks"), ("a | b", 1, "\"|\""),
        ("a > b", 1, "-o FILE"), ("a < b", 1, "-T FILE"), ("(a)", 1, "\"(\""), ("a `b`", 1, "a command substitution"),
        ("a \"`b`\"", 1, "a command substitution"), ("a $(b)", 1, "a command substitution"),
        ("a \"$(b)\"", 1, "a command substitution"), ("a\n\n$TOKEN", 3, "the shell variable TOKEN is not known"),
        ("a \"${TOKEN}\"", 1, "the shell variable TOKEN is not known"), ("a \"$1\"", 1, "the shell variable 1 is"),
        ("a $?", 1, "the shell variable is not known"), ("a $\"b\"", 1, "translated"), ("a ~/b", 1, "home folder"),
        ("curl ^\"http://h/^\"", 1, "Windows command prompt"), ("curl a ^\n b", 1, "Windows command prompt"),
        ("a 'b", 1, "never closed"), ("a\n\"b\n\n", 2, "never closed"), ("a $'b\\", 1, "never closed"),
        (#"$'\ud83d'"#, 1, "not a character"), (#"$'\ud83d\u0041'"#, 1, "not a character"),
    ]

    @Test(arguments: refusals)
    func whatAShellWouldRunIsAnError(text: String, line: Int, message: String) {
        let error = ShellReader.read(Array(text.utf8)).error
        #expect(error?.line == line)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test func commandsBeforeAnErrorAreKept() {
        let script = ShellReader.read(Array("a b\nc 'd".utf8))
        #expect(script.commands.map { $0.words.map(\.text) } == [["a", "b"]])
        #expect(script.error?.line == 2)
    }

    @Test func wordMustBeUTF8() {
        let script = ShellReader.read(Array("a ".utf8) + [0xFF, 0x20])
        #expect(script.error == ConversionError(line: 1, "a word of the command is not valid UTF-8"))
        #expect(ShellReader.read(Array("$'\\xff'".utf8)).error?.message.contains("UTF-8") == true)
    }

    @Test func wordHasTheLineWhereItBegins() {
        let words = ShellReader.read(Array("a \\\n 'b\nc' \\\n\n d".utf8)).commands.flatMap(\.words)
        #expect(words.map(\.text) == ["a", "b\nc", "d"])
        #expect(words.map(\.line) == [1, 2, 5])
    }

    private static let quotedWords: [(String, String)] = [
        ("a", "a"), ("--max-time", "--max-time"), ("http://h:1/a,b+c%20", "http://h:1/a,b+c%20"), ("", "''"),
        ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("$x", "'$x'"), ("a\nb", "'a\nb'"), ("é", "'é'"), ("a=b", "'a=b'"),
        ("'\u{301}", "''\\''\u{301}'"), ("~", "'~'"),
    ]

    @Test(arguments: quotedWords)
    func quotedWordIsReadAgain(text: String, quoted: String) {
        #expect(Array(ShellCommand.quoted(text).utf8) == Array(quoted.utf8))
        #expect(words(quoted) == [[text]])
    }
}
