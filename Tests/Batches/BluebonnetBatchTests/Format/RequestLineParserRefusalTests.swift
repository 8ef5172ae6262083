// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch

@Suite struct RequestLineParserRefusalTests {
    /// The members after the line's URL, the field at fault and the words that the message must contain.
    typealias Case = (members: String, field: String, words: [String])

    private func expectRefusal(_ text: String, _ field: String?, _ words: [String]) throws {
        let error = try #require(throws: RequestLineError.self) {
            try RequestLineParser().parse(line: Data(text.utf8), number: 12)
        }
        #expect(error.line == 12)
        #expect(error.field == field, "\(error)")
        for word in words { #expect(error.message.contains(word), "\(error)") }
    }

    static let wrongTypes: [Case] = [
        (#""id":7"#, "id", ["a string", "the number 7"]),
        (#""id":null"#, "id", ["a string", "null"]),
        (#""method":true"#, "method", ["a string", "true"]),
        (#""headers":[]"#, "headers", ["an object", "array"]),
        (#""headers":{"Accept":1}"#, "headers.Accept", ["a string", "the number 1"]),
        (#""query":"a=b""#, "query", ["an object", "a string"]),
        (#""form":[1]"#, "form", ["an object", "an array"]),
        (#""text":{}"#, "text", ["a string", "an object"]),
        (#""file":null"#, "file", ["a string", "null"]),
        (#""after":"login""#, "after", ["an array", "a string"]),
        (#""after":["a",2]"#, "after[1]", ["a string", "the number 2"]),
        (#""output":false"#, "output", ["a string", "false"]),
        (#""expect":[]"#, "expect", ["an object", "array"]),
        (#""expect":{"status":200}"#, "expect.status", ["an array", "the number 200"]),
        (#""expect":{"status":["200"]}"#, "expect.status[0]", ["an integer", "a string"]),
        (#""expect":{"type":[1]}"#, "expect.type[0]", ["a string", "the number 1"]),
        (#""expect":{"sha256":1}"#, "expect.sha256", ["a string"]),
        (#""timeout":"10""#, "timeout", ["a number of seconds", "a string"]),
        (#""timeout":true"#, "timeout", ["a number of seconds", "true"]),
        (#""timeout":null"#, "timeout", ["a number of seconds", "null"]),
        (#""maxBody":1.5"#, "maxBody", ["an integer", "the number 1.5"]),
        (#""maxBody":true"#, "maxBody", ["an integer", "true"]),
        (#""maxBody":1e300"#, "maxBody", ["an integer"]),
        (#""redirects":"5""#, "redirects", ["an integer", "a string"]),
        (#""priority":1"#, "priority", ["veryLow", "the number 1"]),
        (#""cache":true"#, "cache", ["useProtocol", "found true"]),
        (#""credential":"u:p""#, "credential", ["an object", "a string"]),
        (#""credential":{"user":"u","password":1}"#, "credential.password", ["a string", "the number 1"]),
        (#""security":"none""#, "security", ["an object", "a string"]),
        (#""security":{"ca":["x"]}"#, "security.ca", ["a string", "an array"]),
        (#""proxy":{}"#, "proxy", ["a string", "an object"]),
        (#""httpVersion":2"#, "httpVersion", ["\"2\"", "the number 2"]),
        (#""unixSocket":1"#, "unixSocket", ["a string"]),
        (#""resolve":{"h":["1.2.3.4"]}"#, "resolve.h", ["a string", "an array"]),
        (#""script":{}"#, "script", ["an array", "an object"]),
        (#""script":[1]"#, "script[0]", ["an object", "the number 1"]),
        (#""script":[{"at":"1","do":"pause"}]"#, "script[0].at", ["a number of seconds", "a string"]),
    ]

    static let wrongValues: [Case] = [
        (#""id":"""#, "id", ["empty"]),
        (#""after":["a",""]"#, "after[1]", ["empty"]),
        (#""timeout":0"#, "timeout", ["more than 0 seconds", "the number 0"]),
        (#""timeout":-0.0"#, "timeout", ["more than 0 seconds"]),
        (#""timeout":-1"#, "timeout", ["more than 0 seconds", "the number -1"]),
        (#""timeout":1e999"#, "timeout", ["more than 0 seconds", "the number 1e999"]),
        (#""connectTimeout":0"#, "connectTimeout", ["more than 0 seconds"]),
        (#""idleTimeout":-2.5"#, "idleTimeout", ["more than 0 seconds", "-2.5"]),
        (#""maxBody":-1"#, "maxBody", ["0 or more", "the number -1"]),
        (#""maxBody":9223372036854775808"#, "maxBody", ["an integer"]),
        (#""redirects":-1"#, "redirects", ["0 or more", "the number -1"]),
        (#""priority":"urgent""#, "priority", ["veryHigh", "\"urgent\""]),
        (#""cache":"no-cache""#, "cache", ["\"reload\", \"revalidate\", \"onlyIfCached\"", "\"no-cache\""]),
        (#""httpVersion":"3""#, "httpVersion", ["2-prior-knowledge", "\"3\""]),
        (#""httpVersion":"negotiated""#, "httpVersion", ["2-prior-knowledge", "\"negotiated\""]),
        (#""script":[{"at":1,"do":"pause"},{"at":2,"do":"stop"}]"#, "script[1].do", ["cancel", "\"stop\""]),
        (#""script":[{"at":-1,"do":"pause"}]"#, "script[0].at", ["0 seconds or more", "-1"]),
        (#""script":[{"do":"pause"}]"#, "script[0].at", ["missing"]),
        (#""script":[{"at":1}]"#, "script[0].do", ["missing"]),
        (#""credential":{"user":"u"}"#, "credential.password", ["missing"]),
        (#""expect":{"status":[]}"#, "expect.status", ["at least one", "an empty array"]),
        (#""expect":{"status":[200,99]}"#, "expect.status[1]", ["100 to 999", "99"]),
        (#""expect":{"status":[1000]}"#, "expect.status[0]", ["100 to 999", "1000"]),
        (#""retry":{"statuses":[1000]}"#, "retry.statuses[0]", ["100 to 999", "1000"]),
        (#""expect":{"type":[]}"#, "expect.type", ["at least one"]),
        (#""expect":{"sha256":"abc"}"#, "expect.sha256", ["64 hexadecimal digits", "\"abc\""]),
        (#""expect":{"sha256":"$abc"}"#, "expect.sha256", ["64 hexadecimal digits"]),
        (#""expect":{"sha256":"${a.nothing}"}"#, "expect.sha256", ["${a.nothing}"]),
        (#""expect":{"sha256":"\#(String(repeating: "g", count: 64))"}"#, "expect.sha256", ["64 hexadecimal digits"]),
        (#""json":1,"text":"a""#, "text", ["one body", "\"json\""]),
        (#""file":"a","form":{}"#, "file", ["one body", "\"form\""]),
        (#""headers":{"Accept":"a","accept":"b"}"#, "headers.accept", ["duplicate header"]),
        (#""headers":{"IDEMPOTENCY-key":" \t"}"#, "headers.IDEMPOTENCY-key", ["must not be blank"]),
        (#""idempotencyKey":"""#, "idempotencyKey", ["must not be blank"]),
        (#""unique":1"#, "unique", ["a string", "the number 1"]), (#""unique":"""#, "unique", ["1 to 1000 bytes"]),
        (#""unique":"a\u0000""#, "unique", ["no NUL byte"]),
        (#""unique":"\#(String(repeating: "ä", count: 501))""#, "unique", ["1 to 1000 bytes"]),
        (#""unique":"a-${b.body.c}""#, "unique", ["no references"]),
        (#""unique":"k","each":{"of":"a","as":"e"}"#, "unique", ["paginate", "no key"]),
        (#""unique":"k","paginate":{"next":"link"}"#, "unique", ["paginate", "no key"]),
        (#""unique":"k","stream":"lines""#, "unique", ["stream", "no key"]),
        (#""idempotencyKey":" \t""#, "idempotencyKey", ["must not be blank"]),
        (#""resolve":{"h.example.":"127.0.0.1","H.example":"127.0.0.2"}"#, "resolve.h.example.", ["duplicate host"]),
        (#""timeout":1,"timeout":1"#, "timeout", ["duplicate field"]),
        (#""ur\u006c":"v""#, "url", ["duplicate field"]),
        (#""json":{"a":[{},{"b":1,"c":2,"b":1}]}"#, "json.a[1].b", ["duplicate field"]),
    ]

    static let unknownNames: [Case] = [
        (#""tiemout":1"#, "tiemout", ["unknown", "\"timeout\""]),
        (#""Headers":{}"#, "Headers", ["unknown", "\"headers\""]),
        (#""max_body":1"#, "max_body", ["unknown", "\"maxBody\""]),
        (#""expect":{"state":[1]}"#, "expect.state", ["unknown", "\"status\""]),
        (#""credential":{"usr":"a","password":"b"}"#, "credential.usr", ["unknown", "\"user\""]),
        (#""script":[{"at":1,"du":"pause"}]"#, "script[0].du", ["unknown"]),
        (#""":1"#, "", ["unknown"]), ("\"idempotency\u{212A}ey\":true", "idempotency\u{212A}ey", ["unknown"]),
    ]

    @Test(arguments: wrongTypes + wrongValues + unknownNames)
    func errorNamesLineFieldAndProblem(_ bad: Case) throws {
        try expectRefusal(#"{"url":"u",\#(bad.members)}"#, bad.field, bad.words)
    }

    @Test(
        arguments: [
            (#"{}"#, "url", ["missing"]), (#"{"url":null}"#, "url", ["a string", "null"]),
            (#"[]"#, nil, ["an object", "an empty array"]), (#""url""#, nil, ["an object", "a string"]),
            (#"null"#, nil, ["an object", "null"]),
            (#"{"url":"u""#, "url", ["malformed JSON at column 11:"]),
            (#"{"url":"u"} x"#, nil, ["malformed JSON at column 13:"]),
            (#"{"url":'u'}"#, "url", ["malformed JSON at column 8:"]),
            (#"{"url":"é🙂\x"}"#, "url", ["malformed JSON at column 12:"]),
            (#"{"url":"u",}"#, nil, ["malformed JSON at column 12:"]),
            (#"{"url":"u","json":{"a":[1,,2]}}"#, "json.a[1]", ["malformed JSON at column 27:"]),
            ("\u{A0}{}", nil, ["malformed JSON at column 1:"]), ("{}\0", nil, ["malformed JSON at column 3:"]),
            ("\u{FEFF}{}", nil, ["byte order mark"]),
        ] as [(String, String?, [String])])
    func lineThatIsNoRequestIsRefused(_ text: String, _ field: String?, _ words: [String]) throws {
        try expectRefusal(text, field, words)
    }

    @Test func dissimilarNameGetsNoHint() throws {
        let error = try #require(throws: RequestLineError.self) {
            try RequestLineParser().parse(line: Data(#"{"url":"u","cookies":1}"#.utf8), number: 1)
        }
        #expect(error.message == "unknown field")
    }

    @Test func invalidUTF8IsRefused() throws {
        let bytes: [UInt8] = Array(#"{"url":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)
        let error = try #require(throws: RequestLineError.self) {
            try RequestLineParser().parse(line: Data(bytes), number: 3)
        }
        #expect(error.description == "line 3: not valid UTF-8")
    }

    @Test func textInUTF16IsRefused() throws {
        let data = try #require(#"{"url":"u"}"#.data(using: .utf16LittleEndian))
        #expect(throws: RequestLineError.self) { try RequestLineParser().parse(line: data, number: 1) }
    }

    @Test func descriptionFollowsTheFormat() throws {
        let error = try #require(throws: RequestLineError.self) {
            try RequestLineParser().parse(line: Data(#"{"url":"u","timeout":"1"}"#.utf8), number: 12)
        }
        #expect(error.description == #"line 12, field "timeout": expected a number of seconds, found a string"#)
        #expect(error.localizedDescription == error.description)
    }

    @Test func descriptionEscapesAndShortensNamesFromTheFile() {
        let error = RequestLineError(line: 1, field: "a\u{1B}[2J" + String(repeating: "x", count: 200), message: "m")
        #expect(error.description.hasPrefix(#"line 1, field "a\u001b[2Jxxx"#))
        #expect(error.description.count < 120)
    }
}
