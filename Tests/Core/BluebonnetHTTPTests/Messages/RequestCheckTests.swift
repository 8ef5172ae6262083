// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct RequestCheckTests {
    // MARK: - URLs

    @Test(arguments: [
        "http://h", "http://h/", "HTTPS://Example.COM:8443/p?q=1#f", "http://127.0.0.1:1/", "http://[::1]:65535/",
        "http://[fe80::1%25eth0]/", "http://h_1.example./", "http://user:pass@h/", "http://a%40b@h/", "http://h:/",
        "http://0x7f.1/", "http://h/%0D%0A", "http://xn--bcher-kva.de/",
    ])
    func usableURLIsKeptAsWritten(text: String) throws {
        #expect(try RequestCheck.url(text).absoluteString == text)
    }

    @Test(arguments: ["http://h/a/../b", "http://h", "https://h:1/./c?q=../d", "http://h//a//"])
    func plainAbsoluteURLIgnoresBase(text: String) throws {
        let base = try #require(URL(string: "https://base.example/v1/"))
        #expect(try RequestCheck.url(text, relativeTo: base).absoluteString == text)
        #expect(try RequestCheck.url(text).absoluteString == text)
        #expect(URLText.url(text, relativeTo: base)?.absoluteString == text)
    }

    @Test(arguments: [
        ("http://bücher.de/é?ü=%20", "http://xn--bcher-kva.de/%C3%A9?%C3%BC=%20"), ("http://h/a|b", "http://h/a%7Cb"),
        ("http://h/[1]?a[]=100%", "http://h/%5B1%5D?a%5B%5D=100%25"),
    ])
    func invalidURLCharactersAreEscapedOnce(text: String, expected: String) throws {
        #expect(try RequestCheck.url(text).absoluteString == expected)
    }

    @Test(arguments: [
        ("", "is not a URL"), ("h/p", "has no scheme"), ("//h/p", "has no scheme"), ("ftp://h/", "the scheme ftp"),
        ("file:///etc/passwd", "the scheme file"), ("javascript:x", "the scheme javascript"), ("http:", "has no host"),
        ("http://", "has no host"), ("http:///path", "has no host"), ("http:/h", "has no host"),
        ("http:h", "has no host"),
        ("http://:80/", "has no host"), ("http://u@/", "has no host"), ("http://?q", "has no host"),
        ("http://h/a b", "a space"), (" http://h/", "a space"), ("http://h/\t", "0x09"),
        ("http://h\r\n/", "a carriage return"),
        ("http://h/\n", "a line feed"), ("http://h/\u{0}", "a NUL"), ("http://h/\u{7F}", "0x7F"),
        ("http://a\\@b/", "a backslash"), ("http://a%5C@b/", "a backslash"), ("http://a%5c@b/", "a backslash"),
        ("http://h\\x/", "a backslash"), ("http:\\\\h/", "has no host"), ("http://a@b@c/", "more than one @"),
        ("http://h:0/", "the port 0"), ("http://h:65536/", "the port 65536"), ("http://h:-1/", "the port -1"),
        ("http://h:+80/", "the port +80"), ("http://h:8 0/", "a space"), ("http://h:80:80/", "the port 80:80"),
        ("http://h:99999999999999999999/", "the port 9"), ("http://exa%6dple.com/", "not a name or address"),
        ("http://a,b/", "not a name or address"), ("http://[::1/", "not a name or address"),
        ("http://[x]/", "not a name or address"),
        ("http://[::1]x/", "not a name or address"), ("http://[fe80::1%25]/", "not a name or address"),
        ("http://[]/", "not a name or address"),
        ("http://h*/", "not a name or address"), ("http://a\\\u{301}@b/", "a backslash"),
        ("http://a@\u{301}b@c/", "more than one @"),
        ("http://[::1]\u{301}/", "not a name or address"), ("http://h:8\u{301}/", "not from 1 to 65535"),
        ("http://h:٨/", "the port ٨"), ("http://[::%31]/", "not a name or address"),
        ("http://[::1%00]/", "not a name or"), ("http://[::1%2f]/", "not a name or"),
        ("http://[::1%40evil]/", "not a name or"), ("http://[::1%41]/", "not a name or"),
        ("http://[::1%]/", "not a name or"), ("http://[fe80::1%25%65]/", "not a name or"),
        ("http://[::%3a1]/", "not a name or"),
    ])
    func unusableURLIsRefusedWithReason(text: String, fault: String) {
        let error = #expect(throws: NetworkingError.self) { try RequestCheck.url(text) }
        #expect(error?.code == .badURL)
        #expect(error?.message.contains(fault) == true, "\(error?.message ?? "")")
        #expect(error?.message.utf8.contains { $0 < 0x20 } == false)
    }

    @Test(arguments: [
        ("d", "http://h/a/d"), ("//x/y", "http://x/y"), ("https://x/", "https://x/"), ("?q", "http://h/a/b?q"),
        ("", "http://h/a/b"),
    ])
    func relativeURLIsResolvedAgainstBase(text: String, expected: String) throws {
        #expect(try RequestCheck.url(text, relativeTo: URL(string: "http://h/a/b")).absoluteString == expected)
    }

    @Test(arguments: ["ftp://x/", "//a\\@b/", "///p", "//:80", "http:x", "\u{0}"])
    func relativeURLIsChecked(text: String) {
        let error = #expect(throws: NetworkingError.self) {
            try RequestCheck.url(text, relativeTo: URL(string: "http://h/a/b"))
        }
        #expect(error?.code == .badURL)
    }

    @Test(arguments: ["http:///p", "ftp://h/", "http://h:0/", "/p", "http://a\\@b/", "http://exa%6dple.com/"])
    func foundationURLIsChecked(text: String) throws {
        let url = try #require(URL(string: text))
        let error = #expect(throws: NetworkingError.self) { try RequestCheck.check(url) }
        #expect(error?.code == .badURL)
    }

    @Test func passwordInURLIsNotInMessage() {
        let error = #expect(throws: NetworkingError.self) { try RequestCheck.url("http://ada:secret@h:0/") }
        #expect(error?.message.contains("secret") == false)
    }

    @Test func longURLGivesShortMessage() {
        let text = "http://h:0/" + String(repeating: "x", count: 70_000)
        let error = #expect(throws: NetworkingError.self) { try RequestCheck.url(text) }
        #expect((error?.message.count ?? 0) < 400)
    }

    // MARK: - Methods and fields

    @Test(arguments: ["GET", "get", "M-SEARCH", "X!#$%&'*+-.^_`|~0"])
    func tokenIsValidMethod(method: String) {
        #expect(throws: Never.self) { try RequestCheck.method(method) }
    }

    @Test(arguments: ["", "GET ", "GET\r\n", "G\u{0}T", "GÉT", "GET/1", "A,B"])
    func nonTokenMethodIsRefused(method: String) {
        let error = #expect(throws: NetworkingError.self) { try RequestCheck.method(method) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("method") == true)
    }

    @Test func connectMethodIsRefused() {
        let error = #expect(throws: NetworkingError.self) { try RequestCheck.method("CONNECT") }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("proxy") == true)
        #expect(throws: Never.self) { try RequestCheck.method("connect") }
    }

    @Test(arguments: [("X-A", "b"), ("x", ""), ("x", "a\tb"), ("x", "é😀"), ("x", " padded ")])
    func fieldValueMayContainTabsAndUnicode(name: String, value: String) {
        #expect(throws: Never.self) { try RequestCheck.field(name: name, value: value) }
    }

    @Test(arguments: [
        ("", "v", "\"\""), ("a b", "v", "\"a b\""), ("a:", "v", "\"a:\""), ("a\r\nb", "v", "token"),
        ("é", "v", "token"),
        ("X-A", "a\r\nX-B: c", "X-A contains a carriage return"), ("X-A", "a\n", "X-A contains a line feed"),
        ("User-Agent", "a\u{0}b", "User-Agent contains a NUL"),
        ("Range", "\u{1}", "Range contains the control character 0x01"),
        ("X-A", "\u{7F}", "X-A contains the control character 0x7F"),
    ])
    func unsendableFieldIsRefusedByName(name: String, value: String, fault: String) {
        let error = #expect(throws: NetworkingError.self) { try RequestCheck.field(name: name, value: value) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains(fault) == true, "\(error?.message ?? "")")
        #expect(error?.message.utf8.contains { $0 < 0x20 } == false)
    }
}
