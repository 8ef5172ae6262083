// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

// RFC 9111, 4.1, and keys.
@Suite struct CacheVarianceTests {
    private func matches(_ vary: [String], _ first: HeaderFields, _ second: HeaderFields, language: String? = nil)
        -> Bool
    {
        var response = HeaderFields(vary.map { ("Vary", $0) })
        response["Content-Language"] = language
        return CacheVariance(response: response, request: first)?.matches(second) ?? false
    }

    @Test func namedFieldsHaveToMatch() {
        #expect(matches([], ["A": "1"], ["A": "2"]))
        #expect(matches(["a"], ["A": "1"], ["a": "1"]))
        #expect(!matches(["A"], ["A": "1"], ["A": "2"]))
        #expect(!matches(["A"], ["A": "1"], [:]))
        #expect(!matches(["A"], [:], ["A": "1"]))
        #expect(!matches(["A"], ["A": ""], [:]))
        #expect(matches(["A, B", "C"], ["B": "1"], ["B": "1"]))
        #expect(!matches(["*"], [:], [:]))
    }

    @Test func valuesAreNormalized() {
        #expect(matches(["A"], ["A": "1, 2"], [.init(name: "A", value: "1"), .init(name: "a", value: "2")]))
        #expect(matches(["A"], ["A": "1,2"], ["A": " 1 ,\t2 "]))
        #expect(!matches(["A"], ["A": "1,2"], ["A": "2,1"]))
        #expect(!matches(["A"], ["A": "\"a, b\""], ["A": "\"a,b\""]))
        #expect(!matches(["User-Agent"], ["User-Agent": "x"], ["User-Agent": "X"]))
        #expect(matches(["Accept-Encoding"], ["Accept-Encoding": "gzip, br"], ["Accept-Encoding": "BR,gzip"]))
        #expect(!matches(["Accept-Encoding"], ["Accept-Encoding": "gzip, br"], ["Accept-Encoding": "gzip"]))
    }

    @Test func bytesOfValuesAreCompared() {
        #expect(!matches(["A"], ["A": "\u{e9}"], ["A": "e\u{301}"]))
    }

    @Test(arguments: [
        ("fr;q=0.5, de", true), ("fr, de", false), ("fr, de;q=0.9", false), ("*, de;q=0.1", false), ("de", true),
        ("de;q=0", false), ("DE ; q=1.0, fr ;q=0.9", true),
    ])
    func preferredLanguageSelectsResponse(asked: String, isSelected: Bool) {
        let first: HeaderFields = ["Accept-Language": "en, de"]
        #expect(matches(["Accept-Language"], first, ["Accept-Language": asked], language: "de") == isSelected)
        #expect(!matches(["Accept-Language"], first, ["Accept-Language": asked]))
    }

    @Test func mostRecentResponseIsUsed() {
        var cache = CacheSimulation()
        let dates = ["Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:39 GMT", "Sun, 06 Nov 1994 08:49:38 GMT"]
        let stored = dates.enumerated().map { index, date in
            StoredResponse(
                id: Int64(index + 1), key: CacheKey(CacheSimulation.url), statusCode: 200, reasonPhrase: "OK",
                headers: ["Cache-Control": "max-age=999999999999", "Date": date, "X": "\(index)"],
                variance: CacheVariance(response: [:], request: [:])!, requestedAt: cache.now, receivedAt: cache.now,
                body: StoredBody(byteCount: 0))
        }
        cache.entries = stored.map { CacheSimulation.Entry(response: $0, body: []) }
        #expect(cache.get(policy: .forceCache).headers["X"] == "1")
    }

    @Test(arguments: [
        ("http://A.example/x", "http://a.example:80/x"), ("https://a.example:443", "https://a.example/"),
        ("http://a.example/x#one", "http://a.example/x#two"), ("http://u:p@a.example/x", "http://a.example/x"),
        ("HTTP://a.example/?q", "http://a.example?q"), ("http://a.example:080/x", "http://a.example/x"),
        ("https://a.example:0443/x", "https://a.example:443/x"), ("http://a.example:08080/", "http://a.example:8080"),
    ])
    func equivalentURLsHaveOneKey(first: String, second: String) throws {
        let (one, two) = (try #require(URL(string: first)), try #require(URL(string: second)))
        #expect(CacheKey(one) == CacheKey(two))
    }

    @Test(arguments: [
        "http://a.example/y", "https://a.example/x", "http://a.example:81/x", "http://a.example/x?",
        "https://a.example:80/x",
    ])
    func otherURLsHaveOtherKeys(other: String) throws {
        #expect(CacheKey(try #require(URL(string: other))) != CacheKey(CacheSimulation.url))
    }

    @Test func keyKnowsItsQuery() throws {
        let key = CacheKey(try #require(URL(string: "http://a.example/x?a=1?2#f")))
        #expect(
            key.withoutQuery == "http://a.example/x" && key.query == "a=1?2" && key.text == "http://a.example/x?a=1?2")
        #expect(CacheKey(CacheSimulation.url).query == nil)
        #expect(key.origin == Origin(CacheSimulation.url))
        #expect(try JSONDecoder().decode(CacheKey.self, from: JSONEncoder().encode(key)) == key)
    }
}
