// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

@Suite struct OriginTests {
    @Test(arguments: [
        ("http://h/", "http://h:80"), ("HTTP://H.Example/p", "http://h.example:80"), ("https://h", "https://h:443"),
        ("http://h:8080/", "http://h:8080"), ("http://h:/", "http://h:80"), ("http://u:p@h/", "http://h:80"),
        ("http://[FE80::1]:81/", "http://[fe80::1]:81"), ("http://bücher.de/", "http://xn--bcher-kva.de:80"),
    ])
    func itIsSchemeHostAndPortInOneSpelling(text: String, expected: String) throws {
        #expect(Origin(try #require(URL(string: text)))?.description == expected)
    }

    @Test(arguments: ["ftp://h/", "http:///p", "http:p", "/p", "mailto:a@b", "http://h:99999999999999999999/"])
    func otherURLsHaveNone(text: String) {
        #expect(URL(string: text).flatMap(Origin.init) == nil)
    }

    @Test func theImpliedPortIsTheWrittenOne() throws {
        let written = try #require(URL(string: "https://h:443/a"))
        let implied = try #require(URL(string: "https://H/b"))
        #expect(Origin(written) == Origin(implied))
    }
}
