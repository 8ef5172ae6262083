// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

// RFC 9111, 4.2, 5.1 and 5.3: lifetime and age.
@Suite struct CacheAgeTests {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let start = Date(timeIntervalSince1970: 784_111_777)

    private func times(_ headers: HeaderFields, status: Int = 200, delay: TimeInterval = 0) -> StoredTimes {
        let directives = CacheDirectives(headers.values(for: "Cache-Control"))
        return StoredTimes(
            status, headers, directives, requestedAt: Self.start - delay, receivedAt: Self.start)
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
        ("Sun, 06 Nov 1994 08:40:00 GMT", 0), ("0", 0), ("-1", 0), ("soon", 0), ("", 0),
    ])
    func expiresIsRelativeToServerDate(expires: String, lifetime: Int) {
        #expect(times(["Expires": expires, "Date": Self.date]).lifetime == TimeInterval(lifetime))
        let both: HeaderFields = ["Expires": expires, "Date": Self.date, "Cache-Control": "max-age=5"]
        #expect(times(both).lifetime == 5)
        #expect(times(["Expires": expires]).lifetime == TimeInterval(lifetime))  // the time of arrival counts
    }

    @Test func contradictoryExpiresIsInThePast() {
        let one = HeaderFields.Field(name: "Expires", value: "Sun, 06 Nov 1994 08:50:37 GMT")
        let other = HeaderFields.Field(name: "Expires", value: "Sun, 06 Nov 1994 08:50:38 GMT")
        #expect(times([one, other]).lifetime == 0)
        #expect(times([one, one]).lifetime == 60)
    }

    @Test func sMaxageSetsNoLifetime() {
        #expect(times(["Cache-Control": "s-maxage=60"]).lifetime == nil)
    }

    @Test func heuristicIsTenthOfTimeSinceChange() {
        let changed: HeaderFields = ["Last-Modified": "Sun, 06 Nov 1994 08:48:37 GMT", "Date": Self.date]
        #expect(times(changed).lifetime == 6)
        #expect(times(changed).isHeuristic)
        #expect(times(changed, status: 403).lifetime == nil)
        var open = changed
        open["Cache-Control"] = "public"
        #expect(times(open, status: 403).lifetime == 6)
        var stated = changed
        stated["Cache-Control"] = "max-age=0"
        #expect(times(stated).lifetime == 0)
        #expect(times(["Last-Modified": "Sun, 06 Nov 1984 08:48:37 GMT", "Date": Self.date]).lifetime == 86_400)
        #expect(times(["Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT", "Date": Self.date]).lifetime == nil)
        #expect(times(["Last-Modified": "yesterday", "Date": Self.date]).lifetime == nil)
    }

    @Test func dateAndAgeAndDelayCount() {
        #expect(times([:]).age(at: Self.start + 5) == 5)
        #expect(times(["Age": "50"], delay: 3).age(at: Self.start + 5) == 58)
        #expect(times(["Date": "Sun, 06 Nov 1994 08:49:27 GMT"]).age(at: Self.start) == 10)
        #expect(times(["Date": "Sun, 06 Nov 1994 08:49:27 GMT", "Age": "50"]).age(at: Self.start) == 50)
        #expect(times(["Date": "Sun, 06 Nov 1994 08:49:27 GMT", "Age": "5"], delay: 1).age(at: Self.start) == 10)
        #expect(times(["Date": "Sun, 06 Nov 1994 09:49:27 GMT"]).age(at: Self.start) == 0)  // a fast clock
    }

    /// The second in which the server made the response is not known more exactly.
    @Test func fractionOfTheSecondOfArrivalIsNoAge() {
        let arrival = Self.start + 0.9
        let headers: HeaderFields = ["Date": Self.date, "Cache-Control": "max-age=2"]
        let times = StoredTimes(
            200, headers, CacheDirectives(["max-age=2"]), requestedAt: arrival, receivedAt: arrival)
        #expect(times.age(at: arrival) == 0 && abs(times.remaining(at: arrival + 1.5) - 0.5) < 1e-6)
        let later = StoredTimes(
            200, headers, CacheDirectives(["max-age=2"]), requestedAt: arrival + 1, receivedAt: arrival + 1)
        #expect(later.age(at: arrival + 1) == 1)
    }

    @Test(arguments: [
        ("7", 7), ("7, 9", 7), (" 7 ", 7), ("x", 0), ("-7", 0), ("7.0", 0), ("7;a=1", 0), ("", 0),
        ("99999999999999999999", 2_147_483_648),
    ])
    func firstValidAgeCounts(value: String, seconds: Int) {
        #expect(times(["Age": value]).age(at: Self.start) == TimeInterval(seconds))
    }

    @Test func responseIsStaleWhenLifetimeIsOver() {
        let times = times(["Cache-Control": "max-age=60", "Date": Self.date])
        #expect(times.remaining(at: Self.start + 59) == 1)
        #expect(times.remaining(at: Self.start + 60) == 0)
        #expect(times.remaining(at: Self.start - 1) <= 0)  // the clock was set back
        #expect(times.ageText(at: Self.start + 59.9) == "59")
        #expect(times.ageText(at: Self.start + 1e12) == "2147483648")
    }
}
