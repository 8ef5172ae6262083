// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TestSupport
import Testing

@testable import Bluebonnet

@Suite struct InMemoryResponseCacheTests {
    private func request(_ path: String) -> URLRequest { URLRequest(url: ScriptedNetwork.url(path)) }

    private func response(_ path: String, byteCount: Int) throws -> CachedResponse {
        let response = HTTPURLResponse(
            url: ScriptedNetwork.url(path), statusCode: 200, httpVersion: nil, headerFields: nil)
        return CachedResponse(response: try #require(response), data: Data(count: byteCount))
    }

    private func paths(_ cache: InMemoryResponseCache, _ count: Int) -> [Int] {
        (0..<count).filter { cache.cachedResponse(for: request("/\($0)")) != nil }
    }

    @Test func storedResponseIsFoundByItsURL() throws {
        let cache = InMemoryResponseCache()
        try cache.store(response("/a", byteCount: 3), for: request("/a#part"))
        #expect(cache.cachedResponse(for: request("/a"))?.data.count == 3)
        #expect(cache.cachedResponse(for: request("/a#other"))?.data.count == 3)
        #expect(cache.cachedResponse(for: request("/a?b")) == nil)
        try cache.store(response("/a", byteCount: 5), for: request("/a"))
        #expect(cache.cachedResponse(for: request("/a"))?.data.count == 5)
        cache.removeCachedResponse(for: request("/a"))
        #expect(cache.cachedResponse(for: request("/a")) == nil)
        #expect(cache.byteCount == 0)
    }

    @Test func leastRecentlyUsedResponseIsEvictedFirst() throws {
        let cache = InMemoryResponseCache(byteCapacity: 100_000)
        for number in 0..<4 { try cache.store(response("/\(number)", byteCount: 22_000), for: request("/\(number)")) }
        #expect(cache.cachedResponse(for: request("/0")) != nil)
        try cache.store(response("/4", byteCount: 22_000), for: request("/4"))
        #expect(paths(cache, 5) == [0, 2, 3, 4])
        #expect(cache.byteCount <= 100_000)
    }

    @Test func headerFieldsCountAgainstTheCapacity() throws {
        let cache = InMemoryResponseCache(byteCapacity: 100_000)
        let fields = ["X-Large": String(repeating: "a", count: 20_000)]
        for number in 0..<10 {
            let head = HTTPURLResponse(
                url: ScriptedNetwork.url("/\(number)"), statusCode: 200, httpVersion: nil, headerFields: fields)
            cache.store(CachedResponse(response: try #require(head), data: Data()), for: request("/\(number)"))
        }
        #expect(paths(cache, 10) == [6, 7, 8, 9])
        #expect((80_000...100_000).contains(cache.byteCount))
    }

    @Test func oversizedResponseIsNotKeptAndRemovesTheOldOne() throws {
        let cache = InMemoryResponseCache(byteCapacity: 100_000)
        try cache.store(response("/0", byteCount: 10), for: request("/0"))
        try cache.store(response("/0", byteCount: 25_000), for: request("/0"))
        #expect(cache.cachedResponse(for: request("/0")) == nil)
        #expect(cache.byteCount == 0)
    }

    @Test func cacheNeverExceedsItsCapacity() throws {
        let cache = InMemoryResponseCache(byteCapacity: 50_000)
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<5_000 {
            let number = Int.random(in: 0..<60, using: &generator)
            if Bool.random(using: &generator) {
                let byteCount = Int.random(in: 0...8_000, using: &generator)
                try cache.store(response("/\(number)", byteCount: byteCount), for: request("/\(number)"))
            } else {
                _ = cache.cachedResponse(for: request("/\(number)"))
            }
            #expect(cache.byteCount <= 50_000)
        }
        cache.removeAll()
        #expect(cache.byteCount == 0)
        #expect(paths(cache, 60) == [])
    }
}
