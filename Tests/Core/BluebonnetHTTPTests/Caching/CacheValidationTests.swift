// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

// RFC 9111, 3.2 and 4.3: validation, and the update of stored fields.
@Suite struct CacheValidationTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let control = HeaderFields.Field(name: "Cache-Control", value: "max-age=60")

    /// A cache with a stale response.
    private func stale(_ headers: HeaderFields, asks: HeaderFields = [:], body: String = "body") -> CacheSimulation {
        var cache = CacheSimulation()
        cache.origin = { _, _ in
            CacheSimulation.Origin(headers: HeaderFields([Self.control] + headers.fields), body: body)
        }
        _ = cache.get(asks)
        cache.now += 61
        return cache
    }

    private func confirm(_ cache: inout CacheSimulation, _ headers: HeaderFields) {
        cache.origin = { sent, _ in
            let isConditional = sent.headers["If-None-Match"] != nil || sent.headers["If-Modified-Since"] != nil
            return isConditional
                ? CacheSimulation.Origin(status: 304, headers: headers, body: "")
                : CacheSimulation.Origin(headers: headers, body: "new")
        }
    }

    @Test func bothValidatorsAreSent() {
        var cache = stale(["ETag": "\"a\"", "Last-Modified": Self.date])
        _ = cache.get()
        #expect(cache.sent.last?.headers["If-None-Match"] == "\"a\"")
        #expect(cache.sent.last?.headers["If-Modified-Since"] == Self.date)
    }

    @Test func withoutValidatorWholeResponseIsRequested() {
        var cache = stale([:])
        _ = cache.get()
        #expect(cache.sent.last?.headers["If-None-Match"] == nil)
        #expect(cache.sent.last?.headers["If-Modified-Since"] == nil)
    }

    @Test func confirmedResponseAnswersAndIsFresh() {
        var cache = stale(["ETag": "\"a\"", "X-A": "1", "X-B": "1", "Age": "50"])
        confirm(&cache, ["ETag": "\"a\"", "X-A": "2", "Cache-Control": "max-age=30", "Connection": "X-C", "X-C": "1"])
        let reply = cache.get()
        #expect(reply.status == 200 && reply.body == "body")
        #expect(reply.headers["X-A"] == "2" && reply.headers["X-B"] == "1" && reply.headers["X-C"] == nil)
        #expect(reply.headers["Age"] == "0")
        #expect(reply.cacheStatus?.description == "Bluebonnet; fwd=stale; fwd-status=304; stored; ttl=30")
        cache.now += 29
        #expect(cache.get().isFromCache)
        cache.now += 1
        #expect(!cache.get().isFromCache)
    }

    @Test func fieldsOfTheBytesStay() {
        var cache = stale(["ETag": "\"a\"", "Content-Length": "4", "Content-Encoding": "x", "Content-Type": "a/b"])
        confirm(
            &cache,
            [
                "ETag": "\"a\"", "Content-Length": "9", "Content-Encoding": "y", "Content-Type": "c/d",
                "Content-Range": "bytes 0-0/1",
            ])
        let headers = cache.get().headers
        #expect(headers["Content-Length"] == "4" && headers["Content-Encoding"] == "x")
        #expect(headers["Content-Type"] == "c/d" && headers["Content-Range"] == nil)
    }

    @Test func confirmationMayExcludeStoredFields() {
        var cache = stale(["ETag": "\"a\"", "X-A": "1", "X-B": "1"])
        confirm(&cache, ["ETag": "\"a\"", "Cache-Control": "max-age=60, no-cache=\"x-a\""])
        let headers = cache.get().headers
        #expect(headers["X-A"] == nil && headers["X-B"] == "1")
    }

    @Test func newResponseReplacesStale() {
        var cache = stale(["ETag": "\"a\""])
        cache.origin = { _, _ in
            CacheSimulation.Origin(headers: ["ETag": "\"b\"", "Cache-Control": "max-age=60"], body: "new")
        }
        #expect(cache.get().body == "new")
        #expect(cache.entries.count == 1)
        #expect(cache.get().body == "new")
    }

    @Test func strongTagOfAnotherResponseConfirmsNothing() {
        var cache = stale(["ETag": "\"a\""])
        confirm(&cache, ["ETag": "\"b\""])
        #expect(cache.get().body == "new")
        #expect(cache.sent.count == 3)
        #expect(cache.sent.last?.headers["If-None-Match"] == nil)
    }

    @Test func weakAndMissingValidatorsConfirm() {
        var weak = stale(["ETag": "W/\"a\""])
        confirm(&weak, ["ETag": "W/\"a\""])
        #expect(weak.get().body == "body")
        var weakened = stale(["ETag": "W/\"a\""])
        confirm(&weakened, ["ETag": "\"a\""])
        let reply = weakened.get()
        #expect(reply.body == "body" && reply.headers["ETag"] == "W/\"a\"")
        var dated = stale(["Last-Modified": Self.date])
        confirm(&dated, ["Last-Modified": Self.date, "ETag": "\"a\""])
        #expect(dated.get().body == "body")
        var bare = stale(["ETag": "\"a\""])
        confirm(&bare, [:])
        #expect(bare.get().body == "body")
        var otherDate = stale(["Last-Modified": Self.date])
        confirm(&otherDate, ["Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT"])
        #expect(otherDate.get().body == "new")
    }

    @Test func variantNamedByTagAnswersAndIsStoredForBoth() {
        var cache = stale(["ETag": "\"a\"", "Vary": "A"], asks: ["A": "1"])
        confirm(&cache, ["ETag": "\"a\"", "Vary": "A", "Cache-Control": "max-age=60"])
        let reply = cache.get(["A": "2"])
        #expect(cache.sent.last?.headers["If-None-Match"] == "\"a\"")
        #expect(reply.body == "body")
        #expect(cache.entries.count == 2)
        #expect(cache.get(["A": "1"]).isFromCache)
        #expect(cache.get(["A": "2"]).isFromCache)
        #expect(cache.get(["A": "2"]).body == "body")
    }

    @Test func allVariantsAreNamed() {
        var cache = stale(["ETag": "\"a\"", "Vary": "A", "Last-Modified": Self.date], asks: ["A": "1"])
        cache.origin = { _, _ in
            CacheSimulation.Origin(headers: ["ETag": "\"b\"", "Vary": "A", "Cache-Control": "max-age=60"], body: "two")
        }
        _ = cache.get(["A": "2"])
        #expect(cache.sent.last?.headers["If-Modified-Since"] == nil)  // the date is of another variant
        confirm(&cache, ["ETag": "\"b\"", "Vary": "A"])
        #expect(cache.get(["A": "3"]).body == "two")
        let tags = cache.sent.last?.headers["If-None-Match"] ?? ""
        #expect(tags == "\"b\", \"a\"")
    }

    @Test func strongTagUpdatesAllResponsesWithIt() {
        var cache = CacheSimulation()
        cache.origin = { _, _ in
            CacheSimulation.Origin(headers: ["ETag": "\"a\"", "Vary": "A", "Cache-Control": "max-age=60"])
        }
        _ = cache.get(["A": "1"])
        _ = cache.get(["A": "2"])
        cache.now += 61
        confirm(&cache, ["ETag": "\"a\"", "Vary": "A", "Cache-Control": "max-age=60", "X-A": "2"])
        _ = cache.get(["A": "1"])
        let other = cache.get(["A": "2"])
        #expect(other.isFromCache && other.headers["X-A"] == "2")
    }

    @Test func conditionsOfProgramAreEvaluated() {
        var cache = stale(["ETag": "\"a\"", "Last-Modified": Self.date])
        confirm(&cache, ["ETag": "\"a\"", "Cache-Control": "max-age=60"])
        #expect(cache.get(["If-None-Match": "\"x\""]).status == 200)  // validated, and not the program's copy
        #expect(cache.sent.last?.headers["If-None-Match"] == "\"x\", \"a\"")
        let same = cache.get(["If-None-Match": "W/\"a\", \"x\""])
        #expect(same.isFromCache && same.status == 304 && same.body.isEmpty && same.headers["ETag"] == "\"a\"")
        #expect(cache.get(["If-None-Match": "*"]).status == 304)
        #expect(cache.get(["If-None-Match": "\"x\""]).status == 200)
        #expect(cache.get(["If-None-Match": "\"x\"", "If-Modified-Since": Self.date]).status == 200)
        #expect(cache.get(["If-Modified-Since": Self.date]).status == 304)
        #expect(cache.get(["If-Modified-Since": "Sun, 06 Nov 1994 08:49:36 GMT"]).status == 200)
        #expect(cache.get(["If-Modified-Since": "never"]).status == 200)
    }

    @Test func conditionsOfProgramReachServer() {
        var cache = CacheSimulation()
        confirm(&cache, ["ETag": "\"x\""])
        let reply = cache.get(["If-None-Match": "\"x\""])
        #expect(reply.status == 304 && cache.sent.count == 1)
        #expect(cache.sent.last?.headers["If-None-Match"] == "\"x\"")
        #expect(cache.entries.isEmpty)
    }

    @Test func anyTagIsSentAlone() {
        var cache = stale(["ETag": "\"a\""])
        confirm(&cache, ["ETag": "\"a\""])
        #expect(cache.get(["If-None-Match": "*"]).status == 304)
        #expect(cache.sent.last?.headers["If-None-Match"] == "*")
    }

    @Test func copyOfProgramMayBeNewerThanStored() {
        var cache = stale(["ETag": "\"a\""])
        confirm(&cache, ["ETag": "\"x\""])
        #expect(cache.get(["If-None-Match": "\"x\""]).status == 304)
        #expect(cache.sent.count == 2)
    }

    @Test func conditionsDoNotApplyToOtherStatuses() {
        var cache = CacheSimulation()
        cache.origin = { _, _ in
            CacheSimulation.Origin(status: 404, headers: ["ETag": "\"a\"", "Cache-Control": "max-age=60"])
        }
        _ = cache.get()
        #expect(cache.get(["If-None-Match": "\"a\""]).status == 404)
    }

    @Test func confirmationWithNoStoreRemoves() {
        var cache = stale(["ETag": "\"a\""])
        confirm(&cache, ["ETag": "\"a\"", "Cache-Control": "no-store"])
        #expect(cache.get().body == "body")
        #expect(cache.entries.isEmpty)
    }

    @Test func headUpdatesStoredResponse() {
        var cache = stale(["ETag": "\"a\"", "Content-Length": "4"])
        cache.origin = { _, _ in
            CacheSimulation.Origin(
                headers: ["ETag": "\"a\"", "Content-Length": "4", "Cache-Control": "max-age=99", "X-A": "2"], body: "")
        }
        let head = cache.get(method: "HEAD")
        #expect(head.headers["X-A"] == "2")
        let reply = cache.get()
        #expect(reply.isFromCache && reply.headers["X-A"] == "2" && reply.body == "body")
    }

    @Test(arguments: [
        ["ETag": "\"b\""], ["Content-Length": "5"], ["Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT"],
    ])
    func headOfAnotherBodyExpiresStoredResponse(change: [String: String]) {
        var cache = stale(["ETag": "\"a\"", "Content-Length": "4", "Last-Modified": Self.date])
        cache.now -= 30  // fresh again
        cache.origin = { _, _ in
            var headers: HeaderFields = ["ETag": "\"a\"", "Content-Length": "4", "Cache-Control": "max-age=99"]
            for (name, value) in change { headers[name] = value }
            return CacheSimulation.Origin(headers: headers, body: "")
        }
        _ = cache.get(method: "HEAD", policy: .reload)
        #expect(!cache.get().isFromCache)
    }

    @Test func headIsValidatedByTag() {
        var cache = stale(["ETag": "\"a\""])
        confirm(&cache, ["ETag": "\"a\"", "Cache-Control": "max-age=60"])
        let head = cache.get(method: "HEAD")
        #expect(head.status == 200 && head.body.isEmpty)
        #expect(cache.get().isFromCache)
    }
}
