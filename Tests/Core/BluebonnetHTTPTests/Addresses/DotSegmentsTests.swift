// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct DotSegmentsTests {
    @Test(arguments: [
        ("/a/b/c/./../../g", "/a/g"), ("/a/../b", "/b"), ("/../../x", "/x"), ("/a/b/../../../c", "/c"),
        ("/./a", "/a"), ("/a/./b", "/a/b"), ("/a/.", "/a/"), ("/.", "/"), ("/./", "/"),
        ("/a/..", "/"), ("/a/../", "/"), ("/a/b/..", "/a/"), ("/..", "/"), ("/../", "/"), ("/../..", "/"),
        // Empty segments count as segments.
        ("//..", "/"), ("//../b", "/b"), ("//./b", "//b"), ("/a//../b", "/a/b"), ("/a/..//b", "//b"),
        ("/a/b//../../c", "/a/c"), ("/a//.", "/a//"), ("/.//", "//"),
        // Percent-encoded dots count as dots (WHATWG).
        ("/a/%2e%2e/b", "/b"), ("/a/%2E%2E/b", "/b"), ("/a/.%2E", "/"), ("/a/%2e.", "/"), ("/a/%2e", "/a/"),
        ("/%2e%2E/%2e/b", "/b"), ("/a/%2e/%2E%2e/%2e", "/"), ("/a/b/.%2e/./c/", "/a/c/"),
    ])
    func dotSegmentsAreRemoved(path: String, shorter: String) throws {
        #expect(DotSegments.removed(fromPath: path) == shorter)
        for (start, end) in [("http://h", ""), ("https://u:p@h.:81", "?q=/a/../b"), ("http://[::1]", "#/./../")] {
            let url = try #require(URL(string: start + path + end))
            #expect(DotSegments.removed(from: url)?.absoluteString == start + shorter + end)
        }
    }

    @Test(arguments: [
        "", "/", "//", "/a", "/a/", "/a//", "/...", "/a/...", "/a/..;x", "/a/..;/b", "/.a", "/..a", "/a.", "/a..",
        "/a/b..c",
        "/.a/..b/", "/%2e%2e%2e", "/%2e%2e%2f", "/%2ea", "/%2", "/%", "/%2e%", "/%252e", "/%252e%252e/", "/%c0%ae/",
        "/.%2f", "/%2f..", "/..%5cx", "/a;/..;", "/.htaccess", "/.well-known/x", "/a/~..", "/%2E%2E%2E/",
    ])
    func otherSegmentsAreKept(path: String) throws {
        #expect(DotSegments.removed(fromPath: path) == path)
        let url = try #require(URL(string: "http://h\(path)?a=/../&b=..#/./x/.."))
        #expect(DotSegments.removed(from: url) == nil)
    }

    @Test func longPathOfDotSegmentsIsReduced() {
        let count = 20_000
        let path = String(repeating: "/a", count: count) + String(repeating: "/..", count: count)
        #expect(DotSegments.removed(fromPath: path) == "/")
        #expect(DotSegments.removed(fromPath: path + "/b") == "/b")
    }
}

@Suite struct URLTextResolutionTests {
    /// RFC 3986, 5.4.1 and 5.4.2. The examples that give a URL without an authority are refused elsewhere.
    static let examples = [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"), (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
        ("../..", "http://a/"), ("../../", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"),
        ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
        (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"), ("https://g/..", "https://g/"),
        ("%2e%2e/g", "http://a/b/g"), ("x/%2E%2e/../g", "http://a/b/g"), ("//g/./x/%2e", "http://g/x/"),
    ]

    @Test(arguments: examples)
    func rfc3986ExamplesResolveAsSpecified(reference: String, expected: String) throws {
        let base = try #require(URL(string: "http://a/b/c/d;p?q#f"))
        let url = try #require(URLText.url(reference, relativeTo: base))
        #expect((DotSegments.removed(from: url) ?? url).absoluteString == expected)
    }

    @Test(arguments: [
        ("http://h", "x", "http://h/x"), ("http://h", "../x", "http://h/x"), ("http://h?q", "x", "http://h/x"),
        ("http://h?q", "#f", "http://h?q#f"), ("http://h", "?q", "http://h?q"), ("https://h/a", "//g", "https://g"),
        ("http://h//a/", "b", "http://h//a/b"), ("http://h/a/?b/c", "d", "http://h/a/d"),
        ("http://u:p@h:81/a#b", "c", "http://u:p@h:81/c"), ("http://h/a/../b/", "c", "http://h/b/c"),
        ("http://h/a/b", ":c", "http://h/a/:c"), ("http://h/a/b", "c:d/..", "c:d/.."),
    ])
    func referenceIsResolvedAgainstBase(base: String, reference: String, expected: String) throws {
        let base = try #require(URL(string: base))
        #expect(URLText.url(reference, relativeTo: base)?.absoluteString == expected)
    }

    @Test(arguments: [
        ("/a/../b", "http://h/a/../b"), ("//g/./x", "http://g/./x"), ("https://g/%2e", "https://g/%2e"),
        ("x/../y", "http://h/y"),
    ])
    func absolutePathKeepsDotSegments(reference: String, expected: String) throws {
        let base = try #require(URL(string: "http://h/a"))
        #expect(URLText.url(reference, relativeTo: base)?.absoluteString == expected)
    }
}
