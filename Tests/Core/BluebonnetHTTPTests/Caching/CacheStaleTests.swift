// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

// RFC 5861, and RFC 9111, 4.2.4 and 4.3.3.
@Suite struct CacheStaleTests {
    private func stale(_ control: String, after seconds: TimeInterval, _ rules: CacheRules = CacheRules())
        -> CacheSimulation
    {
        var cache = CacheSimulation()
        cache.rules = rules
        cache.origin = { _, _ in
            CacheSimulation.Origin(headers: ["Cache-Control": control, "ETag": "\"a\""], body: "old")
        }
        _ = cache.get()
        cache.now += seconds
        return cache
    }

    private static let sie = "max-age=10, stale-if-error=20"

    private func answersError(
        _ control: String, after seconds: TimeInterval, asks: HeaderFields = [:], policy: CachePolicy = .useProtocol,
        status: Int? = 503, rules: CacheRules = CacheRules()
    ) -> Bool {
        var cache = stale(control, after: seconds, rules)
        cache.origin = { _, _ in
            CacheSimulation.Origin(status: status ?? 0, body: "error", disconnects: status == nil)
        }
        return cache.get(asks, policy: policy).body == "old"
    }

    @Test(arguments: [500, 502, 503, 504, nil])
    func staleResponseAnswersAfterError(status: Int?) {
        #expect(answersError(Self.sie, after: 30, status: status))
        #expect(!answersError(Self.sie, after: 31, status: status))
        #expect(!answersError("max-age=10", after: 30, status: status))
    }

    @Test(arguments: [400, 404, 429, 501, 505])
    func otherStatusesAreNoErrors(status: Int) {
        #expect(!answersError(Self.sie, after: 30, status: status))
    }

    @Test func requestPermitsStaleAnswerAfterError() {
        #expect(answersError("max-age=10", after: 30, asks: ["Cache-Control": "stale-if-error=20"]))
        #expect(!answersError("max-age=10", after: 31, asks: ["Cache-Control": "stale-if-error=20"]))
    }

    @Test func validationThatIsDemandedForbidsStaleAnswer() {
        #expect(!answersError(Self.sie + ", must-revalidate", after: 20))
        #expect(!answersError(Self.sie + ", no-cache", after: 20))
        #expect(!answersError(Self.sie, after: 20, asks: ["Cache-Control": "no-cache"]))
        #expect(answersError(Self.sie, after: 20, asks: ["Cache-Control": "no-cache, stale-if-error=99"]))
        #expect(!answersError(Self.sie, after: 20, policy: .revalidate))
        #expect(!answersError(Self.sie, after: 20, policy: .reload))
    }

    @Test func expiredResponseAnswersNoError() {
        var cache = stale("max-age=10, stale-if-error=99", after: 5)
        cache.origin = { _, _ in CacheSimulation.Origin(headers: ["ETag": "\"b\""]) }
        _ = cache.get(method: "HEAD", policy: .reload)
        cache.origin = { _, _ in CacheSimulation.Origin(status: 503, body: "error") }
        #expect(cache.get().body == "error")
    }

    @Test func disconnectedCacheMayAnswer() {
        var rules = CacheRules()
        rules.answersWhenDisconnected = true
        #expect(answersError("max-age=10", after: 99, status: nil, rules: rules))
        #expect(!answersError("max-age=10", after: 99, status: 503, rules: rules))
        #expect(!answersError("max-age=10, must-revalidate", after: 99, status: nil, rules: rules))
        #expect(!answersError("max-age=10, no-cache", after: 99, status: nil, rules: rules))
    }

    @Test func staleAnswerTellsItsState() {
        var cache = stale(Self.sie, after: 30)
        cache.origin = { _, _ in CacheSimulation.Origin(status: 503) }
        let reply = cache.get()
        #expect(reply.status == 200 && reply.headers["Age"] == "30")
        #expect(reply.cacheStatus?.description == "Bluebonnet; fwd=stale; fwd-status=503; ttl=-20")
        cache.origin = { _, _ in CacheSimulation.Origin(disconnects: true) }
        #expect(cache.get().cacheStatus?.description == "Bluebonnet; fwd=stale; ttl=-20")
        #expect(cache.entries.count == 1)
    }

    private static let swr = "max-age=10, stale-while-revalidate=20"

    @Test func staleResponseAnswersWhileItIsValidated() {
        var cache = stale(Self.swr, after: 30)
        cache.origin = { sent, _ in
            CacheSimulation.Origin(headers: ["Cache-Control": "max-age=10"], body: sent.isBackground ? "new" : "wrong")
        }
        let reply = cache.get()
        #expect(reply.body == "old" && reply.isFromCache)
        #expect(reply.cacheStatus?.description == "Bluebonnet; hit; ttl=-20")
        #expect(cache.sent.last?.isBackground == true)
        #expect(cache.sent.last?.headers["If-None-Match"] == "\"a\"")
        #expect(cache.get().body == "new")
        #expect(cache.sent.count == 2)
    }

    @Test func backgroundValidationIgnoresConditionsOfProgram() {
        var cache = stale(Self.swr, after: 15)
        _ = cache.get(["If-None-Match": "\"x\"", "Range": "bytes=0-0", "If-Modified-Since": "x"])
        let headers = cache.sent.last?.headers
        #expect(headers?["If-None-Match"] == "\"a\"" && headers?["Range"] == nil)
        #expect(headers?["If-Modified-Since"] == nil)
    }

    @Test func backgroundErrorChangesNothing() {
        var cache = stale("max-age=10, stale-while-revalidate=20, stale-if-error=99", after: 15)
        cache.origin = { _, _ in CacheSimulation.Origin(status: 503) }
        #expect(cache.get().body == "old")
        cache.origin = { _, _ in CacheSimulation.Origin(disconnects: true) }
        #expect(cache.get().body == "old")
        #expect(cache.entries.count == 1)
    }

    @Test func staleAnswerDuringValidationHasLimits() {
        func isUsed(_ control: String, after: TimeInterval, asks: HeaderFields = [:]) -> Bool {
            var cache = stale(control, after: after)
            return cache.get(asks).isFromCache
        }
        #expect(isUsed(Self.swr, after: 30))
        #expect(!isUsed(Self.swr, after: 31))
        #expect(!isUsed(Self.swr + ", must-revalidate", after: 15))
        #expect(!isUsed(Self.swr + ", no-cache", after: 15))
        #expect(!isUsed(Self.swr, after: 15, asks: ["Cache-Control": "max-age=100"]))
        #expect(!isUsed(Self.swr, after: 15, asks: ["Cache-Control": "min-fresh=1"]))
        #expect(!isUsed(Self.swr, after: 15, asks: ["Cache-Control": "no-cache"]))
    }

    @Test func onlyIfCachedValidatesNothing() {
        var cache = stale(Self.swr, after: 15)
        #expect(cache.get(["Cache-Control": "only-if-cached"]).isFromCache)
        #expect(cache.sent.count == 1)
    }
}
