// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet

/// The question mark of an empty query is a part of the target.
@Suite struct EmptyQueryTests {
    @Test(
        arguments: [
            ("http://a.test/b?", "/b?", "http://a.test/b?"), ("http://A.test?", "/?", "http://A.test/?"),
            ("http://u:p@a.test:81/?#x", "/?", "http://a.test:81/?"), ("http://[::1]/b?", "/b?", "http://[::1]/b?"),
            ("http://a.test/b", nil, nil), ("http://a.test/b??", nil, nil), ("http://a.test/b?c", nil, nil),
            ("http://a.test/b#?", nil, nil), ("http://\u{E9}.test/?", "/?", nil),
        ] as [(String, String?, String?)])
    func targetEndsWithTheQuestionMark(url: String, target: String?, absolute: String?) {
        #expect(EmptyQuery.target(ofURL: url, isAbsolute: false) == target)
        #expect(EmptyQuery.target(ofURL: url, isAbsolute: true) == absolute)
    }
}

extension NetworkTests {
    @Suite struct SentEmptyQueryTests {
        @Test(arguments: [false, true]) func emptyQueryIsSent(usesJar: Bool) async throws {
            try await TestServer.answering(.response()) { server in
                let options = TransferOptions { if usesJar { $0.cookieJar = CookieJar() } }
                for target in ["/a?", "/a", "/?", "/a?b", "/a?"] { await get(server.url(target), options) }
                #expect(server.requests.map(\.target) == ["/a?", "/a", "/?", "/a?b", "/a?"])
            }
        }

        @Test func proxyGetsTheEmptyQuery() async throws {
            try await TestServer.answering(.response()) { proxy in
                let options = try TransferOptions { $0.proxy = try Proxy("http://127.0.0.1:\(proxy.port)") }
                for target in ["/a?", "/a", "?"] {
                    await get(try #require(URL(string: "http://u:p@a.test" + target)), options)
                }
                let expected = ["http://a.test/a?", "http://a.test/a", "http://a.test/?"]
                #expect(proxy.requests.map(\.target) == expected)
            }
        }
    }
}
