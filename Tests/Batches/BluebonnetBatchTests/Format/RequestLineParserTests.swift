// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch
@testable import BluebonnetNetwork

@Suite struct RequestLineParserTests {
    private func line(_ text: String) throws -> RequestLine {
        try #require(try RequestLineParser().parse(line: Data(text.utf8), number: 1)).line
    }

    private func lines(_ text: String) throws -> [NumberedLine] {
        try RequestLineParser().parse(file: Data(text.utf8))
    }

    @Test func exampleOfTheFormatIsRead() throws {
        let line = try line(
            #"""
            {"id": "me", "method": "GET", "url": "https://api.example.com/me", "after": ["login"],
             "headers": {"Authorization": "Bearer ${login.body.token}"}, "timeout": 10}
            """#)
        var expected = RequestLine(id: "me", url: "https://api.example.com/me")
        expected.after = ["login"]
        expected.headers = ["Authorization": "Bearer ${login.body.token}"]
        expected.timeout = 10
        #expect(line == expected)
    }

    /// More lines than a single thread reads.
    @Test func linesKeepTheirOrderAndTheirNumbers() throws {
        let texts = (1...5_000).map { $0 % 7 == 0 ? "" : #"{"url":"/\#($0)"}"# }
        let lines = try lines("\u{FEFF}" + texts.joined(separator: "\n"))
        #expect(lines.map(\.number) == (1...5_000).filter { $0 % 7 != 0 })
        #expect(lines.map(\.line.url) == lines.map { "/\($0.number)" })
    }

    @Test func allBadLinesAreNamedInOrder() throws {
        let bad = [1, 128, 129, 1_250, 3_999, 5_000]
        var texts = (1...5_000).map { Data(#"{"url":"/\#($0)"}"#.utf8) }
        for number in bad { texts[number - 1] = Data(number == 1_250 ? [0x7B, 0xFF, 0x7D] : [0x7B]) }
        let file = Data(texts.joined(separator: [UInt8(ascii: "\n")]))
        let errors = #expect(throws: RequestLineErrors.self) { try RequestLineParser().parse(file: file) }
        #expect(errors?.errors.map(\.line) == bad)
        #expect(errors?.errors[3].message == "not valid UTF-8")
    }

    @Test func lineWithOnlyURLHasTheDefaultsOfTheFormat() throws {
        let line = try line(#"{"url":"/x"}"#)
        #expect(line.id == nil)
        #expect(line.method == "GET")
        #expect(line.redirects == 20)
        #expect(line.priority == .normal)
        #expect(line.httpVersion == .negotiated)
        #expect(line.headers.isEmpty && line.after.isEmpty && line.resolve.isEmpty && line.script.isEmpty)
        #expect(line.query == nil && line.body == nil && line.output == nil && line.expect == nil)
        #expect(line.timeout == nil && line.connectTimeout == nil && line.idleTimeout == nil && line.maxBody == nil)
        #expect(line.credential == nil && line.security == nil && line.proxy == nil && line.unixSocket == nil)
        #expect(line.decode == nil && line.cache == nil)
    }

    @Test func remainingFieldsAreRead() throws {
        let digest = String(repeating: "0aF9", count: 16)
        let line = try line(
            #"""
            {"url":"u","method":"PUT","query":{"q":"a","n":[1,2.5,null]},"output":"/tmp/o",
             "expect":{"status":[200,599],"type":["text/html"],"sha256":"\#(digest)"},
             "timeout":0.5,"connectTimeout":1,"idleTimeout":2e1,"maxBody":0,"redirects":0,"priority":"veryHigh",
             "credential":{"user":"u","password":""},"security":{"ca":"ca.pem"},"proxy":"socks5h://p:1",
             "httpVersion":"2-prior-knowledge","decode":false,"cache":"reload","unixSocket":"/run/s","resolve":{"h":"127.0.0.1"},
             "script":[{"at":0,"do":"pause"},{"at":1.5,"do":"resume"},{"at":2,"do":"cancel"}]}
            """#)
        #expect(line.method == "PUT")
        #expect(line.query == ["q": .string("a"), "n": .array([.integer(1), .number(2.5), .null])])
        #expect(line.output == "/tmp/o")
        #expect(line.expect == .init(status: [200, 599], type: ["text/html"], sha256: digest))
        #expect(line.timeout == 0.5 && line.connectTimeout == 1 && line.idleTimeout == 20)
        #expect(line.maxBody == 0 && line.redirects == 0 && line.priority == .veryHigh)
        #expect(line.credential == .init(user: "u", password: "") && line.security?.ca == "ca.pem")
        #expect(line.proxy == "socks5h://p:1" && line.httpVersion == .http2PriorKnowledge)
        #expect(line.decode == false && line.cache == .reload)
        #expect(line.unixSocket == "/run/s" && line.resolve == ["h": "127.0.0.1"])
        let steps: [(Double, RequestLine.ScriptStep.Action)] = [(0, .pause), (1.5, .resume), (2, .cancel)]
        #expect(line.script == steps.map { .init(at: $0, action: $1) })
    }

    @Test(arguments: [
        (#""json":null"#, RequestLine.Body.json(.null)),
        (#""json":{"a":[1]}"#, .json(.object(["a": .array([.integer(1)])]))),
        (#""form":{"a":"b"}"#, .form(["a": .string("b")])),
        (#""text":"""#, .text("")),
        (#""file":"no/such"# + "\"", .file("no/such")),
    ])
    func eachBodyFieldIsABody(_ member: String, _ body: RequestLine.Body) throws {
        #expect(try line(#"{"url":"u",\#(member)}"#).body == body)
    }

    @Test func canonicallyEquivalentNamesAreNotDuplicates() throws {
        let twins = "{\"\u{E9}\":1,\"e\u{301}\":2}"
        for member in ["json", "form", "query", "plist"] {
            _ = try line("{\"url\":\"u\",\"\(member)\":\(twins)}")
        }
        let parsed = try line("{\"url\":\"u\",\"json\":\(twins)}")
        guard case .json(let value)? = parsed.body else { return #expect(Bool(false)) }
        #expect(value["\u{E9}"] == .integer(1) && value["e\u{301}"] == .integer(2))
    }

    @Test func statusesGoTo999() throws {
        let line = try line(#"{"url":"u","expect":{"status":[600,999]},"retry":{"statuses":[999]}}"#)
        #expect(line.expect?.status == [600, 999] && line.retry?.statuses == [999])
    }

    @Test(arguments: [
        ("useProtocol", CachePolicy.useProtocol), ("reload", .reload), ("revalidate", .revalidate),
        ("onlyIfCached", .onlyIfCached), ("forceCache", .forceCache),
    ])
    func eachCachePolicyIsRead(_ name: String, _ policy: CachePolicy) throws {
        #expect(try line(#"{"url":"u","cache":"\#(name)"}"#).cache == policy)
    }

    @Test(arguments: ["1.1", "2", "2-prior-knowledge"])
    func eachHTTPVersionOfTheFormatIsRead(_ name: String) throws {
        #expect(try line(#"{"url":"u","httpVersion":"\#(name)"}"#).httpVersion.rawValue == name)
    }

    @Test(arguments: [
        ("veryLow", Operation.QueuePriority.veryLow), ("low", .low), ("normal", .normal), ("high", .high),
        ("veryHigh", .veryHigh),
    ])
    func eachPriorityMapsToAQueuePriority(_ name: String, _ priority: Operation.QueuePriority) throws {
        #expect(try line(#"{"url":"u","priority":"\#(name)"}"#).priority.queuePriority == priority)
    }

    @Test(arguments: [
        #"{"url":""}"#, #"{"url":"http://[broken"}"#, #"{"url":"u","headers":{"A":"x\r\ny"}}"#,
        #"{"url":"u","method":"not a token"}"#, #"{"url":"u","output":"/no/such/folder/file"}"#,
        #"{"url":"u","proxy":"ftp://x"}"#, #"{"url":"u","resolve":{"h":"not an address"}}"#,
        #"{"url":"u","expect":{"sha256":"${a.body.digest}"}}"#,
    ])
    func unusableValueIsNoErrorOfTheLine(_ text: String) throws {
        #expect(try lines(text).map(\.number) == [1])
    }

    @Test func integerMayHaveAFractionOfZero() throws {
        #expect(try line(#"{"url":"u","maxBody":1.0e3,"redirects":2.0}"#).maxBody == 1000)
    }

    @Test func emptyLinesAreSkippedButCounted() throws {
        let lines = try lines("\n{\"url\":\"a\"}\n  \t\n\n{\"url\":\"b\"}\n")
        #expect(lines.map(\.number) == [2, 5])
        #expect(lines.map(\.line.url) == ["a", "b"])
    }

    @Test(arguments: [
        "# first\n{\"url\":\"a\"}\n#\n{\"url\":\"b\"}\n#{\"url\":1}",
        "\u{FEFF}#\r\n{\"url\":\"a\"}\r\n\r\n{\"url\":\"b\"}\r\n# end\r\n",
    ])
    func commentsAreSkippedButCounted(text: String) throws {
        let lines = try lines(text)
        #expect(lines.map(\.id) == ["2", "4"])
        #expect(lines.map(\.line.url) == ["a", "b"])
    }

    @Test func commentMayContainAnyBytes() throws {
        let text = Data([0x23, 0xFF, 0x00, 0x0A]) + Data(#"{"url":"a"}"#.utf8)
        #expect(try RequestLineParser().parse(file: text).map(\.number) == [2])
        #expect(try RequestLineParser().parse(line: Data([0x23, 0xFF]), number: 7) == nil)
    }

    @Test(arguments: [" # indented", "{\"url\":\"a\"} # behind", "\u{FEFF}# mark on a later line"])
    func numberSignElsewhereIsAnError(text: String) {
        let errors = #expect(throws: RequestLineErrors.self) { try lines("# comment\n" + text) }
        #expect(errors?.errors.map(\.line) == [2])
    }

    @Test func defaultIDIsTheLineNumber() throws {
        #expect(try lines("\n{\"url\":\"a\"}\n{\"url\":\"b\",\"id\":\"own\"}").map(\.id) == ["2", "own"])
    }

    @Test func byteOrderMarkAndCRLFAreTolerated() throws {
        let lines = try lines("\u{FEFF}{\"url\":\"a\"}\r\n\r\n{\"url\":\"b\"}\r\n")
        #expect(lines.map(\.number) == [1, 3])
    }

    @Test func byteOrderMarkOnALaterLineIsAnError() {
        #expect(throws: RequestLineErrors.self) { try lines("{\"url\":\"a\"}\n\u{FEFF}{\"url\":\"b\"}") }
    }

    @Test(arguments: ["", "\n", "\r\n", "\u{FEFF}", "\u{FEFF}\n \n"])
    func fileWithoutLinesIsEmpty(_ text: String) throws {
        #expect(try lines(text).isEmpty)
    }

    @Test func lineMayIncludeItsLineEnd() throws {
        #expect(try line("{\"url\":\"a\"}\r\n").url == "a")
        #expect(try RequestLineParser().parse(line: Data("\r\n".utf8), number: 4) == nil)
    }

    @Test func dataSliceIsReadFromItsStart() throws {
        let data = Data("xxxx{\"url\":\"a\"}".utf8).dropFirst(4)
        #expect(try RequestLineParser().parse(line: data, number: 1)?.line.url == "a")
        #expect(try RequestLineParser().parse(file: data).map(\.line.url) == ["a"])
    }

    @Test func fileReportsTheFirstErrorOfEveryBadLine() throws {
        let text = #"""
            {"url":"a"}
            {"url":1,"timeout":"x"}

            {"url":"a"
            {"urk":"a"}
            """#
        let errors = try #require(throws: RequestLineErrors.self) { try lines(text) }.errors
        #expect(errors.map(\.line) == [2, 4, 5])
        #expect(errors.map(\.field) == ["url", "url", "urk"])
    }
}
