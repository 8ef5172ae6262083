// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct AlteredTargetTests {
    /// The question mark of an empty query is part of the target.
    @Test(
        arguments: [
            ("http://a.test/b?", "/b?", "http://a.test/b?"), ("http://A.test?", "/?", "http://A.test/?"),
            ("http://u:p@a.test:81/?#x", "/?", "http://a.test:81/?"), ("http://[::1]/b?", "/b?", "http://[::1]/b?"),
            ("http://a.test/b", nil, nil), ("http://a.test/b??", nil, nil), ("http://a.test/b?c", nil, nil),
            ("http://a.test/b#?", nil, nil), ("http://\u{E9}.test/?", "/?", nil),
        ] as [(String, String?, String?)])
    func targetEndsWithTheQuestionMark(url: String, target: String?, absolute: String?) {
        for (isAbsolute, expected) in [(false, target), (true, absolute)] {
            let written = AlteredTarget.target(
                ofURL: url, isAbsolute: isAbsolute, keepsEmptyQuery: true, keepsEscapes: false)
            #expect(written == expected)
        }
    }

    @Test(
        arguments: [
            ("http://a.test/%2e%2E/b", "/%2e%2E/b", "http://a.test/%2e%2E/b"),
            ("http://a.test/b?c=%aF#%af", "/b?c=%aF", "http://a.test/b?c=%aF"),
            ("http://u:%2f@a.test/b", nil, nil), ("http://a.test/%2E/ab", nil, nil), ("http://a.test/b#%2f", nil, nil),
            ("http://a.test/b?", nil, nil), ("http://a.test/%", nil, nil),
        ] as [(String, String?, String?)])
    func escapesAreNotChanged(url: String, target: String?, absolute: String?) {
        for (isAbsolute, expected) in [(false, target), (true, absolute)] {
            let written = AlteredTarget.target(
                ofURL: url, isAbsolute: isAbsolute, keepsEmptyQuery: false, keepsEscapes: true)
            #expect(written == expected)
        }
    }
}

extension NetworkTests {
    @Suite struct SentAlteredTargetTests {
        @Test(arguments: [false, true]) func emptyQueryIsSent(usesJar: Bool) async throws {
            try await TestServer.answering(.response()) { server in
                let options = TransferOptions { if usesJar { $0.cookieJar = CookieJar() } }
                for target in ["/a?", "/a", "/?", "/a?b", "/a?"] { await get(server.url(target), options) }
                #expect(server.requests.map(\.target) == ["/a?", "/a", "/?", "/a?b", "/a?"])
            }
        }

        /// libcurl's own URL parser processes a URL with an uppercase host or with a fragment.
        @Test(arguments: [false, true]) func escapesAreSentUnchanged(usesProxy: Bool) async throws {
            try await TestServer.answering(.response()) { server in
                let options = try TransferOptions {
                    if usesProxy { $0.proxy = try Proxy("http://127.0.0.1:\(server.port)") }
                }
                for target in ["/%2fa?b=%c3%A9", "/%2fa#c", "/%2fa"] {
                    await get(server.url(target, host: "LOCALHOST"), options)
                }
                let start = usesProxy ? "http://localhost:\(server.port)" : ""
                let targets = server.requests.map { $0.target.replacingOccurrences(of: "LOCALHOST", with: "localhost") }
                #expect(targets == ["/%2fa?b=%c3%A9", "/%2fa", "/%2fa"].map { start + $0 })
            }
        }

        @Test func proxyReceivesTheEmptyQuery() async throws {
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
