// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

// RFC 9111, 4, 4.2.4, 5.2 and 5.4: when a stored response is used.
@Suite struct CacheUseTests {
    private func cache(_ control: String, _ headers: HeaderFields = [:], after seconds: TimeInterval) -> CacheSimulation
    {
        var cache = CacheSimulation()
        cache.origin = { _, _ in
            CacheSimulation.Origin(
                headers: HeaderFields([.init(name: "Cache-Control", value: control)] + headers.fields))
        }
        _ = cache.get()
        cache.now += seconds
        return cache
    }

    private func isUsed(
        _ control: String, _ headers: HeaderFields = [:], after seconds: TimeInterval, asks: HeaderFields = [:],
        policy: CachePolicy = .useProtocol
    ) -> Bool {
        var cache = cache(control, headers, after: seconds)
        return cache.get(asks, policy: policy).isFromCache
    }

    @Test func freshResponseAnswersWithAge() {
        var cache = cache("max-age=60", after: 20)
        let reply = cache.get()
        #expect(reply.isFromCache && reply.headers["Age"] == "20" && reply.body == "body")
        #expect(reply.cacheStatus?.description == "Bluebonnet; hit; ttl=40")
    }

    @Test func staleResponseIsNotUsed() {
        #expect(isUsed("max-age=60", after: 59))
        #expect(!isUsed("max-age=60", after: 60))
        #expect(!isUsed("max-age=60", after: -1))
    }

    @Test func ageIsReplaced() {
        var cache = cache("max-age=60", ["Age": "10"], after: 20)
        #expect(cache.get().headers.values(for: "Age") == ["30"])
    }

    @Test func headIsAnsweredFromGet() {
        var cache = cache("max-age=60", ["Content-Length": "4"], after: 1)
        let reply = cache.get(method: "HEAD")
        #expect(reply.isFromCache && reply.body.isEmpty && reply.headers["Content-Length"] == "4")
    }

    @Test func noCacheOfEitherSideDemandsValidation() {
        #expect(!isUsed("max-age=60, no-cache", ["ETag": "\"a\""], after: 1))
        #expect(!isUsed("max-age=60", after: 1, asks: ["Cache-Control": "no-cache"]))
        #expect(!isUsed("max-age=60", after: 1, asks: ["Pragma": "no-cache"]))
        #expect(isUsed("max-age=60", after: 1, asks: ["Pragma": "no-cache", "Cache-Control": "x"]))
        #expect(isUsed("max-age=60, no-cache=\"a\"", after: 1))
    }

    @Test func noStoreOfRequestBypassesCache() {
        #expect(!isUsed("max-age=60", after: 1, asks: ["Cache-Control": "no-store"]))
    }

    @Test func requestLimitsAge() {
        #expect(isUsed("max-age=60", after: 30, asks: ["Cache-Control": "max-age=30"]))
        #expect(!isUsed("max-age=60", after: 30, asks: ["Cache-Control": "max-age=29"]))
        #expect(!isUsed("max-age=60", after: 0, asks: ["Cache-Control": "max-age=0"]))
        #expect(isUsed("max-age=60", after: 30, asks: ["Cache-Control": "min-fresh=30"]))
        #expect(!isUsed("max-age=60", after: 30, asks: ["Cache-Control": "min-fresh=31"]))
    }

    @Test func requestPermitsStaleResponse() {
        #expect(isUsed("max-age=60", after: 90, asks: ["Cache-Control": "max-stale=30"]))
        #expect(!isUsed("max-age=60", after: 91, asks: ["Cache-Control": "max-stale=30"]))
        #expect(isUsed("max-age=60", after: 9_000, asks: ["Cache-Control": "max-stale"]))
        #expect(!isUsed("max-age=60", after: 90, asks: ["Cache-Control": "max-stale, max-age=80"]))
        #expect(!isUsed("max-age=60, must-revalidate", after: 90, asks: ["Cache-Control": "max-stale"]))
        #expect(!isUsed("max-age=60, no-cache", ["ETag": "\"a\""], after: 9, asks: ["Cache-Control": "max-stale"]))
        #expect(isUsed("max-age=60, proxy-revalidate", after: 90, asks: ["Cache-Control": "max-stale"]))
    }

    @Test func onlyIfCachedNeverLoads() {
        var cache = cache("max-age=60", after: 1)
        let asks: HeaderFields = ["Cache-Control": "only-if-cached"]
        #expect(cache.get(asks).isFromCache)
        cache.now += 60
        #expect(cache.get(asks).isFailed && cache.get(asks).status == 504)
        #expect(cache.get(asks, method: "POST").isFailed)
        #expect(cache.sent.count == 1)
    }

    @Test func requestsThatCachesCannotAnswerAreForwarded() {
        for asks: HeaderFields in [["If-Match": "\"a\""], ["If-Unmodified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"]] {
            #expect(!isUsed("max-age=60", after: 1, asks: asks))
        }
        var cache = cache("max-age=60", after: 1)
        #expect(!cache.get(hasBody: true).isFromCache)
        #expect(!cache.get(method: "PROPFIND").isFromCache)
        #expect(cache.get().isFromCache)
    }

    @Test func policiesOverrideFreshness() {
        #expect(isUsed("max-age=60, must-revalidate", after: 90, policy: .forceCache))
        #expect(isUsed("max-age=60, no-cache", ["ETag": "\"a\""], after: 90, policy: .onlyIfCached))
        #expect(!isUsed("max-age=60", after: 1, policy: .reload))
        #expect(!isUsed("max-age=60", after: 1, policy: .revalidate))
        #expect(isUsed("max-age=60, immutable", after: 1, policy: .revalidate))
        #expect(!isUsed("max-age=60, immutable", after: 60, policy: .revalidate))
        #expect(!isUsed("max-age=60, immutable", after: 1, policy: .reload))
    }

    @Test func policiesDecideWithoutStoredResponse() {
        var cache = CacheSimulation()
        #expect(cache.get(policy: .onlyIfCached).isFailed)
        #expect(cache.sent.isEmpty)
        #expect(cache.get(policy: .forceCache).status == 200)
        #expect(cache.get(method: "POST", policy: .onlyIfCached).isFailed)
        #expect(cache.sent.count == 1)
    }

    @Test func policiesTellCachesOnTheWay() {
        var cache = cache("max-age=60", ["ETag": "\"a\""], after: 1)
        _ = cache.get(policy: .reload)
        #expect(cache.sent.last?.headers["Cache-Control"] == "no-cache")
        #expect(cache.sent.last?.headers["If-None-Match"] == nil)
        _ = cache.get(policy: .revalidate)
        #expect(cache.sent.last?.headers["Cache-Control"] == "max-age=0")
        #expect(cache.sent.last?.headers["If-None-Match"] == "\"a\"")
        _ = cache.get(["Cache-Control": "x"], policy: .reload)
        #expect(cache.sent.last?.headers["Cache-Control"] == "x")
    }

    @Test func reasonsOfForwardingAreTold() {
        var cache = cache("max-age=60", ["Vary": "A"], after: 1)
        func status(_ reply: CacheSimulation.Reply) -> String? { reply.cacheStatus?.description }
        let other = URL(string: "http://a.example/y")!
        #expect(status(cache.get(url: other)) == "Bluebonnet; fwd=uri-miss; fwd-status=200; stored")
        #expect(status(cache.get(["A": "1"])) == "Bluebonnet; fwd=vary-miss; fwd-status=200; stored")
        #expect(status(cache.get(["Range": "bytes=0-1,2-3"])) == "Bluebonnet; fwd=request; fwd-status=200; stored")
        #expect(status(cache.get(policy: .reload)) == "Bluebonnet; fwd=request; fwd-status=200; stored")
        let strict: HeaderFields = ["Cache-Control": "min-fresh=99"]
        #expect(status(cache.get(strict)) == "Bluebonnet; fwd=request; fwd-status=200; stored")
        #expect(status(cache.get(method: "POST")) == "Bluebonnet; fwd=method; fwd-status=200")
        #expect(status(cache.get(url: other, policy: .useProtocol)) == "Bluebonnet; hit; ttl=60")
        cache.now += 60
        #expect(status(cache.get(url: other)) == "Bluebonnet; fwd=stale; fwd-status=200; stored")
    }

    @Test func equalRequestsMayShareOneTransfer() throws {
        func isShared(_ headers: HeaderFields, method: String = "GET") -> Bool {
            CacheRequest(method, url: CacheSimulation.url, headers: headers).canBeCollapsed
        }
        #expect(isShared([:]))
        #expect(!isShared([:], method: "HEAD"))
        for headers: HeaderFields in [
            ["Cache-Control": "no-cache"], ["Cache-Control": "no-store"], ["Range": "bytes=0-"],
            ["If-None-Match": "\"a\""], ["Cache-Control": "max-age=0"], ["If-Match": "*"],
        ] {
            #expect(!isShared(headers))
        }
    }
}
