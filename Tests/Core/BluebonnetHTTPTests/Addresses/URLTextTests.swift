// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct URLTextTests {
    struct Split: Sendable {
        let text: String
        let scheme: String?
        let userInfo: String?
        let host: String
        let port: String?
        let remainder: String
    }

    @Test(arguments: [
        Split(text: "http://h/p?q#f", scheme: "http", userInfo: nil, host: "h", port: nil, remainder: "/p?q#f"),
        Split(text: "HTTPS://u:p@H:8443", scheme: "HTTPS", userInfo: "u:p", host: "H", port: "8443", remainder: ""),
        Split(text: "http://[::1]:80/", scheme: "http", userInfo: nil, host: "[::1]", port: "80", remainder: "/"),
        Split(text: "http://[::1]", scheme: "http", userInfo: nil, host: "[::1]", port: nil, remainder: ""),
        Split(text: "http://h:/", scheme: "http", userInfo: nil, host: "h", port: "", remainder: "/"),
        Split(text: "http://a@b@c?x@y", scheme: "http", userInfo: "a@b", host: "c", port: nil, remainder: "?x@y"),
        Split(text: "http:///p", scheme: "http", userInfo: nil, host: "", port: nil, remainder: "/p"),
        Split(text: "http:p", scheme: "http", userInfo: nil, host: "", port: nil, remainder: "p"),
        Split(text: "//h/p", scheme: nil, userInfo: nil, host: "h", port: nil, remainder: "/p"),
        Split(text: "/p:q", scheme: nil, userInfo: nil, host: "", port: nil, remainder: "/p:q"),
        Split(text: "1a:b", scheme: nil, userInfo: nil, host: "", port: nil, remainder: "1a:b"),
        Split(text: "a_b:c", scheme: nil, userInfo: nil, host: "", port: nil, remainder: "a_b:c"),
        Split(text: "a+b-c.1:d", scheme: "a+b-c.1", userInfo: nil, host: "", port: nil, remainder: "d"),
        Split(text: "", scheme: nil, userInfo: nil, host: "", port: nil, remainder: ""),
        Split(
            text: "http://good/\u{301}@evil/", scheme: "http", userInfo: nil, host: "good", port: nil,
            remainder: "/\u{301}@evil/"),
        Split(text: "http:\u{301}//h/", scheme: "http", userInfo: nil, host: "", port: nil, remainder: "\u{301}//h/"),
        Split(
            text: "http://a@\u{301}b:\u{301}8", scheme: "http", userInfo: "a", host: "\u{301}b", port: "\u{301}8",
            remainder: ""),
        Split(text: "?a:b", scheme: nil, userInfo: nil, host: "", port: nil, remainder: "?a:b"),
    ])
    func textIsSplitPerRFC3986(split: Split) {
        let text = URLText(split.text)
        #expect(text.scheme.map(String.init) == split.scheme)
        #expect(text.userInfo.map(String.init) == split.userInfo)
        #expect(text.host == split.host)
        #expect(text.port.map(String.init) == split.port)
        #expect(text.remainder == split.remainder)
    }

    @Test(arguments: [
        ("/a%20b/é", "/a%20b/%C3%A9"), ("/100%", "/100%25"), ("/%zz", "/%25zz"), ("/%4", "/%254"),
        ("?a[]=1", "?a%5B%5D=1"),
        ("/a b\"<>\\^`{|}", "/a%20b%22%3C%3E%5C%5E%60%7B%7C%7D"), ("/#a#b", "/#a%23b"),
        ("/-._~!$&'()*+,;=:@/?", "/-._~!$&'()*+,;=:@/?"), ("", ""),
    ])
    func onlyInvalidURLCharactersAreEscaped(text: String, expected: String) {
        #expect(URLText.escape(text) == expected)
    }

    @Test(arguments: [
        ("http://h/a%20b/é", "http://h/a%20b/%C3%A9"), ("http://bücher.de/a%20b", "http://xn--bcher-kva.de/a%20b"),
        ("http://u@bücher.de:81/", "http://u@xn--bcher-kva.de:81/"),
    ])
    func wellFormedTextIsPreservedInURL(text: String, expected: String) {
        #expect(URLText.url(text, relativeTo: nil)?.absoluteString == expected)
    }

    @Test(arguments: [
        ("d", "http://h/a/d"), ("/d", "http://h/d"), ("?d", "http://h/a/b?d"), ("//x/y", "http://x/y"),
        ("../../d", "http://h/d"),
        ("./d é", "http://h/a/d%20%C3%A9"), ("https://x", "https://x"), ("//bücher.de", "http://xn--bcher-kva.de"),
    ])
    func relativeTextIsResolvedAgainstBase(text: String, expected: String) throws {
        let base = try #require(URL(string: "http://h/a/b?c#f"))
        #expect(URLText.url(text, relativeTo: base)?.absoluteString == expected)
    }

    @Test(arguments: [
        ("http://u:secret@h:1/p?a@b", "http://h:1/p?a@b"), ("//u@h/", "//h/"), ("http://h/@", "http://h/@"),
        ("http:x", "http:x"),
        ("/p", "/p"), ("", ""),
    ])
    func userInfoIsRemovedForMessages(text: String, shown: String) {
        #expect(URLText(text).withoutUserInfo == shown)
    }

    @Test func emptyTextResolvesToBaseOrNil() {
        #expect(URLText.url("", relativeTo: URL(string: "http://h/a?b#c"))?.absoluteString == "http://h/a?b")
        #expect(URLText.url("", relativeTo: nil) == nil)
    }

    @Test func nonASCIIBytesAreEscapedIndividually() {
        #expect(URLText.escapingNonASCII([0x2F, 0xE9, 0x25, 0x20, 0xFF]) == "/%E9% %FF")
    }
}
