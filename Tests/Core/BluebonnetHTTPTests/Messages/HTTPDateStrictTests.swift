// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct HTTPDateStrictTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "SUN, 06 nov 1994 08:49:37 gmt", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "Sun Nov 06 08:49:37 1994",
    ])
    func threeFormsAreRead(text: String) {
        #expect(HTTPDate.strictDate(text, now: now)?.timeIntervalSince1970 == 784_111_777)
    }

    @Test(arguments: [
        "", " ", "0", "-1", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06  Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun Nov  06 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov 1994 08:49:37",
    ])
    func otherFormsAreInvalid(text: String) {
        #expect(HTTPDate.strictDate(text, now: now) == nil)
    }

    @Test func writtenDateIsReadAgain() {
        var seconds = -62_135_596_800.0
        while seconds < 253_402_300_800 {
            let date = Date(timeIntervalSince1970: seconds)
            let text = HTTPDate.text(of: date)
            if seconds >= -2_208_988_800 { #expect(HTTPDate.parse(text) == date, "\(text)") }
            #expect(text.utf8.count == 29)
            seconds += 86_400 * 97.0 + 3601
        }
        #expect(HTTPDate.text(of: Date(timeIntervalSince1970: 784_111_777.9)) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(of: Date(timeIntervalSince1970: -1)) == "Wed, 31 Dec 1969 23:59:59 GMT")
        #expect(HTTPDate.text(of: Date(timeIntervalSince1970: 951_868_799)) == "Tue, 29 Feb 2000 23:59:59 GMT")
    }
}
