// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetBatch
@testable import BluebonnetNetwork

@Suite struct RequestLineCodingTests {
    /// A line in which no field has its default.
    static var full: RequestLine {
        var line = RequestLine(id: "i", method: "POST", url: "https://h/", body: .text("t"))
        line.headers = ["A": "b"]
        line.query = ["q": .array([.integer(1), .number(0.5), .bool(true), .null])]
        line.after = ["x", "y"]
        line.output = "o"
        line.expect = .init(status: [201], type: ["a/b"], sha256: String(repeating: "ab", count: 32))
        (line.timeout, line.connectTimeout, line.idleTimeout) = (10, 0.25, 3.5)
        (line.maxBody, line.redirects, line.priority) = (5, 0, .low)
        line.credential = .init(user: "u", password: "p")
        line.security = .init()
        line.security?.mode = .publicKey
        line.security?.pins = ["p.pem"]
        line.security?.ca = "ca.pem"
        line.security?.allowInvalidCertificates = true
        line.security?.validatesHost = false
        line.security?.clientCertificate = "c.pem"
        line.security?.clientKey = "k.pem"
        (line.proxy, line.httpVersion, line.unixSocket) = ("http://p", .http1, "/s")
        line.resolve = ["h": "::1"]
        line.retry = .init(attempts: 3, maxTime: 60, statuses: [429, 503])
        line.idempotencyKey = .value("k")
        line.unique = "q"
        line.cache = .revalidate
        line.script = [.init(at: 0.5, action: .pause), .init(at: 1, action: .cancel)]
        return line
    }

    static let bodies: [RequestLine.Body?] = [
        nil, .json(.null), .json(.object(["a": .array([])])), .form(["a": .string("b")]),
        .plist(.array([.bool(false)])),
        .text(""), .file("f"),
        .multipart([
            .init(name: "a", content: .value("b")),
            .init(name: "c", content: .file(path: "f", filename: nil, contentType: nil)),
            .init(name: "d", content: .file(path: "f", filename: "n", contentType: "t/t")),
        ]),
    ]

    private func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: try JSONEncoder().encode(value))
    }

    @Test(arguments: bodies)
    func encodingThenDecodingGivesAnEqualLine(_ body: RequestLine.Body?) throws {
        var line = Self.full
        line.body = body
        #expect(try roundTrip(line) == line)
        #expect(try roundTrip(RequestLine(url: "u", body: body)) == RequestLine(url: "u", body: body))
    }

    @Test func partsOfALineAreCodable() throws {
        let line = Self.full
        #expect(try roundTrip(line.script) == line.script)
        #expect(try roundTrip(line.security) == line.security)
        #expect(try roundTrip(line.expect) == line.expect)
        #expect(try roundTrip(line.credential) == line.credential)
        #expect(try roundTrip(RequestLine.Body.text("x")) == .text("x"))
    }

    @Test func parserReadsEncodedLines() throws {
        var line = Self.full
        line.security = .init()
        line.security?.ca = "ca.pem"
        let data = try JSONEncoder().encode(line)
        #expect(try RequestLineParser().parse(line: data, number: 1)?.line == line)
    }

    @Test func defaultsAreLeftOut() throws {
        let data = try JSONEncoder().encode(RequestLine(url: "u"))
        #expect(String(decoding: data, as: UTF8.self) == #"{"url":"u"}"#)
    }

    @Test func fieldsHaveTheNamesOfTheFormat() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var line = RequestLine(id: "a", method: "HEAD", url: "/x", body: .json(.integer(1)))
        line.script = [.init(at: 1.5, action: .resume)]
        line.httpVersion = .http2
        line.decode = false
        line.cache = .forceCache
        line.priority = .veryLow
        let expected = #"""
            {"cache":"forceCache","decode":false,"httpVersion":"2","id":"a","json":1,"method":"HEAD","priority":"veryLow",\#
            "script":[{"at":1.5,"do":"resume"}],"url":"/x"}
            """#
        #expect(String(decoding: try encoder.encode(line), as: UTF8.self) == expected)
    }

    @Test(arguments: [
        (#"{"url":"u","nonsense":1}"#, "nonsense"), (#"{"url":1}"#, "url"), ("{}", "url"),
        (#"{"url":"u","multipart":[{"name":"a"}]}"#, "multipart[0].value"),
        (#"{"url":"u","multipart":[{"name":"a","value":"b","file":"c"}]}"#, "multipart[0].value"),
        (#"{"url":"u","multipart":[{"name":"a","value":"b","filename":"c"}]}"#, "multipart[0].filename"),
        (#"{"url":"u","security":{"mode":"both"}}"#, "security.mode"), (#"{"url":"u","cache":"no"}"#, "cache"),
        (#"{"url":"u","security":{"validatesHost":1}}"#, "security.validatesHost"),
    ])
    func decodingIsAsStrictAsTheParser(_ text: String, _ field: String) throws {
        let error = try #require(throws: DecodingError.self) {
            try JSONDecoder().decode(RequestLine.self, from: Data(text.utf8))
        }
        guard case .dataCorrupted(let context) = error else { return #expect(Bool(false), "\(error)") }
        #expect(context.debugDescription.hasPrefix("field \"\(field)\": "), "\(context.debugDescription)")
    }
}
