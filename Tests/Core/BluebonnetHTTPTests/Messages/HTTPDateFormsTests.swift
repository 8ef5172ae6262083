// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct HTTPDateFormsTests {
    // The example of RFC 9110, 5.6.7, is 784111777 seconds after 1970. The other values were computed with date(1).
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799), ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800),
        ("Fri, 31 Dec 1999 23:59:59 GMT", 946_684_799), ("Sat, 01 Mar 2098 12:00:00 GMT", 4_044_513_600),
    ])
    func datesInAllThreeFormatsAreRead(text: String, seconds: Int) {
        #expect(HTTPDate.date(text)?.timeIntervalSince1970 == TimeInterval(seconds))
    }

    @Test func twoDigitYearIsNeverFarInFuture() {
        let now = Date(timeIntervalSince1970: 1_800_000_000)  // 2027
        let past = HTTPDate.date("Sunday, 06-Nov-94 08:49:37 GMT", now: now)
        #expect(past?.timeIntervalSince1970 == 784_111_777)
        let ahead = HTTPDate.date("Friday, 01-Jan-60 00:00:00 GMT", now: now)
        #expect(ahead?.timeIntervalSince1970 == 2_840_140_800)
    }

    @Test(arguments: [
        "", "0", "-1", "now", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 32 Nov 1994 08:49:37 GMT",
        "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Nov 19x4 08:49:37 GMT", "Sun, 06 Nov 99999 08:49:37 GMT", "Sun, 06 Nov 1994 08:4x:37 GMT",
    ])
    func invalidDateGivesNil(text: String) {
        #expect(HTTPDate.date(text) == nil)
    }
}
