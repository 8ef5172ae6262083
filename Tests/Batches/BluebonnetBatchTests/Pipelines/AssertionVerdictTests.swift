// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetPipelines
import Foundation
import Testing

@testable import BluebonnetBatch

@Suite struct AssertionVerdictTests {
    private static let body = #"""
        {"state":"done","n":2,"f":2.0,"big":1e3,"half":2.5,"tags":["a","b"],"user":{"id":7},"none":null,"on":true}
        """#

    static func response(
        _ body: String = body, status: Int = 200, headers: HeaderFields = ["ETag": "\"x\"", "X-Count": "12"],
        duration: Double = 0.25
    ) throws -> ResponseFacts {
        let url = try #require(URL(string: "http://a.test/p/"))
        let head = ResponseHead(url: url, statusCode: status, httpVersion: "1.1", headers: headers)
        return ResponseFacts(head, body: Data(body.utf8), byteCount: body.utf8.count, duration: duration)
    }

    private static func assertion(_ text: String) throws -> RequestLine.Assertion {
        try JSONDecoder().decode(RequestLine.Assertion.self, from: Data(text.utf8))
    }

    /// Reads an assertion of a line, whose numbers keep all their digits.
    private static func ofLine(_ assertion: String) throws -> RequestLine.Assertion {
        let line = try RequestLineParser().parse(line: Data(#"{"url":"a","assert":[\#(assertion)]}"#.utf8), number: 1)
        return try #require(line?.line.pipeline?.assertions.first)
    }

    @Test(arguments: [
        #"{"path":"$.state","equals":"done"}"#, #"{"path":"$.n","equals":2.0}"#, #"{"path":"$.f","equals":2}"#,
        #"{"path":"$.tags[*]","equals":["a","b"]}"#, #"{"path":"$.none","equals":null}"#,
        #"{"path":"$.state","notEquals":"x"}"#, #"{"path":"$.missing","notEquals":"x"}"#,
        #"{"path":"$.n","lessThan":2.5}"#, #"{"path":"$.n","atMost":2}"#, #"{"path":"$.n","greaterThan":1}"#,
        #"{"path":"$.n","atLeast":2}"#, #"{"path":"$.state","lessThan":"e"}"#, #"{"path":"$.big","atLeast":1000}"#,
        #"{"path":"$.state","matches":"^d.n"}"#, #"{"path":"$.state","contains":"on"}"#,
        #"{"path":"$.tags","contains":"b"}"#, #"{"path":"$.user","contains":"id"}"#,
        #"{"path":"$.none","exists":true}"#, #"{"path":"$.missing","exists":false}"#,
        #"{"path":"$.big","isType":"integer"}"#, #"{"path":"$.half","isType":"number"}"#,
        #"{"path":"$.on","isType":"boolean"}"#, #"{"path":"$.none","isType":"null"}"#,
        #"{"path":"$.user","isType":"object"}"#, #"{"path":"$.tags","isType":"array"}"#,
        #"{"path":"$.tags[*]","count":2}"#, #"{"path":"$.missing","count":0}"#,
        #"{"header":"etag","equals":"\"x\""}"#, #"{"header":"X-Count","equals":12}"#,
        #"{"header":"X-Count","greaterThan":9}"#, #"{"header":"X-None","exists":false}"#,
        #"{"header":"X-Count","count":1}"#, #"{"status":true,"equals":200}"#, #"{"status":true,"lessThan":300}"#,
        #"{"duration":true,"lessThan":0.5}"#, #"{"bytes":true,"greaterThan":50}"#,
        #"{"text":true,"contains":"\"state\""}"#, #"{"text":true,"matches":"\"n\":\\d"}"#,
    ]) func trueStatementHolds(text: String) throws {
        #expect(try Self.assertion(text).violation(by: Self.response()) == nil)
    }

    @Test(arguments: [
        (#"{"path":"$.state","equals":"open"}"#, #"path "$.state" equals "open", found "done""#),
        (#"{"path":"$.n","equals":"2"}"#, #"path "$.n" equals "2", found 2"#),
        (#"{"path":"$.missing","equals":null}"#, #"path "$.missing" equals null, found nothing"#),
        (#"{"path":"$.state","notEquals":"done"}"#, #"path "$.state" notEquals "done", found "done""#),
        (#"{"path":"$.n","lessThan":2}"#, #"path "$.n" lessThan 2, found 2"#),
        (#"{"path":"$.n","greaterThan":2.0}"#, #"path "$.n" greaterThan 2, found 2"#),
        (#"{"path":"$.state","lessThan":5}"#, #"path "$.state" lessThan 5, found "done""#),
        (#"{"path":"$.state","matches":"^x"}"#, #"path "$.state" matches "^x", found "done""#),
        (#"{"path":"$.tags","contains":"c"}"#, #"path "$.tags" contains "c", found ["a","b"]"#),
        (#"{"path":"$.n","exists":false}"#, #"path "$.n" exists false, found 2"#),
        (#"{"path":"$.half","isType":"integer"}"#, #"path "$.half" isType "integer", found 2.5"#),
        (#"{"path":"$.tags[*]","count":3}"#, #"path "$.tags[*]" count 3, found 2"#),
        (#"{"header":"X-None","equals":"a"}"#, #"header "X-None" equals "a", found nothing"#),
        (#"{"status":true,"equals":201}"#, "status equals 201, found 200"),
        (#"{"duration":true,"lessThan":0.1}"#, "duration lessThan 0.1, found 0.25"),
    ]) func falseStatementSaysWhatWasFound(text: String, message: String) throws {
        #expect(try Self.assertion(text).violation(by: Self.response()) == message)
    }

    // 2^53 + 1 has no Double: 9007199254740992 is the nearest one.
    @Test(arguments: [
        ("9007199254740993", "greaterThan", "9007199254740992"), ("9007199254740993", "lessThan", "9007199254740994"),
        ("9007199254740993", "greaterThan", "9007199254740992.0"),
        ("9007199254740993", "lessThan", "9007199254740993.5"),
        ("9007199254740992.5", "lessThan", "9007199254740993"), ("9007199254740993.0", "atMost", "9007199254740993"),
        ("12345678901234567891", "greaterThan", "12345678901234567890"), ("1e400", "greaterThan", "1e399"),
        ("9007199254740993.0", "equals", "9007199254740993"), ("9007199254740993", "isType", "\"integer\""),
        ("9007199254740993.5", "isType", "\"number\""),
    ]) func numbersAreComparedExactly(found: String, predicate: String, expected: String) throws {
        let assertion = try Self.ofLine(#"{"path":"$.n","\#(predicate)":\#(expected)}"#)
        #expect(assertion.violation(by: try Self.response(#"{"n":\#(found)}"#)) == nil)
    }

    @Test(arguments: [
        ("9007199254740993", "greaterThan", "9007199254740993.5"), ("9007199254740993", "atMost", "9007199254740992.0"),
        ("9007199254740992.5", "atLeast", "9007199254740993"), ("9007199254740993.5", "isType", "\"integer\""),
        ("9007199254740993", "equals", "9007199254740992.0"), ("9007199254740993", "notEquals", "9007199254740993.0"),
    ]) func roundedNumbersDoNotDecide(found: String, predicate: String, expected: String) throws {
        let assertion = try Self.ofLine(#"{"path":"$.n","\#(predicate)":\#(expected)}"#)
        #expect(assertion.violation(by: try Self.response(#"{"n":\#(found)}"#)) != nil)
    }

    @Test func textsAreComparedByTheirScalars() throws {
        let composed = try Self.ofLine(#"{"path":"$.t","atMost":"e\u0301"}"#)
        #expect(composed.violation(by: try Self.response(#"{"t":"é"}"#)) != nil)
    }

    @Test func bodyThatIsNoJSONFailsAPath() throws {
        let violation = try Self.assertion(#"{"path":"$.a","exists":false}"#).violation(by: Self.response("<html>"))
        #expect(violation?.hasPrefix(#"path "$.a" exists false: the body is not JSON: "#) == true)
    }

    @Test func expressionThatBacktracksIsGivenUp() throws {
        let text = String(repeating: "a", count: 60) + "!"
        let violation = try Self.assertion(#"{"text":true,"matches":"^(a+)+$"}"#).violation(by: Self.response(text))
        #expect(violation?.contains("backtracks too much") == true)
    }

    @Test func secretsAreNotShown() throws {
        let violation = try Self.assertion(#"{"path":"$","equals":1}"#)
            .violation(by: Self.response(#"{"password":"s3cret","a":1}"#))
        #expect(violation?.contains("s3cret") == false && violation?.contains(#""a":1"#) == true)
    }
}
