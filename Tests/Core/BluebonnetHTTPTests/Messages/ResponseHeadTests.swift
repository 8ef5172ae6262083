// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import BluebonnetHTTP

@Suite struct ResponseHeadTests {
    private static let url = URL(string: "http://h/p")!

    private func head(_ fields: [(name: String, value: String)], status: Int = 200) -> ResponseHead {
        ResponseHead(url: Self.url, statusCode: status, headers: HeaderFields(fields))
    }

    // MARK: - Fields

    @Test func repeatedFieldsAreFoundIgnoringCase() {
        let head = head([("Set-Cookie", "a=1"), ("X", "y"), ("set-cookie", "b=2, c")])
        #expect(head.values(for: "SET-COOKIE") == ["a=1", "b=2, c"])
        #expect(head.value(for: "set-cookie") == "a=1, b=2, c")
        #expect(head.value(for: "x") == "y")
        #expect(head.value(for: "z") == nil)
    }

    @Test func listIsReadFromAllFieldLines() {
        let head = head([("Vary", "Accept ,, accept-language,"), ("vary", "X")])
        #expect(ResponseHead.list(head.values(for: "Vary")) == ["accept", "accept-language", "x"])
    }

    @Test func locationsAreTakenFromTheFields() {
        #expect(head([("location", "/é"), ("Location", "/x")]).locations == ["/%C3%A9", "/x"])
        #expect(head([]).locations.isEmpty)
    }

    @Test func urlResponseJoinsRepeatedFields() throws {
        let head = ResponseHead(
            url: Self.url, statusCode: 404, reasonPhrase: "Not Found", httpVersion: "2",
            headers: ["Content-Type": "text/html; charset=utf-8", "X-A": "1", "x-a": "2", "X-A": "3"])
        let response = try #require(head.urlResponse)
        #expect(response.statusCode == 404)
        #expect(response.url == Self.url)
        #expect(response.mimeType == "text/html")
        #expect(response.value(forHTTPHeaderField: "x-a") == "1, 2, 3")
        #expect(head.urlResponse === response)
    }

    // MARK: - Framing

    @Test(
        arguments: [
            (["0"], 0), (["5"], 5), (["5", "5"], 5), (["5, 5"], 5), (["5,5", "005"], 5),
            (["9223372036854775807"], .max),
        ]
            as [([String], Int64)])
    func equalContentLengthsAreAccepted(values: [String], length: Int64) throws {
        let head = head(values.map { ("Content-Length", $0) })
        try head.checkFraming()
        #expect(head.contentLength == length)
    }

    @Test func headWithoutContentLengthHasNoLength() throws {
        try head([]).checkFraming()
        #expect(head([]).contentLength == nil)
    }

    @Test(arguments: [
        ["5", "6"], ["5, 6"], ["+5"], ["-5"], ["5 6"], ["0x5"], [""], ["5,"], [","], ["5", ""], ["5.0"],
        ["9223372036854775808"],
        ["٥"],
    ])
    func invalidOrDifferentContentLengthsAreRefused(values: [String]) {
        let head = head(values.map { ("content-length", $0) })
        let error = #expect(throws: NetworkingError.self) { try head.checkFraming() }
        #expect(error?.code == .badServerResponse)
        #expect(error?.message.contains("Content-Length") == true)
        #expect(head.contentLength == nil)
    }

    /// RFC 9112, 9.3; section 6.3 for the last rows.
    @Test(
        arguments: [
            ("1.1", [:], false), ("1.1", ["Connection": "close"], true),
            ("1.1", ["connection": "Foo, Close"], true), ("1.1", ["Connection": "closed"], false),
            ("1.1", ["Connection": "keep-alive"], false), ("1.0", [:], true),
            ("1.0", ["Connection": "Keep-Alive"], false), ("1.0", ["Connection": "keep-alive, close"], true),
        ] as [(String, [String: String], Bool)])
    func versionAndConnectionFieldDecideConnectionClose(
        version: String, fields: [String: String], isClosed: Bool
    ) {
        for (name, value) in [("Content-Length", "5"), ("Transfer-Encoding", "chunked")] {
            let fields = fields.map { ($0.key, $0.value) } + [(name, value)]
            let head = ResponseHead(url: Self.url, statusCode: 200, httpVersion: version, headers: HeaderFields(fields))
            #expect(head.closesConnection(after: "GET") == isClosed)
        }
    }

    @Test func bodyWithoutFramingClosesConnection() {
        #expect(head([]).closesConnection(after: "POST"))
        #expect(!head([]).closesConnection(after: "HEAD"))
        #expect(!head([], status: 204).closesConnection(after: "POST"))
        #expect(head([("Transfer-Encoding", "gzip")]).closesConnection(after: "POST"))
    }

    @Test func contentLengthWithTransferEncodingIsRefused() throws {
        let error = #expect(throws: NetworkingError.self) {
            try head([("Content-Length", "5"), ("Transfer-Encoding", "chunked")]).checkFraming()
        }
        #expect(error?.code == .badServerResponse)
        try head([("Transfer-Encoding", "chunked")]).checkFraming()
    }

    @Test(arguments: [
        ("chunked", true), ("gzip, Chunked", true), ("chunked, gzip", false), ("", false), ("identity", false),
    ])
    func bodyIsChunkedIfLastCodingIsChunked(value: String, isChunked: Bool) {
        #expect(head([("transfer-encoding", value)]).isChunked == isChunked)
    }

    /// Not every libcurl version decodes chunked bodies that have these codings.
    @Test(arguments: [
        ["identity, chunked"], ["none, chunked"], ["chunked, identity"], ["chunked", "none"], ["chunked, chunked"],
        ["chunked", "chunked"], ["gzip"], ["chun\u{212A}ed"], ["chunked;a=b"],
    ])
    func transferCodingOtherThanChunkedIsRefused(values: [String]) {
        let error = #expect(throws: NetworkingError.self) {
            try head(values.map { ("Transfer-Encoding", $0) }).checkFraming()
        }
        #expect(error?.code == .badServerResponse)
    }

    @Test(arguments: ["chunked", "CHUNKED", " chunked ,", "identity", "none", ""])
    func chunkedAndIdentityTransferCodingsAreAccepted(value: String) {
        #expect(throws: Never.self) { try head([("Transfer-Encoding", value)]).checkFraming() }
    }

    @Test func transferCodingOverHTTP2IsRefused() {
        let head = ResponseHead(
            url: Self.url, statusCode: 200, httpVersion: "2", headers: ["Transfer-Encoding": "chunked"])
        #expect(throws: NetworkingError.self) { try head.checkFraming() }
    }

    @Test func contentCodingsAreInOrderApplied() {
        #expect(
            head([("Content-Encoding", "GZip, br"), ("content-encoding", " deflate ")]).contentCodings == [
                "gzip", "br", "deflate",
            ])
        #expect(head([]).contentCodings.isEmpty)
    }

    @Test(
        arguments: [
            ("none", []), ("NONE", []), ("identity", []), ("", []), (" , ", []), ("None, Identity", []),
            ("none, gzip", ["gzip"]), ("gzip,none,deflate,identity", ["gzip", "deflate"]), ("nones", ["nones"]),
            ("none;q=0", ["none;q=0"]),
        ] as [(String, [String])])
    func identityAndNoneAreNotContentCodings(value: String, codings: [String]) {
        #expect(head([("Content-Encoding", value)]).contentCodings == codings)
    }

    @Test(arguments: [
        ("GET", 200, true), ("HEAD", 200, false), ("GET", 204, false), ("GET", 304, false), ("GET", 205, true),
        ("GET", 100, false),
        ("POST", 500, true), ("HEAD", 404, false), ("CONNECT", 200, false), ("CONNECT", 407, true), ("head", 200, true),
    ])
    func methodAndStatusDetermineBodyPresence(method: String, status: Int, hasBody: Bool) {
        #expect(head([], status: status).hasBody(for: method) == hasBody)
    }

    // MARK: - Validators

    @Test(arguments: [
        ("\"abc\"", true), ("\"\"", true), ("\"é!#\"", true), ("W/\"abc\"", false), ("abc", false), ("\"", false),
        ("\"a\"b\"", false),
        ("\"a b\"", false), ("'a'", false), ("", false),
    ])
    func weakOrMalformedTagIsNotStrong(value: String, isStrong: Bool) {
        #expect(head([("etag", value)]).strongETag == (isStrong ? value : nil))
    }

    @Test func repeatedETagIsIgnored() {
        #expect(head([("ETag", "\"a\""), ("ETag", "\"a\"")]).strongETag == nil)
    }

    @Test(
        arguments: [
            ("bytes 0-499/1234", .part(first: 0, last: 499, total: 1234)),
            ("bytes 500-1233/1234", .part(first: 500, last: 1233, total: 1234)),
            ("bytes 7-7/*", .part(first: 7, last: 7, total: nil)), ("BYTES 0-0/1", .part(first: 0, last: 0, total: 1)),
            ("bytes */1234", .unsatisfied(total: 1234)), ("bytes */0", .unsatisfied(total: 0)),
        ] as [(String, ContentRange)])
    func contentRangeIsReadInAllForms(value: String, range: ContentRange) {
        #expect(head([("Content-Range", value)]).contentRange == range)
    }

    @Test(arguments: [
        "", "bytes", "bytes 0-499", "bytes=0-499/1234", "items 0-1/2", "bytes 5-4/10", "bytes 0-10/10", "bytes -1/5",
        "bytes 0-/5",
        "bytes */*", "bytes 0-1/2/3", "bytes a-b/c", "bytes +1-2/5", "bytes 0-1-2/5", "bytes 0-9223372036854775808/*",
        "bytes  0-1/2",
    ])
    func invalidContentRangeGivesNil(value: String) {
        #expect(head([("Content-Range", value)]).contentRange == nil)
    }

    @Test func repeatedContentRangeIsIgnored() {
        #expect(head([("Content-Range", "bytes 0-1/2"), ("Content-Range", "bytes 0-1/2")]).contentRange == nil)
    }
}
