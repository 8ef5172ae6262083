// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct OriginTests {
    @Test(arguments: [
        ("http://h/", "http://h:80"), ("HTTP://H.Example/p", "http://h.example:80"), ("https://h", "https://h:443"),
        ("http://h:8080/", "http://h:8080"), ("http://h:/", "http://h:80"), ("http://u:p@h/", "http://h:80"),
        ("http://[FE80::1]:81/", "http://[fe80::1]:81"), ("http://bücher.de/", "http://xn--bcher-kva.de:80"),
    ])
    func originNormalizesSchemeHostAndPort(text: String, expected: String) throws {
        #expect(Origin(try #require(URL(string: text)))?.description == expected)
    }

    @Test(arguments: ["ftp://h/", "http:///p", "http:p", "/p", "mailto:a@b", "http://h:99999999999999999999/"])
    func unsupportedURLHasNoOrigin(text: String) {
        #expect(URL(string: text).flatMap(Origin.init) == nil)
    }

    @Test func impliedPortEqualsExplicitDefaultPort() throws {
        let written = try #require(URL(string: "https://h:443/a"))
        let implied = try #require(URL(string: "https://H/b"))
        #expect(Origin(written) == Origin(implied))
    }

    @Test(arguments: ["http://h", "https://h:8443", "http://127.0.0.1:1"])
    func plainURLNeedsNoEscapingAndIsAccepted(start: String) throws {
        for byte in UInt8(0)...0x7F {
            let text = "\(start)/a\(Character(UnicodeScalar(byte)))b?q"
            guard Origin.hasPlainURL(text) else { continue }
            let url = try #require(URLText.url(text, relativeTo: nil))
            #expect(url.absoluteString == text)
            #expect(throws: Never.self) { try RequestCheck.check(url) }
        }
        #expect(Origin.hasPlainURL("\(start)/a-z/~A:Z?q=1&r=a+b@c!$'()*,;"))
    }

    @Test(arguments: [
        "HTTP://h/", "http://H/", "http://u@h/", "http://h:0/", "http://h:65536/", "http://h:/", "http:///",
        "http://h?q", "http://[::1]/", "http://h/a b", "http://h/%41", "http://h/#f", "http://h/\u{E9}", "/a", "",
        "ftp://h/", "http://h\\/",
    ])
    func unusualURLIsNotPlain(text: String) {
        #expect(!Origin.hasPlainURL(text))
    }
}
