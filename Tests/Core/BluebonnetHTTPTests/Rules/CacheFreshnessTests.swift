// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct CacheFreshnessTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let start = Date(timeIntervalSince1970: 784_111_777)

    private func freshness(_ fields: [(String, String)], delay: TimeInterval = 0) throws -> CacheFreshness {
        let head = ResponseHead(
            url: try #require(URL(string: "http://h/")), statusCode: 200,
            headers: HeaderFields(fields.map { (name: $0.0, value: $0.1) }))
        return CacheFreshness(head, requestedAt: Self.start - delay, receivedAt: Self.start)
    }

    private func isFresh(_ fields: [(String, String)], after seconds: TimeInterval) throws -> Bool {
        try freshness(fields).isFresh(at: Self.start + seconds)
    }

    @Test func responseWithoutCacheFieldsIsNotFresh() throws {
        #expect(try freshness([]).lifetime == nil)
        #expect(try !isFresh([("Last-Modified", "Sun, 06 Nov 1984 08:49:37 GMT"), ("Date", Self.date)], after: 0))
    }

    @Test(arguments: [
        ("max-age=60", 60), ("Max-Age=60, public", 60), ("private, max-age=\"60\"", 60), ("max-age=0", 0),
        ("max-age=x", 0), ("max-age=-1", 0), ("max-age", 0), ("max-age=60, max-age=60", 60),
        ("max-age=60, max-age=61", 0), ("s-maxage=10, max-age=60", 60), ("max-age=99999999999999999999", 2_147_483_648),
        ("ext=\"a, max-age=5\", max-age=60", 60),
    ])
    func maxAgeSetsLifetime(value: String, lifetime: Int) throws {
        #expect(try freshness([("Cache-Control", value)]).lifetime == TimeInterval(lifetime))
    }

    @Test func sMaxageIsIgnored() throws {
        #expect(try freshness([("Cache-Control", "s-maxage=60")]).lifetime == nil)
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
        ("Sun, 06 Nov 1994 08:40:00 GMT", 0),
        ("0", 0), ("-1", 0), ("soon", 0),
    ])
    func expiresIsRelativeToServerDate(expires: String, lifetime: Int) throws {
        #expect(try freshness([("Expires", expires), ("Date", Self.date)]).lifetime == TimeInterval(lifetime))
        let both = [("Expires", expires), ("Date", Self.date), ("Cache-Control", "max-age=5")]
        #expect(try freshness(both).lifetime == 5)
    }

    @Test func responseIsFreshUntilLifetimeExpires() throws {
        let fields = [("Cache-Control", "max-age=60"), ("Date", Self.date)]
        #expect(try isFresh(fields, after: 59))
        #expect(try !isFresh(fields, after: 60))
        #expect(try !isFresh(fields, after: -1))  // the clock was set back
    }

    @Test func ageAndTransferDelayReduceFreshness() throws {
        let aged = [("Cache-Control", "max-age=60"), ("Date", Self.date), ("Age", "50")]
        #expect(try isFresh(aged, after: 9))
        #expect(try !isFresh(aged, after: 10))
        let old = [("Cache-Control", "max-age=60"), ("Date", "Sun, 06 Nov 1994 08:48:57 GMT")]  // 40 s earlier
        #expect(try isFresh(old, after: 19))
        #expect(try !isFresh(old, after: 20))
        let slow = try freshness([("Cache-Control", "max-age=60"), ("Age", "20")], delay: 30)
        #expect(slow.isFresh(at: Self.start + 9))
        #expect(!slow.isFresh(at: Self.start + 10))
    }

    @Test func cacheControlAndVaryRestrictCaching() throws {
        #expect(try !isFresh([("Cache-Control", "max-age=60, no-cache")], after: 0))
        #expect(try !isFresh([("Cache-Control", "no-cache=\"set-cookie\", max-age=60")], after: 0))
        #expect(try !freshness([("Cache-Control", "no-store, max-age=60")]).mayBeStored)
        #expect(try freshness([("Cache-Control", "private, max-age=60")]).mayBeStored)
        #expect(try freshness([("Vary", "Accept, *")]).variedNames == nil)
        #expect(try freshness([("Vary", "Accept"), ("Vary", "X-A, X-B")]).variedNames == ["accept", "x-a", "x-b"])
    }

    @Test func requestDirectivesRestrictFreshness() throws {
        let response = try freshness([("Cache-Control", "max-age=60")])
        let now = Self.start + 30
        #expect(response.isFresh(at: now, for: CacheControl(["max-age=30"])))
        #expect(!response.isFresh(at: now, for: CacheControl(["max-age=29"])))
        #expect(response.isFresh(at: now, for: CacheControl(["min-fresh=29"])))
        #expect(!response.isFresh(at: now, for: CacheControl(["min-fresh=30"])))
        #expect(!response.isFresh(at: now, for: CacheControl(["no-cache"])))
        #expect(!response.isFresh(at: now, for: CacheControl(["no-store"])))
    }
}
