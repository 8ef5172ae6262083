// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetCommand

@Suite struct CurlRefusalTests {
    private func message(_ arguments: String) -> String {
        let converted = ConvertedText("curl -L http://h/ \(arguments)", CurlConverter())
        #expect(converted.texts.isEmpty)
        #expect(converted.error?.line == 1)
        return converted.error?.message ?? ""
    }

    private static let refused: [(String, String)] = [
        ("--pinnedpubkey k", "--pinnedpubkey has no counterpart in a request line: write a line with certificates"),
        ("--limit-rate 1k", "--limit-rate has no counterpart in a request line: bluebonnet run has --limit-rate"),
        ("-n", "-n has no counterpart in a request line: bluebonnet run has --netrc for all lines"),
        ("-sK f", "-K has no counterpart in a request line: write its options here"),
        ("-c jar", "-c has no counterpart"), ("--tlsv1.2", "--tlsv1.2 has no counterpart"),
        ("-z 1", "-z has no counterpart in a request line: write a field If-Modified-Since"),
        ("-D f", "-D has no counterpart in a request line: the result line has the header fields"),
        ("--create-dirs", "--create-dirs has no counterpart in a request line: create the folders first"),
    ]

    @Test(arguments: refused)
    func optionWithoutAFieldSaysWhatToDo(arguments: String, start: String) {
        #expect(message(arguments).hasPrefix(start), "\(message(arguments))")
    }

    private static let unknown: [(String, String)] = [
        ("--haeder 'A: b'", "unknown option of curl --haeder, did you mean --header?"),
        ("--data-url x", "unknown option of curl --data-url, did you mean --data-raw?"),
        ("--silnt", "unknown option of curl --silnt, did you mean --silent?"),
        ("--qqqqqqqqqqqq", "unknown option of curl --qqqqqqqqqqqq"), ("-sß", "unknown option of curl -ß"),
        ("--max-time=3", "unknown option of curl --max-time=3: curl has the value in the next argument, without \"=\""),
    ]

    @Test(arguments: unknown)
    func unknownOptionHasASuggestion(arguments: String, expected: String) {
        #expect(message(arguments) == expected)
    }

    private static let values: [(String, String)] = [
        ("-X", "-X has no value"), ("-m x", "-m: expected a number of seconds"), ("-m -1", "-m: expected a number"),
        ("--retry -1", "--retry: expected a whole number, 0 to 1000000"),
        ("--max-redirs -1", "--max-redirs: expected a whole number, 0 or more"),
        ("-H A", "-H: expected 'NAME: VALUE'"), ("-H @f", "-H: a file of header fields"),
        ("-H 'A b: c'", "-H: the header \"A b\" is not a valid token"), ("-b jar", "-b: a file of cookies"),
        ("-e 'http://h;auto'", "-e: a line does not set it after redirects"), ("-u ada", "-u: there is no password"),
        ("-x socks5://p", "-x: a proxy of a line is http, https or socks5h, not socks5"),
        ("-U u:p", "-U: there is no proxy"), ("--noproxy a.b", "--noproxy: a line has one proxy or none"),
        ("--resolve h:80", "--resolve: expected HOST:PORT:ADDRESS"),
        ("--resolve h:443:::1", "--resolve: the URL has the port 80"),
        ("--resolve '*:80:::1'", "--resolve: a line has one address for one host"),
        ("--cert a:b", "--cert: a line has keys without a password"),
        ("--key-type ENG", "--key-type: a line has certificates and keys in PEM or DER"),
        ("-Y 100 -y 3", "-y: a line has only a limit for the time without any byte"),
        ("-C 100", "-C: a line continues at the end of its partial file"), ("-O", "the URL: its path has no file name"),
        ("-o a -o b", "-o: there are more output files than URLs"),
        ("-d @-", "-d: a line cannot read standard input"), ("-T -", "-T: a line cannot read standard input"),
        ("-T f i", "-T: only one URL can have an uploaded file"), ("-T '{a,b}'", "-T: curl reads […] and {…}"),
        ("-d a -F b=c", "-F: a line has one body"), ("-d @a -d @b", "-d: a line has one body"),
        ("-d a --json b", "--json: a body is data or JSON"), ("--json a -d b", "-d: a body is data or JSON"),
        ("-G -F a=b", "-F: -G is for data only"), ("--data-urlencode a@f", "--data-urlencode: the content of a file"),
        ("-d a -H 'Content-Type:'", "-d: a line sends each body with a Content-Type"),
        ("-F a", "-F: expected NAME=VALUE"), ("-F 'a=<f'", "-F: the content of a file as text"),
        ("-F 'a=b;type=c'", "-F: a part with text has no type"), ("-F 'a=@b,c'", "-F: several files in one part"),
        ("-F 'a=@b;headers=c'", "-F: a part has the options type and filename only, not headers=c"),
        ("'http://h/[1-3]'", "the URL: curl reads […] and {…} as several URLs"),
        ("ftp://h/", "the URL \"ftp://h/\" has the scheme ftp"),
        ("'http://h/a b'", "the URL \"http://h/a b\" contains a"),
        ("-X ''", "-X: the method \"\" is not a valid token"),
    ]

    @Test(arguments: values)
    func valueThatALineCannotHaveIsAnError(arguments: String, start: String) {
        #expect(message(arguments).hasPrefix(start), "\(message(arguments))")
    }

    @Test func errorNamesItsLineAfterEarlierCommandsAreConverted() {
        let text = "curl -L http://a/\n\ncurl -L http://b/ \\\n  --http3 \\\n http://c/\ncurl -L http://d/"
        let converted = ConvertedText(text, CurlConverter())
        #expect(converted.texts == [#"{"url":"http://a/"}"#])
        #expect(converted.error?.line == 4)
    }

    private static let commands: [(String, String)] = [
        ("wget http://h/", "expected a command of curl, found \"wget\""), ("curl -s", "the command has no URL"),
        ("curl -s h --next", "the command has no URL"), ("A=b curl h", "expected a command of curl, found \"A=b\""),
        ("$ curl h", "expected a command of curl, found \"$\""),
    ]

    @Test(arguments: commands)
    func commandMustBeCurlWithAURL(text: String, message: String) {
        #expect(ConvertedText(text, CurlConverter()).error == ConversionError(line: 1, message))
    }

    @Test func ignoredAndRefusedOptionsAreNoFields() {
        let fields = Set(CurlOption.allCases.map(\.rawValue))
        #expect(fields.isDisjoint(with: CurlOption.ignored.keys) && fields.isDisjoint(with: CurlOption.refused.keys))
        #expect(Set(CurlOption.ignored.keys).isDisjoint(with: CurlOption.refused.keys))
        #expect(CurlOption.refused.count > 50)
    }
}
