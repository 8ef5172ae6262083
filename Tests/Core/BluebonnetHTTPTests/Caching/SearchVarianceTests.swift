// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

// No-Vary-Search (draft-ietf-httpbis-no-vary-search).
@Suite struct SearchVarianceTests {
    private func areEquivalent(_ field: String, _ first: String, _ second: String) throws -> Bool {
        let keys = try [first, second].map { CacheKey(try #require(URL(string: "http://a.example/x" + $0))) }
        return try #require(SearchVariance([field])).areEquivalent(keys[0], keys[1])
    }

    @Test(arguments: [
        ("key-order", "?a=1&b=2", "?b=2&a=1"), ("params", "?a=1", ""), ("params", "?", ""), ("params=?1", "?a", "?b"),
        ("params=(\"a\")", "?a=1&b=2", "?b=2&a=3"), ("params=(\"a\" \"c\")", "?b=2", "?c&b=2&a"),
        ("params, except=(\"b\")", "?a=1&b=2", "?b=2&c=3"), ("params=(\"%C3%A9+x\")", "?%c3%a9%20x=1", "?%C3%A9+x=2"),
        ("key-order, params=(\"z\")", "?a=1&b=2&a=3", "?b=2&a=1&z&a=3"), ("params=(\"z\"), x=1", "?a=1&&b", "?a=1&b="),
        ("params=(\"%\")", "?%=1", "?%25=2"),
    ])
    func ignoredPartsDoNotCount(field: String, first: String, second: String) throws {
        #expect(try areEquivalent(field, first, second))
    }

    @Test(arguments: [
        ("key-order", "?a=1&a=2", "?a=2&a=1"), ("key-order", "?a=1", "?a=2"), ("params=(\"a\")", "?b=1", "?b=2"),
        ("params=(\"a\")", "?b=1&c=2", "?c=2&b=1"), ("params, except=(\"b\")", "?b=1", "?b=2"),
        ("params", "?a", "y?a"), ("params=(\"A\")", "?a=1", "?a=2"), ("params=(\"z\")", "?a=%zz", "?a=zz"),
    ])
    func otherPartsCount(field: String, first: String, second: String) throws {
        #expect(try !areEquivalent(field, first, second))
    }

    @Test(arguments: [
        "unknown-key", "key-order=\"x\"", "params=\"x\"", "params=(x)", "params=(\"a\"), except=(\"x\")",
        "params=(), except=()", "params=?0, except=(\"x\")", "params, except=(x)", "params, except=\"x\"",
        "params, except=?1", "except=(\"x\")", "except=()", "params=?0", "params=()", "key-order=?0", "a b", "",
    ])
    func withoutValidFieldAllCounts(field: String) {
        #expect(SearchVariance([field]) == nil)
        #expect(SearchVariance([]) == nil)
    }

    @Test func storedResponseAnswersEquivalentURL() throws {
        var cache = CacheSimulation()
        cache.origin = { _, _ in
            CacheSimulation.Origin(headers: ["Cache-Control": "max-age=60", "No-Vary-Search": "params=(\"utm\")"])
        }
        func url(_ query: String) throws -> URL { try #require(URL(string: "http://a.example/x?" + query)) }
        _ = cache.get(url: try url("a=1&utm=x"))
        #expect(cache.entries.first?.response.ignoresPartsOfQuery == true)
        #expect(cache.get(url: try url("a=1")).isFromCache)
        #expect(!cache.get(url: try url("a=2")).isFromCache)
    }
}
