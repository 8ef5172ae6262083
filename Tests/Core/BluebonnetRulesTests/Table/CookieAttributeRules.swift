// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import RealServers
import Testing

extension RuleTable {
    static let cookieAttributes: [Rule] = [
        Rule(
            .cookies, "5.2.1", "an invalid Expires is ignored",
            .held(
                .cookies(["a=1; expires=tomorrow", "b=2; expires="], sends: "a=1; b=2") { kept in
                    #expect(kept.allSatisfy { $0.expires == nil })
                })),
        Rule(
            .cookies, "5.2.1", "an Expires in the past removes the cookie",
            .held(.cookies(["a=1", "a=1; expires=Thu, 01 Jan 1970 00:00:10 GMT"], sends: nil))),
        Rule(
            .cookies, "5.2.2", "a Max-Age that is not a number is ignored",
            .deviates(
                "libcurl removes the cookie, as for 0",
                .cookies(["a=1", "a=1; max-age=x"], sends: nil) { #expect($0.isEmpty) })),
        Rule(
            .cookies, "5.2.2", "a Max-Age of zero or less removes the cookie",
            .held(.cookies(["a=1", "b=2", "a=1; max-age=0", "b=2; max-age=-1"], sends: nil))),
        Rule(
            .cookies, "5.2.2", "a Max-Age beyond the latest time is the latest time",
            .held(.cookies(["a=1; max-age=99999999999999999999999"], sends: "a=1"))),
        Rule(
            .cookies, "5.2.3", "an empty Domain is ignored",
            .held(
                .cookies(["a=1; domain="], sends: "a=1") {
                    #expect($0.map(\.domain) == ["www.example.com"] && $0.first?.includesSubdomains == false)
                })),
        Rule(
            .cookies, "5.2.3", "a dot before a Domain is ignored",
            .held(.cookies(["a=1; path=/; domain=.example.com"], to: "example.com", "/", sends: "a=1"))),
        Rule(
            .cookies, "5.2.4", "a Path that is empty or does not begin with a slash is the default path",
            .held(
                RuleCase {
                    for (path, sent) in [("/dir/other", "a=1; b=2"), ("/", nil)] {
                        try await RuleCase.cookies(["a=1; path=", "b=2; path=x"], path, sends: sent).run()
                    }
                })),
        Rule(
            .cookies, "5.2.5", "Secure applies whatever its value",
            .held(
                RuleCase {
                    for field in ["secure=no", "Secure = 1", "SECURE="] {
                        try await RuleCase.cookies(["a=1; \(field); path=/"], sends: nil).run()
                    }
                    let reply = Reply.response(headers: ["Set-Cookie": "a=1; secure=true; path=/"])
                    try await TestServer.answering(reply, tls: .localhost) { server in
                        var options = TransferOptions.to("www.example.com")
                        options.securityPolicy = try SecurityPolicy(
                            allowInvalidCertificates: true, validatesDomainName: false)
                        let jar = CookieJar()
                        options.cookieJar = jar
                        await get(server.url(host: "www.example.com"), options)
                        #expect(await jar.cookies.map(\.isSecure) == [true])
                    }
                })),
        Rule(
            .cookies, "5.2.6", "HttpOnly applies whatever its value",
            .held(.cookies(["a=1; httponly=no"], sends: "a=1") { #expect($0.first?.isHTTPOnly == true) })),
    ]

    /// Fills a jar with `cookies` and checks which of them a request to one URL over plain HTTP carries.
    private static func stored(
        _ cookies: [Cookie], to host: String = "www.example.com", _ path: String = "/", isOrdered: Bool = false,
        sends sent: String?
    ) -> RuleCase {
        .server(answering { _ in .response() }) { server in
            var options = TransferOptions.to(host)
            let jar = CookieJar()
            for cookie in cookies { try await jar.set(cookie) }
            options.cookieJar = jar
            await get(server.url(path, host: host), options)
            RuleCase.expectCookies(server.requests.last, sent, isOrdered: isOrdered)
        }
    }

    static let cookieStorage: [Rule] = [
        Rule(
            .cookies, "5.3", "Max-Age overrides Expires",
            .held(
                RuleCase {
                    let past = "expires=Thu, 01 Jan 1970 00:00:10 GMT"
                    for field in ["a=1; \(past); max-age=100", "a=1; max-age=100; \(past)"] {
                        try await RuleCase.cookies([field], sends: "a=1").run()
                    }
                })),
        Rule(
            .cookies, "5.3", "if an attribute occurs twice, the last one applies",
            .held(.cookies(["a=1; path=/x; path=/y"], "/y", sends: "a=1"))),
        Rule(
            .cookies, "5.3", "a Domain that is a public suffix sets nothing",
            .held(
                RuleCase {
                    for suffix in ["com", "Com", ".com"] {
                        try await RuleCase.cookies(["a=1; path=/; domain=\(suffix)"], sends: nil) {
                            #expect($0.isEmpty)
                        }.run()
                    }
                })),
        Rule(
            .cookies, "5.3", "a Domain that the host does not match sets nothing",
            .held(
                RuleCase {
                    for domain in ["other.com", "deep.www.example.com", "xexample.com", "example.org"] {
                        try await RuleCase.cookies(["a=1; path=/; domain=\(domain)"], sends: nil) {
                            #expect($0.isEmpty)
                        }.run()
                    }
                })),
        Rule(
            .cookies, "5.3", "without a Domain a cookie is only for its host",
            .held(
                RuleCase {
                    try await RuleCase.cookies(["a=1; path=/"], to: "deep.www.example.com", "/", sends: nil).run()
                    try await RuleCase.cookies(["a=1; path=/"], "/", sends: "a=1").run()
                })),
        Rule(
            .cookies, "5.3", "a cookie replaces a cookie with the same name, domain and path",
            .held(
                .cookies(["a=1; path=/", "b=2; path=/", "a=3; path=/", "a=4; path=/dir"], sends: "a=4; a=3; b=2"))),
        Rule(
            .cookies, "5.3", "an HttpOnly cookie is not set or read by non-HTTP APIs",
            .notApplicable("the library has no other way that a server can use")),
        Rule(
            .cookies, "5.3", "expired cookies are removed from the store",
            .held(
                .cookies(["a=1; path=/", "a=1; path=/; max-age=0"], sends: nil) { #expect($0.isEmpty) })),
        Rule(
            .cookies, "5.3", "session cookies are removed from the store at the end of the session",
            .held(
                RuleCase {
                    let jar = CookieJar()
                    let lasting = Cookie(
                        name: "b", value: "2", domain: "example.com",
                        expires: Date(timeIntervalSince1970: 4_000_000_000))
                    try await jar.set(Cookie(name: "a", value: "1", domain: "example.com"))
                    try await jar.set(lasting)
                    await jar.removeSessionCookies()
                    #expect(await jar.cookies == [lasting])
                })),
        Rule(
            .cookies, "5.4", "a request has one Cookie field",
            .held(
                stored(
                    (1...20).map { Cookie(name: "c\($0)", value: "v", domain: "www.example.com") },
                    sends: (1...20).map { "c\($0)=v" }.joined(separator: "; ")))),
        Rule(
            .cookies, "5.4", "a cookie is sent to its host, and to hosts below its domain if it has one",
            .held(
                RuleCase {
                    let own = Cookie(name: "own", value: "1", domain: "www.example.com")
                    let wide = Cookie(name: "wide", value: "2", domain: "example.com", includesSubdomains: true)
                    try await stored([own, wide], sends: "own=1; wide=2").run()
                    try await stored([own, wide], to: "other.example.com", sends: "wide=2").run()
                    try await stored([own, wide], to: "example.org", sends: nil).run()
                })),
        Rule(
            .cookies, "5.4", "a cookie is sent to paths that match its path",
            .held(
                RuleCase {
                    let cookie = Cookie(name: "a", value: "1", domain: "www.example.com", path: "/p")
                    try await stored([cookie], "/p/q", sends: "a=1").run()
                    try await stored([cookie], "/pq", sends: nil).run()
                })),
        Rule(
            .cookies, "5.4", "a secure cookie is sent only over TLS",
            .held(
                RuleCase {
                    let cookie = Cookie(name: "a", value: "1", domain: "www.example.com", isSecure: true)
                    try await stored([cookie], sends: nil).run()
                    try await TestServer.answering(.response(), tls: .localhost) { server in
                        var options = TransferOptions.to("www.example.com")
                        options.securityPolicy = try SecurityPolicy(
                            allowInvalidCertificates: true, validatesDomainName: false)
                        let jar = CookieJar()
                        try await jar.set(cookie)
                        options.cookieJar = jar
                        await get(server.url(host: "www.example.com"), options)
                        #expect(server.sent("Cookie") == ["a=1"])
                    }
                })),
        Rule(
            .cookies, "5.4", "cookies with longer paths come first",
            .held(
                stored(
                    ["/", "/a/b", "/a"].enumerated().map {
                        Cookie(name: "c\($0.offset)", value: "v", domain: "www.example.com", path: $0.element)
                    }, "/a/b/c", isOrdered: true, sends: "c1=v; c2=v; c0=v"))),
        Rule(
            .cookies, "5.4",
            "a cookie is sent as name, equals sign and value; a semicolon and a space separate two cookies",
            .held(
                stored(
                    [
                        Cookie(name: "a", value: "", domain: "www.example.com"),
                        Cookie(name: "b", value: "\"x=y\"", domain: "www.example.com"),
                    ], sends: "a=; b=\"x=y\""))),
    ]
}
