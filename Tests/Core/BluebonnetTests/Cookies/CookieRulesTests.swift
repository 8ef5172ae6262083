// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct CookieRulesTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func goes(_ cookie: Cookie, to url: String) throws -> Bool {
        let url = try #require(URL(string: url))
        return CookieRules.matching([cookie], url: url, now: Self.now) == [cookie]
    }

    // RFC 6265, 5.1.3 and 5.1.4.
    @Test(arguments: [
        ("example.com", false, "/", "http://example.com", true),
        ("example.com", false, "/", "http://EXAMPLE.com/x", true),
        ("example.com", false, "/", "http://www.example.com/", false),
        ("example.com", true, "/", "http://www.example.com/", true),
        ("example.com", true, "/", "http://badexample.com/", false), ("example.com", true, "/", "http://com/", false),
        ("0.0.1", true, "/", "http://127.0.0.1/", false), ("127.0.0.1", false, "/", "http://127.0.0.1:81/", true),
        ("example.com", false, "/", "http://example.com./", false),
        ("example.com", false, "/a", "http://example.com/a", true),
        ("example.com", false, "/a", "http://example.com/a/b?c", true),
        ("example.com", false, "/a", "http://example.com/ab", false),
        ("example.com", false, "/a/", "http://example.com/a", false),
        ("example.com", false, "/a/", "http://example.com/a/b", true),
        ("example.com", false, "/a", "http://example.com?/a", false),
    ])
    func cookieIsSentToItsHostAndPath(
        domain: String, includesSubdomains: Bool, path: String, url: String, isSent: Bool
    ) throws {
        let cookie = Cookie(
            name: "n", value: "v", domain: domain, path: path, includesSubdomains: includesSubdomains)
        #expect(try goes(cookie, to: url) == isSent)
    }

    @Test func secureCookieNeedsTLSOrTheLocalMachine() throws {
        func secure(_ domain: String) -> Cookie { Cookie(name: "n", value: "v", domain: domain, isSecure: true) }
        #expect(try goes(secure("example.com"), to: "https://example.com/"))
        #expect(try !goes(secure("example.com"), to: "http://example.com/"))
        #expect(try goes(secure("localhost"), to: "http://localhost/"))
        #expect(try goes(secure("127.0.0.1"), to: "http://127.0.0.1/"))
    }

    @Test func expiredCookieIsNotSent() throws {
        let old = Cookie(name: "n", value: "v", domain: "a.b", expires: Self.now)
        let new = Cookie(name: "n", value: "v", domain: "a.b", expires: Self.now + 1)
        #expect(try !goes(old, to: "http://a.b/"))
        #expect(try goes(new, to: "http://a.b/"))
    }

    @Test func longerPathsComeFirst() throws {
        let cookies = ["/", "/a/b", "/a"].map { Cookie(name: $0, value: "v", domain: "a.b", path: $0) }
        let url = try #require(URL(string: "http://a.b/a/b/c"))
        #expect(CookieRules.matching(cookies, url: url, now: Self.now).map(\.name) == ["/a/b", "/a", "/"])
    }

    private func cookies(_ count: Int, _ domain: (Int) -> String) -> [Cookie] {
        (0..<count).map { Cookie(name: "n\($0)", value: "v", domain: domain($0)) }
    }

    @Test func cookiesWithinTheLimitAreKept() {
        #expect(CookieRules.surplus(cookies(100) { _ in "a.b" }, limit: 100).isEmpty)
    }

    @Test func oldestCookiesOfTheLargestSiteAreRemoved() {
        let small = cookies(10) { _ in "small.org" }
        let large = cookies(100) { "h\($0).large.com" }
        let surplus = CookieRules.surplus(small + large, limit: 100)
        #expect(surplus == Array(large.prefix(20)))  // 110 become 90
    }

    @Test func cookiesOfManySitesAreLimited() {
        let many = cookies(500) { "site\($0).com" }
        let surplus = CookieRules.surplus(many, limit: 100)
        #expect(surplus == Array(many.prefix(410)))
    }
}
