// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

// RFC 9111, 3.3 and 3.4: incomplete responses, ranges, and the combination of parts.
@Suite struct CachePartTests {
    private static let text = CacheSimulation.digits
    private static let tag: HeaderFields = ["Cache-Control": "max-age=60", "ETag": "\"a\""]

    /// An origin of a body of ten bytes that honours ranges.
    private func cache(_ headers: HeaderFields = tag, broken: Int? = nil) -> CacheSimulation {
        var cache = CacheSimulation()
        cache.origin = { sent, _ in CacheSimulation.tenBytes(sent, headers, broken) }
        return cache
    }

    @Test(arguments: [
        ("bytes=0-2", "012", "bytes 0-2/10"), ("bytes=7-", "789", "bytes 7-9/10"), ("bytes=-2", "89", "bytes 8-9/10"),
        ("bytes=8-99", "89", "bytes 8-9/10"), ("bytes=-99", "0123456789", "bytes 0-9/10"),
        ("BYTES=1-1", "1", "bytes 1-1/10"),
    ])
    func wholeBodyAnswersRanges(range: String, text: String, contentRange: String) {
        var cache = cache()
        _ = cache.get()
        let reply = cache.get(["Range": range])
        #expect(reply.isFromCache && reply.status == 206 && reply.body == text)
        #expect(reply.headers["Content-Range"] == contentRange)
        #expect(reply.headers["Content-Length"] == "\(text.utf8.count)")
    }

    @Test(arguments: ["bytes=0-1,3-4", "bytes=10-", "bytes=-0", "lines=1-2", "bytes=2-1", "bytes=x", "bytes=-", "1-2"])
    func otherRangesAreForwarded(range: String) {
        var cache = cache()
        _ = cache.get()
        _ = cache.get(["Range": range])
        #expect(cache.sent.count == 2)
        #expect(cache.sent.last?.headers["Range"] == range)
    }

    @Test func decodedBodyAnswersNoRange() {
        var cache = CacheSimulation(isDecoded: true)
        cache.origin = { sent, _ in CacheSimulation.tenBytes(sent, Self.tag, nil) }
        _ = cache.get()
        cache.isDecoded = false
        #expect(!cache.get(["Range": "bytes=0-1"]).isFromCache)
        #expect(cache.get().isFromCache)  // the part has not replaced the whole
        #expect(cache.get(["Range": "bytes=0-1"]).body == "01")
    }

    @Test func ifRangeNeedsStrongValidator() {
        var cache = cache()
        _ = cache.get()
        let same = cache.get(["Range": "bytes=0-1", "If-Range": "\"a\""])
        #expect(same.isFromCache && same.status == 206)
        let other = cache.get(["Range": "bytes=0-1", "If-Range": "\"b\""])
        #expect(other.isFromCache && other.status == 200 && other.body == Self.text)
        var weak = self.cache(["Cache-Control": "max-age=60", "ETag": "W/\"a\""])
        _ = weak.get()
        #expect(weak.get(["Range": "bytes=0-1", "If-Range": "W/\"a\""]).status == 200)
    }

    @Test func partAnswersRangesWithinItOnly() {
        var cache = cache()
        _ = cache.get(["Range": "bytes=2-5"])
        #expect(cache.get(["Range": "bytes=3-4"]).body == "34")
        #expect(cache.sent.count == 1)
        #expect(cache.get(["Range": "bytes=4-7"]).body == "4567")
        #expect(cache.sent.count == 2)
        #expect(cache.get(["Range": "bytes=2-7"]).body == "234567")  // both parts together
        #expect(cache.sent.count == 2)
    }

    @Test func partAnswersNoWholeRequest() {
        var cache = cache(["Cache-Control": "max-age=60"])
        _ = cache.get(["Range": "bytes=0-4"])
        let reply = cache.get()
        #expect(reply.body == Self.text && cache.sent.count == 2)
        #expect(cache.sent.last?.headers["Range"] == nil)
        #expect(cache.sent.last?.headers["If-None-Match"] == nil)  // a 304 would leave the body incomplete
    }

    @Test func missingPartIsRequestedAndCombined() {
        var cache = cache()
        _ = cache.get(["Range": "bytes=0-3"])
        let reply = cache.get()
        #expect(reply.status == 200 && reply.body == Self.text)
        #expect(reply.headers["Content-Length"] == "10" && reply.headers["Content-Range"] == nil)
        #expect(cache.sent.last?.headers["Range"] == "bytes=4-")
        #expect(cache.sent.last?.headers["If-Range"] == "\"a\"")
        #expect(reply.cacheStatus?.description == "Bluebonnet; fwd=partial; fwd-status=206; stored; ttl=60")
        #expect(cache.get().isFromCache)
        #expect(cache.entries.count == 1)
    }

    @Test func gapInTheMiddleIsRequested() {
        var cache = cache()
        _ = cache.get(["Range": "bytes=0-1"])
        _ = cache.get(["Range": "bytes=-3"])
        #expect(cache.get().body == Self.text)
        #expect(cache.sent.last?.headers["Range"] == "bytes=2-6")
    }

    @Test func changedBodyIsNotCombined() {
        var cache = cache()
        _ = cache.get(["Range": "bytes=0-3"])
        cache.origin = { sent, _ in
            CacheSimulation.tenBytes(sent, ["Cache-Control": "max-age=60", "ETag": "\"b\""], nil)
        }
        #expect(cache.get().body == Self.text)
        #expect(cache.entries.map { $0.response.headers["ETag"] } == ["\"b\""])
    }

    @Test func serverThatIgnoresIfRangeIsAskedAgain() {
        var cache = cache()
        _ = cache.get(["Range": "bytes=0-3"])
        cache.origin = { sent, _ in
            var plain = sent.headers
            plain["If-Range"] = nil
            let request = CacheSimulation.Sent(
                method: "GET", url: sent.url, headers: plain, isBackground: sent.isBackground)
            return CacheSimulation.tenBytes(request, ["Cache-Control": "max-age=60", "ETag": "\"b\""], nil)
        }
        #expect(cache.get().body == Self.text)
        #expect(cache.sent.count == 3)
        #expect(cache.sent.last?.headers["Range"] == nil)
    }

    @Test(arguments: [
        ("bytes 3-9/10", "3456789"), ("bytes 4-8/10", "45678"), ("bytes 4-9/11", "456789"), ("bytes x", "456789"),
    ])
    func anotherPartThanRequestedIsNotJoined(contentRange: String, body: String) {
        var cache = cache()
        _ = cache.get(["Range": "bytes=0-3"])
        cache.origin = { sent, _ in
            guard sent.headers["Range"] != nil else {
                return CacheSimulation.Origin(headers: Self.tag, body: Self.text)
            }
            let headers = HeaderFields(Self.tag.fields + [.init(name: "Content-Range", value: contentRange)])
            return CacheSimulation.Origin(status: 206, headers: headers, body: body)
        }
        let reply = cache.get()
        #expect(reply.status == 200 && reply.body == Self.text)
        #expect(cache.sent.count == 3)
    }

    @Test func conditionOfProgramPreventsCompletion() {
        var cache = cache()
        _ = cache.get(["Range": "bytes=0-3"])
        #expect(cache.get(["If-None-Match": "\"x\""]).body == Self.text)
        #expect(cache.sent.last?.headers["Range"] == nil)
    }

    @Test func completionCanBeSwitchedOff() {
        var cache = cache()
        cache.rules.completesParts = false
        _ = cache.get(["Range": "bytes=0-3"])
        _ = cache.get()
        #expect(cache.sent.last?.headers["Range"] == nil)
    }

    @Test func refusedPartIsFollowedByWhole() {
        var cache = cache()
        _ = cache.get(["Range": "bytes=0-3"])
        cache.origin = { sent, _ in
            sent.headers["Range"] == nil
                ? CacheSimulation.Origin(headers: Self.tag, body: "new") : CacheSimulation.Origin(status: 416)
        }
        #expect(cache.get().body == "new")
    }

    @Test func partsWithoutStrongValidatorAreNotCombined() {
        var cache = cache(["Cache-Control": "max-age=60", "ETag": "W/\"a\""])
        _ = cache.get(["Range": "bytes=0-3"])
        _ = cache.get(["Range": "bytes=4-9"])
        _ = cache.get()
        #expect(cache.sent.count == 3)
        #expect(cache.sent.last?.headers["Range"] == nil)
    }

    @Test func combinedResponseHasNewFields() {
        var cache = cache(["Cache-Control": "max-age=60", "ETag": "\"a\"", "X-A": "1", "X-B": "1"])
        _ = cache.get(["Range": "bytes=0-3"])
        cache.origin = { sent, _ in
            CacheSimulation.tenBytes(sent, ["Cache-Control": "max-age=60", "ETag": "\"a\"", "X-A": "2"], nil)
        }
        let reply = cache.get()
        #expect(reply.headers["X-A"] == "2" && reply.headers["X-B"] == "1")
    }

    @Test func brokenBodyIsCompletedIfItsVersionIsCertain() {
        var cache = cache(broken: 6)
        _ = cache.get()
        #expect(cache.entries.first?.response.body.isComplete == false)
        cache.origin = { sent, _ in CacheSimulation.tenBytes(sent, Self.tag, nil) }
        #expect(cache.get().body == Self.text)
        #expect(cache.sent.last?.headers["Range"] == "bytes=6-")
        var uncertain = self.cache(["Cache-Control": "max-age=60"], broken: 6)
        _ = uncertain.get()
        #expect(uncertain.entries.isEmpty)
    }

    @Test func brokenPartKeepsWhatArrived() {
        var cache = cache(broken: 2)
        _ = cache.get(["Range": "bytes=4-8"])
        #expect(cache.entries.first?.response.body.ranges == [4..<6])
        #expect(cache.get(["Range": "bytes=4-5"]).body == "45")
        #expect(cache.sent.count == 1)
    }

    @Test func partWithMoreBytesThanAnnouncedIsNotStored() {
        var cache = cache()
        cache.origin = { _, _ in
            CacheSimulation.Origin(
                status: 206, headers: ["Cache-Control": "max-age=60", "Content-Range": "bytes 0-1/10"], body: "012")
        }
        _ = cache.get(["Range": "bytes=0-1"])
        #expect(cache.entries.isEmpty)
    }

    @Test func unaskedPartIsNotStored() {
        var cache = cache()
        cache.origin = { _, _ in
            CacheSimulation.Origin(
                status: 206, headers: ["Cache-Control": "max-age=60", "Content-Range": "bytes 0-1/10"], body: "01")
        }
        #expect(cache.get().status == 206)
        #expect(cache.entries.isEmpty)
    }

    @Test func staleWholeBodyIsValidatedForRange() {
        var cache = cache()
        _ = cache.get()
        cache.now += 61
        cache.origin = { sent, _ in
            sent.headers["If-None-Match"] == "\"a\""
                ? CacheSimulation.Origin(status: 304, headers: Self.tag, body: "") : CacheSimulation.Origin(status: 500)
        }
        let reply = cache.get(["Range": "bytes=1-2"])
        #expect(reply.status == 206 && reply.body == "12")
    }
}
