// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

@Suite struct SentHeadersTests {
    private func request(_ fields: [String: String]) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "http://h/")))
        if !fields.isEmpty { request.allHTTPHeaderFields = fields }
        return request
    }

    private func sent(
        _ fields: [String: String], _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy,
        ready: HeaderFields? = nil, bodyByteCount: Int64? = 0
    ) throws -> (headers: HeaderFields, declaredBodyByteCount: Int64?) {
        var request = try request(fields)
        request.cachePolicy = policy
        return try #require(HTTPRequest(request))
            .sentHeaders(ready.map { .sent($0) } ?? .unchecked, bodyByteCount: bodyByteCount)
    }

    private func pairs(_ headers: HeaderFields) -> [String] { headers.fields.map { "\($0.name): \($0.value)" } }

    @Test func callerFieldsComeFirstSortedByName() throws {
        let fields = ["X-B": "2", "X-A": "1", "User-Agent": "mine", "accept-encoding": "identity"]
        let expected = ["User-Agent: mine", "X-A: 1", "X-B: 2", "accept-encoding: identity"]
        for _ in 0..<2 { #expect(pairs(try sent(fields).headers) == expected) }
        #expect(pairs(try #require(HTTPRequest(request(fields))).uncheckedSentHeaders) == expected)
    }

    @Test func defaultFieldsAreAddedToEachRequest() throws {
        let headers = try sent(["X-A": "1"]).headers
        #expect(headers.fields.map(\.name) == ["X-A", "Accept-Encoding", "User-Agent"])
        #expect(try sent([:]).headers.fields.map(\.name) == ["Accept-Encoding", "User-Agent"])
    }

    @Test func rangeRequestAsksForNoCoding() throws {
        #expect(try sent(["range": "bytes=10-19"]).headers["Accept-Encoding"] == "identity")
        let own = ["Range": "bytes=10-19", "Accept-Encoding": "gzip"]
        #expect(try sent(own).headers["Accept-Encoding"] == "gzip")
    }

    @Test func preparedFieldsAreSentUnchanged() throws {
        #expect(pairs(try sent(["X-A": "1"], ready: ["Only": "this"]).headers) == ["Only: this"])
    }

    @Test func cacheFieldsFollowTheCachePolicy() throws {
        let fields = ["X-Policy": "1"]
        for _ in 0..<2 {
            #expect(try sent(fields).headers["Cache-Control"] == nil)
            #expect(try sent(fields, .reloadIgnoringLocalAndRemoteCacheData).headers["Cache-Control"] == "no-cache")
        }
    }

    /// Swift treats the kelvin sign, U+212A, and the letter K as equal; a server does not.
    @Test func canonicallyEqualTextIsSentUnchanged() throws {
        let (letter, sign) = ("K", "\u{212A}")
        #expect(letter == sign)
        #expect(Array(try sent(["X-Unit": letter]).headers["X-Unit"]?.utf8 ?? "".utf8) == [0x4B])
        #expect(Array(try sent(["X-Unit": sign]).headers["X-Unit"]?.utf8 ?? "".utf8) == [0xE2, 0x84, 0xAA])
        #expect(Array(try sent(["X-Unit": letter]).headers["X-Unit"]?.utf8 ?? "".utf8) == [0x4B])
    }

    @Test func lengthIsComparedWithEachBody() throws {
        let fields = ["Content-Length": "5", "X-Length": "1"]
        for _ in 0..<2 {
            #expect(try sent(fields, bodyByteCount: 5).headers["Content-Length"] == nil)
            #expect(try sent(fields, bodyByteCount: nil).declaredBodyByteCount == 5)
            #expect(throws: NetworkingError.self) { try sent(fields, bodyByteCount: 6) }
        }
    }

    /// The fields of a manager's call, which were checked one by one.
    private func sentChecked(
        _ fields: HeaderFields, _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy, bodyByteCount: Int64? = 0
    ) throws -> (headers: HeaderFields, declaredBodyByteCount: Int64?) {
        var given = HTTPRequest(url: try #require(URL(string: "http://h/")), headers: fields)
        if policy != .useProtocolCachePolicy { given.changeFoundation { $0.cachePolicy = policy } }
        return try given.sentHeaders(.checked, bodyByteCount: bodyByteCount)
    }

    @Test func checkedFieldsKeepTheirOrderAndGetTheDefaults() throws {
        let headers = try sentChecked(["X-B": "2", "user-agent": "mine", "X-A": "1"]).headers
        let coding = "Accept-Encoding: \(ContentDecoder.acceptedCodings)"
        #expect(pairs(headers) == ["X-B: 2", "user-agent: mine", "X-A: 1", coding])
        #expect(pairs(try sentChecked([:]).headers) == pairs(try sent([:]).headers))
        let fresh = try sentChecked(["X-A": "1"], .reloadIgnoringLocalAndRemoteCacheData).headers
        #expect(fresh["Cache-Control"] == "no-cache" && fresh["Pragma"] == "no-cache")
    }

    @Test func lengthOfCheckedFieldsIsComparedWithTheBody() throws {
        let fields: HeaderFields = ["content-length": "5", "X-A": "1"]
        #expect(try sentChecked(fields, bodyByteCount: 5).headers["Content-Length"] == nil)
        #expect(try sentChecked(fields, bodyByteCount: nil).declaredBodyByteCount == 5)
        #expect(try sentChecked(["X-A": "1"], bodyByteCount: nil).declaredBodyByteCount == nil)
        #expect(throws: NetworkingError.self) { try sentChecked(fields, bodyByteCount: 6) }
        #expect(throws: NetworkingError.self) { try sentChecked(["transfer-encoding": "chunked"]) }
    }

    @Test func invalidFieldIsRefusedEachTime() {
        for fields in [["X-Bad": "a\r\nb"], ["Bad Name": "1"], ["Transfer-Encoding": "chunked"]] {
            for _ in 0..<2 {
                let error = #expect(throws: NetworkingError.self) { try sent(fields) }
                #expect(error?.code == .invalidRequest)
            }
        }
    }
}
