// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import BluebonnetHTTP

// RFC 9111, 1.2.2 and 5.2.
@Suite struct CacheDirectivesTests {
    @Test(arguments: [
        ("max-age=60", 60), ("Max-Age=60, public", 60), ("private, max-age=\"60\"", 60), ("max-age=0", 0),
        ("max-age=x", 0), ("max-age=-1", 0), ("max-age", 0), ("max-age=", 0), ("max-age =60", 0), ("max-age= 60", 0),
        ("max-age=60, max-age=60", 60), ("max-age=60, max-age=61", 0), ("s-maxage=10, max-age=60", 60),
        ("max-age=99999999999999999999", 2_147_483_648), ("max-age=060", 60), ("max-age=60.5", 0),
        ("ext=\"a, max-age=5\", max-age=60", 60), ("ext=\"\\\", max-age=5\", max-age=60", 60), (",,max-age=60,", 60),
        ("max-age='60'", 0), ("\tmax-age=60\t", 60),
    ])
    func maxAgeIsRead(value: String, seconds: Int) {
        #expect(CacheDirectives([value]).maxAge == seconds)
    }

    @Test(arguments: [
        "no-store", "NO-STORE", "no-store=1", "no-store =\"x\"", "a=b,no-store", "ext=\"a, no-store",
        "ext=\"a\\\", no-store", "no-store\t",
    ])
    func noStoreCountsInAnyForm(value: String) {
        #expect(CacheDirectives([value]).noStore)
    }

    @Test func quotedTextIsNoDirective() {
        let directives = CacheDirectives(["ext=\"no-store, no-cache\", ext='max-age=1'"])
        #expect(directives == CacheDirectives())
    }

    @Test func noCacheMayNameFields() {
        let named = CacheDirectives(["no-cache=\"Set-Cookie, X-A\""])
        #expect(!named.noCache)
        #expect(named.noCacheFields == ["set-cookie", "x-a"])
        #expect(CacheDirectives(["no-cache=x"]).noCacheFields == ["x"])
        for value in ["no-cache", "no-cache=\"\"", "no-cache=\"a b\"", "no-cache=\"", "no-cache=\"a\", no-cache"] {
            #expect(CacheDirectives([value]).noCache, "\(value)")
        }
    }

    @Test func otherDirectivesAreRead() {
        let directives = CacheDirectives([
            "public, private=\"x\", must-revalidate, must-understand", "immutable, only-if-cached, min-fresh=5",
            "max-stale=7, stale-while-revalidate=8, stale-if-error=9, unknown=1, proxy-revalidate, s-maxage=1",
        ])
        #expect(directives.isPublic && directives.isPrivate && directives.mustRevalidate && directives.mustUnderstand)
        #expect(directives.isImmutable && directives.onlyIfCached && directives.maxAge == nil)
        #expect(directives.minFresh == 5 && directives.maxStale == 7)
        #expect(directives.staleWhileRevalidate == 8 && directives.staleIfError == 9)
    }

    @Test func maxStaleWithoutValueIsUnlimited() {
        #expect(CacheDirectives(["max-stale"]).maxStale == .max)
        #expect(CacheDirectives(["max-stale="]).maxStale == 0)
        #expect(CacheDirectives(["max-stale=x"]).maxStale == 0)
    }
}
