// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TestSupport
import Testing

@testable import Bluebonnet
@testable import BluebonnetHTTP

@Suite struct InMemoryResponseCacheTests {
    private func key(_ path: String, partition: String = "") -> CacheKeyPair {
        CacheKeyPair(partition: partition, key: CacheKey(ScriptedNetwork.url(path)))
    }

    private func entry(_ path: String, _ headers: HeaderFields = [:], partition: String = "") throws -> CacheEntry {
        let response = StoredResponse(
            id: 0, key: CacheKey(ScriptedNetwork.url(path)), statusCode: 200, reasonPhrase: "OK", headers: headers,
            variance: try #require(CacheVariance(response: headers, request: [:])), requestedAt: Date(),
            receivedAt: Date(), body: StoredBody(byteCount: 0))
        return CacheEntry(response, partition: partition)
    }

    private func store(
        _ cache: InMemoryResponseCache, _ path: String, byteCount: Int, _ headers: HeaderFields = [:],
        partition: String = "", replacing replaced: [Int64] = []
    ) throws {
        let entry = try entry(path, headers, partition: partition)
        cache.apply([.store(entry, body: .data(Data(count: byteCount)), replacing: replaced)])
    }

    private func byteCounts(_ cache: InMemoryResponseCache, _ path: String, partition: String = "") -> [Int] {
        cache.entries(for: key(path, partition: partition)).compactMap { cache.body(of: $0)?.count }
    }

    private func paths(_ cache: InMemoryResponseCache, _ count: Int) -> [Int] {
        (0..<count).filter { !byteCounts(cache, "/\($0)").isEmpty }
    }

    @Test func storedResponseIsFoundByItsURL() throws {
        let cache = InMemoryResponseCache()
        try store(cache, "/a", byteCount: 3)
        #expect(byteCounts(cache, "/a#part") == [3])
        #expect(byteCounts(cache, "/a?b") == [])
        let first = try #require(cache.entries(for: key("/a")).first)
        try store(cache, "/a", byteCount: 5, replacing: [first.id])
        #expect(byteCounts(cache, "/a") == [5] && cache.count == 1)
        #expect(cache.cachedResponse(for: URLRequest(url: ScriptedNetwork.url("/a")))?.data.count == 5)
        cache.removeCachedResponse(for: URLRequest(url: ScriptedNetwork.url("/a")))
        #expect(byteCounts(cache, "/a") == [] && cache.byteCount == 0)
    }

    @Test func partitionsAreSeparateAndInvalidatedTogether() throws {
        let cache = InMemoryResponseCache()
        try store(cache, "/a", byteCount: 1)
        try store(cache, "/a", byteCount: 2, partition: "user")
        #expect(byteCounts(cache, "/a") == [1] && byteCounts(cache, "/a", partition: "user") == [2])
        cache.apply([.removeURL(key("/a").url)])
        #expect(cache.count == 0)
    }

    @Test func groupIsRemovedForItsOriginOnly() throws {
        let cache = InMemoryResponseCache()
        try store(cache, "/a", byteCount: 1, ["Cache-Groups": "\"one\", \"two\""])
        try store(cache, "/b", byteCount: 1, ["Cache-Groups": "\"two\""])
        let origin = try #require(cache.entries(for: key("/a")).first).origin
        cache.apply([.removeGroup("one", origin: "http://other:80")])
        #expect(cache.count == 2)
        cache.apply([.removeGroup("one", origin: origin)])
        #expect(byteCounts(cache, "/a") == [] && byteCounts(cache, "/b") == [1])
    }

    @Test func responseThatIgnoresTheQueryIsFoundForOthers() throws {
        let cache = InMemoryResponseCache()
        try store(cache, "/a?x=1", byteCount: 1, ["No-Vary-Search": "params"])
        #expect(byteCounts(cache, "/a?x=2") == [1])
        cache.apply([.remove(try #require(cache.entries(for: key("/a?x=2")).first).id)])
        #expect(cache.count == 0 && byteCounts(cache, "/a?x=2") == [])
    }

    @Test func updateKeepsTheBodyAndExpiryIsRecorded() throws {
        let cache = InMemoryResponseCache()
        try store(cache, "/a", byteCount: 7)
        var changed = try entry("/a", ["X-A": "2"])
        changed.id = try #require(cache.entries(for: key("/a")).first).id
        cache.apply([.update(changed), .expire(changed.id)])
        let found = try #require(cache.entries(for: key("/a")).first)
        #expect(found.headers["X-A"] == "2" && found.isExpired && cache.body(of: found)?.count == 7)
    }

    @Test func variantSharesAStoredBody() throws {
        let cache = InMemoryResponseCache()
        try store(cache, "/a", byteCount: 7)
        let id = try #require(cache.entries(for: key("/a")).first).id
        cache.apply([.store(try entry("/a"), body: .stored(id), replacing: [])])
        #expect(byteCounts(cache, "/a") == [7, 7])
    }

    @Test func leastRecentlyUsedResponseIsEvictedFirst() throws {
        let cache = InMemoryResponseCache(byteCapacity: 100_000)
        for number in 0..<4 { try store(cache, "/\(number)", byteCount: 22_000) }
        #expect(byteCounts(cache, "/0") == [22_000])
        try store(cache, "/4", byteCount: 22_000)
        #expect(paths(cache, 5) == [0, 2, 3, 4])
        #expect(cache.byteCount <= 100_000)
    }

    @Test func headerFieldsCountAgainstTheCapacity() throws {
        let cache = InMemoryResponseCache(byteCapacity: 100_000)
        let fields: HeaderFields = ["X-Large": String(repeating: "a", count: 20_000)]
        for number in 0..<10 { try store(cache, "/\(number)", byteCount: 0, fields) }
        #expect(paths(cache, 10) == [6, 7, 8, 9])
        #expect((80_000...100_000).contains(cache.byteCount))
    }

    @Test func oversizedResponseIsNotKeptAndRemovesTheOldOne() throws {
        let cache = InMemoryResponseCache(byteCapacity: 100_000)
        try store(cache, "/0", byteCount: 10)
        let id = try #require(cache.entries(for: key("/0")).first).id
        try store(cache, "/0", byteCount: 25_000, replacing: [id])
        #expect(cache.byteCount == 0 && cache.count == 0)
    }

    @Test func cacheNeverExceedsItsCapacity() throws {
        let cache = InMemoryResponseCache(byteCapacity: 50_000)
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<5_000 {
            let path = "/\(Int.random(in: 0..<60, using: &generator))"
            if Bool.random(using: &generator) {
                let replaced = cache.entries(for: key(path)).map(\.id)
                try store(cache, path, byteCount: Int.random(in: 0...8_000, using: &generator), replacing: replaced)
            } else {
                _ = byteCounts(cache, path)
            }
            #expect(cache.byteCount <= 50_000)
        }
        cache.removeAll()
        #expect(cache.byteCount == 0 && paths(cache, 60) == [])
    }
}
