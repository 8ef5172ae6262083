// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import BluebonnetHTTP

@Suite struct RedirectPolicyTests {
    // MARK: - Status codes

    @Test(arguments: [200, 204, 304, 305, 306, 299, 309, 399, 400, 404, 500])
    func nonRedirectStatusIsDelivered(status: Int) throws {
        #expect(try decision(status: status, to: "/x").isDelivery)
    }

    @Test func multipleChoicesNeedsLocationAndSafeMethod() throws {
        #expect(try decision(status: 300, to: nil).isDelivery)
        #expect(try decision(status: 300, to: "/x").next?.url.absoluteString == "http://a/x")
        #expect(try decision("HEAD", status: 300, to: "/x").next?.method == "HEAD")
        #expect(try decision("POST", status: 300, to: "/x", hasBody: true).isDelivery)
    }

    @Test func zeroLimitDeliversRedirect() throws {
        #expect(try decision(status: 302, to: "/x", policy: RedirectPolicy(limit: 0)).isDelivery)
        #expect(try decision(status: 302, to: nil, policy: RedirectPolicy(limit: 0)).isDelivery)
    }

    // MARK: - Method and body

    struct Change: Sendable {
        let status: Int
        let method: String
        let expected: String
        let keepsBody: Bool
    }

    @Test(arguments: [
        Change(status: 301, method: "GET", expected: "GET", keepsBody: true),
        Change(status: 301, method: "HEAD", expected: "HEAD", keepsBody: true),
        Change(status: 301, method: "POST", expected: "GET", keepsBody: false),
        Change(status: 301, method: "PUT", expected: "PUT", keepsBody: true),
        Change(status: 301, method: "DELETE", expected: "DELETE", keepsBody: true),
        Change(status: 302, method: "GET", expected: "GET", keepsBody: true),
        Change(status: 302, method: "HEAD", expected: "HEAD", keepsBody: true),
        Change(status: 302, method: "POST", expected: "GET", keepsBody: false),
        Change(status: 302, method: "PATCH", expected: "PATCH", keepsBody: true),
        Change(status: 302, method: "CUSTOM", expected: "CUSTOM", keepsBody: true),
        Change(status: 303, method: "GET", expected: "GET", keepsBody: false),
        Change(status: 303, method: "HEAD", expected: "HEAD", keepsBody: true),
        Change(status: 303, method: "POST", expected: "GET", keepsBody: false),
        Change(status: 303, method: "PUT", expected: "GET", keepsBody: false),
        Change(status: 303, method: "CUSTOM", expected: "GET", keepsBody: false),
        Change(status: 307, method: "GET", expected: "GET", keepsBody: true),
        Change(status: 307, method: "POST", expected: "POST", keepsBody: true),
        Change(status: 307, method: "CUSTOM", expected: "CUSTOM", keepsBody: true),
        Change(status: 308, method: "POST", expected: "POST", keepsBody: true),
        Change(status: 308, method: "HEAD", expected: "HEAD", keepsBody: true),
    ])
    func methodAndBodyChangeAsInSpecificationAndBrowsers(change: Change) throws {
        let headers: HeaderFields = ["Content-Type": "a/b", "content-language": "en", "Accept": "c/d", "X-A": "e"]
        let decision = try decision(change.method, status: change.status, to: "/x", hasBody: true, headers: headers)
        let next = try #require(decision.next)
        #expect(next.method == change.expected)
        #expect(next.hasBody == change.keepsBody)
        let expected = change.keepsBody ? ["Content-Type", "content-language", "Accept", "X-A"] : ["Accept", "X-A"]
        #expect(next.headers.fields.map(\.name) == expected)
    }

    // MARK: - Targets

    @Test(arguments: [
        ("/d", "http://a/d"), ("d?e", "http://a/b/d?e"), ("?e", "http://a/b/c?e"), ("//h/x", "http://h/x"),
        ("https://h/", "https://h/"), ("../../../d", "http://a/d"), ("/é", "http://a/%C3%A9"),
        ("/a b", "http://a/a%20b"),
        ("/%E9", "http://a/%E9"), ("/100%", "http://a/100%25"), ("/?a[]=%20", "http://a/?a%5B%5D=%20"),
        ("HTTP://H/", "HTTP://H/"), ("http://h:8080", "http://h:8080"),
        ("http://bücher.de/", "http://xn--bcher-kva.de/"), ("/x/../y/.", "http://a/y/"), ("%2e%2E/d", "http://a/d"),
        ("x/%2e%2e/../d", "http://a/d"), ("http://h/a/../../b?c/../d", "http://h/b?c/../d"), ("//h/./x", "http://h/x"),
        ("/a/..;x/b", "http://a/a/..;x/b"), ("..", "http://a/"), (".?e", "http://a/b/?e"),
    ])
    func locationIsResolvedAgainstCurrentURL(location: String, expected: String) throws {
        #expect(try decision(status: 302, to: location).next?.url.absoluteString == expected)
    }

    @Test(arguments: [
        ("/x/../y/.", "http://a/x/../y/."), ("http://h/%2e/b", "http://h/%2e/b"), ("//h/./x", "http://h/./x"),
        ("../d", "http://a/d"), ("?e", "http://a/b/c?e"),
    ])
    func dotSegmentsInLocationCanBeKept(location: String, expected: String) throws {
        let policy = RedirectPolicy(keepsDotSegments: true)
        #expect(try decision(status: 302, to: location, policy: policy).next?.url.absoluteString == expected)
    }

    @Test func fragmentIsInheritedUnlessLocationHasOne() throws {
        #expect(try decision(status: 302, to: "/x", from: "http://a/#f").next?.url.absoluteString == "http://a/x#f")
        #expect(try decision(status: 302, to: "/x#g", from: "http://a/#f").next?.url.absoluteString == "http://a/x#g")
        #expect(try decision(status: 302, to: "/x#", from: "http://a/#f").next?.url.absoluteString == "http://a/x#")
    }

    @Test func callersUserInfoStaysWithinOrigin() throws {
        #expect(try decision(status: 302, to: "/x", from: "http://u:p@a/").next?.url.absoluteString == "http://u:p@a/x")
        #expect(
            try decision(status: 302, to: "http://a/x", from: "http://u:p@a/").next?.url.absoluteString
                == "http://u:p@a/x")
        #expect(
            try decision(status: 302, to: "http://b/x", from: "http://u:p@a/").next?.url.absoluteString == "http://b/x")
        #expect(try decision(status: 302, to: "http://evil:x@b/").next?.url.absoluteString == "http://b/")
    }

    @Test(arguments: [
        "", "http://", "http:x", "http:///x", "///x", "/a\\b", "\\\\h", "http://a\\@b/", "/a\r\nX: y", "/a\u{0}",
        "/\u{7F}",
        "http://h:0/", "http://h:x/", "http://exa%6dple.com/", "http://a b/",
    ])
    func unusableLocationIsBadServerResponse(location: String) throws {
        #expect(try decision(status: 302, to: location).failure == .badServerResponse)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func redirectWithoutLocationIsBadServerResponse(status: Int) throws {
        #expect(try decision(status: status, to: nil).failure == .badServerResponse)
    }

    @Test func passwordInURLIsNotInMessage() throws {
        for (location, url) in [
            (nil, "http://u:secret@a/"), ("http://h\\:secret@x/", "http://a/"), ("ftp://x:secret@h/", "http://a/"),
        ] {
            let decision = try decision(status: 302, to: location, from: url)
            guard case .fail(let error) = decision else { continue }
            #expect(!error.message.contains("secret"))
        }
    }

    @Test func severalLocationsMustBeEqual() throws {
        let chain = RedirectChain(try request())
        #expect(chain.decision(status: 302, locations: ["/x", "/y"]).failure == .badServerResponse)
        #expect(chain.decision(status: 302, locations: ["/x", "/x"]).next?.url.absoluteString == "http://a/x")
    }

    @Test(arguments: [
        "ftp://h/", "file:///etc/passwd", "gopher://h/", "data:,x", "javascript:x", "unix:/s", "HTTPX://h",
    ])
    func redirectToOtherSchemeIsRefused(location: String) throws {
        #expect(try decision(status: 302, to: location).failure == .redirectRefused)
    }

    @Test func downgradeToHTTPIsRefusedUnlessAllowed() throws {
        #expect(try decision(status: 302, to: "http://a/", from: "https://a/").failure == .redirectRefused)
        #expect(try decision(status: 302, to: "https://a/", from: "http://a/").next != nil)
        let policy = RedirectPolicy(allowsInsecureTarget: true)
        #expect(try decision(status: 302, to: "http://a/", from: "https://a/", policy: policy).next != nil)
    }
}

// MARK: - Helpers

extension RedirectPolicyTests {
    private func request(
        _ method: String = "GET", _ url: String = "http://a/b/c", hasBody: Bool = false, headers: HeaderFields = [:]
    ) throws -> HopRequest {
        HopRequest(HTTPRequest(method, url: try #require(URL(string: url)), headers: headers), hasBody: hasBody)
    }

    private func decision(
        _ method: String = "GET", status: Int, to location: String?, from url: String = "http://a/b/c",
        hasBody: Bool = false, headers: HeaderFields = [:], policy: RedirectPolicy = RedirectPolicy()
    ) throws -> RedirectPolicy.Decision {
        let chain = RedirectChain(try request(method, url, hasBody: hasBody, headers: headers), policy: policy)
        return chain.decision(status: status, locations: location.map { [$0] } ?? [])
    }
}

extension RedirectPolicy.Decision {
    var next: HopRequest? { if case .follow(let request) = self { request } else { nil } }
    var failure: NetworkingError.Code? { if case .fail(let error) = self { error.code } else { nil } }
    var isDelivery: Bool { if case .deliver = self { true } else { false } }
}
