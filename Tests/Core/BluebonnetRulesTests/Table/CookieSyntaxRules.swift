// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

extension RuleTable {
    /// Checks the expiry of a cookie with this `Expires` attribute. Where libcurl limits the lifetime of cookies
    /// (`CookieLifetime`), the expiry is at most 400 days from now.
    private static func expiry(_ date: String, _ seconds: Double?) -> RuleCase {
        .cookies(["a=1; expires=\(date)"], sends: "a=1") { kept in
            let expires = kept.first?.expires?.timeIntervalSince1970
            guard CookieLifetime.isPresent, let seconds else { return #expect(expires == seconds) }
            let longest = Date.now.timeIntervalSince1970 + CookieLifetime.longest
            #expect(expires.map { abs($0 - min(seconds, longest)) <= 120 } == true)
        }
    }

    /// A date within the next 400 days: its spellings with the parts in several orders, and its seconds since 1970.
    private static func nearDates() -> (spellings: [String], seconds: Double) {
        let seconds = (Date.now.timeIntervalSince1970 + 100 * 86_400).rounded(.down)
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        let formats = [
            "dd MMM yyyy HH:mm:ss", "MMM dd yyyy HH:mm:ss", "EEE MMM d HH:mm:ss yyyy", "HH:mm:ss yyyy dd MMM",
        ]
        let spellings = formats.map { format in
            formatter.dateFormat = format
            return formatter.string(from: Date(timeIntervalSince1970: seconds))
        }
        return (spellings, seconds)
    }

    static let cookieSyntax: [Rule] = [
        Rule(
            .cookies, "3", "Set-Cookie applies in responses of every final status, including errors",
            .held(
                RuleCase {
                    for status in [200, 204, 404, 500, 503] {
                        try await RuleCase.cookies(["a=1"], status: status, sends: "a=1").run()
                    }
                })),
        Rule(
            .cookies, "5.1.1", "the parts of a date are read in any order, with any separators",
            .held(
                RuleCase {
                    for date in [
                        "09 Jun 2094 10:18:14", "Jun 09 2094 10:18:14", "Wed, 09-Jun-2094 10:18:14 GMT",
                        "Wed Jun  9 10:18:14 2094", "jun 9 10:18:14 2094 GMT",
                    ] {
                        try await expiry(date, 3_926_917_094).run()
                    }
                    let near = nearDates()
                    for date in near.spellings {
                        try await RuleCase.cookies(["a=1; expires=\(date)"], sends: "a=1") { kept in
                            #expect(kept.first?.expires?.timeIntervalSince1970 == near.seconds, "\(date)")
                        }.run()
                    }
                })),
        Rule(
            .cookies, "5.1.1",
            "a year of two digits from 70 to 99 is in the last century, from 0 to 69 in this century",
            .held(
                RuleCase {
                    try await RuleCase.cookies(["a=1; expires=Thu, 09-Jun-94 10:18:14 GMT"], sends: nil).run()
                    try await expiry("Thu, 09-Jun-66 10:18:14 GMT", 3_043_304_294).run()
                })),
        Rule(
            .cookies, "5.1.1", "a date without a time, day, month or year, or out of range, is invalid",
            .held(
                RuleCase {
                    for date in ["09 Jun 10:18:14", "Jun 2094 10:18:14", "09 2094 10:18:14", "32 Jun 2094 10:18:14"] {
                        try await expiry(date, nil).run()
                    }
                })),
        Rule(
            .cookies, "5.1.2", "hosts are compared in lower case",
            .held(
                .cookies(["a=1; domain=EXAMPLE.Com"], to: "OTHER.example.COM", sends: "a=1") { kept in
                    #expect(kept.map(\.domain) == ["example.com"])
                })),
        Rule(
            .cookies, "5.1.3", "a host matches a domain that is equal to it, or that it ends with after a dot",
            .held(
                RuleCase {
                    for (host, sent) in [
                        ("www.example.com", "a=1"), ("deep.www.example.com", "a=1"), ("wwwexample.com", nil),
                        ("xwww.example.com", nil), ("example.com", nil),
                    ] {
                        try await RuleCase.cookies(
                            ["a=1; path=/; domain=www.example.com"], to: host, "/", sends: sent
                        ).run()
                    }
                })),
        Rule(
            .cookies, "5.1.3", "an address matches only itself",
            .held(
                .server(answering { _ in .response(headers: ["Set-Cookie": "a=1; domain=0.0.1"]) }) { server in
                    let jar = CookieJar()
                    await get(server.url(), TransferOptions { $0.cookieJar = jar })
                    #expect(await jar.cookies == [])
                })),
        Rule(
            .cookies, "5.1.4", "the default path is the request's up to its last slash, or a slash",
            .held(
                RuleCase {
                    for (path, sent) in [("/dir", "a=1"), ("/dir/x/y", "a=1"), ("/", nil), ("/direct", nil)] {
                        try await RuleCase.cookies(["a=1"], path, sends: sent).run()
                    }
                })),
        Rule(
            .cookies, "5.1.4", "a path matches itself and the paths below it, not other paths with the same prefix",
            .held(
                RuleCase {
                    for (path, sent) in [
                        ("/one", "a=1"), ("/one/", "a=1"), ("/one/two", "a=1"), ("/one?x", "a=1"), ("/onetwo", nil),
                        ("/", nil),
                    ] {
                        try await RuleCase.cookies(["a=1; path=/one"], path, sends: sent).run()
                    }
                })),
        Rule(
            .cookies, "5.2", "a field without an equals sign before its attributes sets nothing",
            .held(
                RuleCase {
                    for field in ["a", "a; path=/", "a; b=1", ""] {
                        try await RuleCase.cookies([field], sends: nil).run()
                    }
                })),
        Rule(
            .cookies, "5.2", "a field that begins with a semicolon sets nothing",
            .held(.cookies(["; a=1", ";; a=1; path=/"], sends: nil))),
        Rule(
            .cookies, "5.2", "a field with an empty name sets nothing",
            .held(.cookies(["=1", " =1; path=/", "=; a=1"], sends: nil))),
        Rule(
            .cookies, "5.2", "spaces around name and value are ignored",
            .held(.cookies(["  a  =  1  ; path=/"], sends: "a=1"))),
        Rule(
            .cookies, "5.2", "tabs around name and value are ignored",
            .deviates(
                "libcurl before 8.21 refuses a cookie with a tab",
                .cookies(["a\t=\t1; path=/"], sends: CookieFault.RefusedTab.isPresent ? nil : "a=1"))),
        Rule(
            .cookies, "5.2",
            "the value ends at the semicolon, and may contain equals signs, quotation marks and commas",
            .held(
                RuleCase {
                    for value in ["b=c", "\"q\"", "x,y", "a b", "{\"x\":1}", ""] {
                        try await RuleCase.cookies(["a=\(value); path=/"], sends: "a=\(value)").run()
                    }
                })),
        Rule(
            .cookies, "5.2", "names of attributes are compared without regard to case",
            .held(
                .cookies(["a=1; PATH=/p; DoMaIn=example.com; hTtPoNlY"], to: "example.com", "/p", sends: "a=1") {
                    #expect($0.first?.isHTTPOnly == true)
                })),
        Rule(
            .cookies, "5.2", "unknown attributes, and attributes without a value, are ignored",
            .held(.cookies(["a=1; unknown=x; ;; samesite; priority=high; path=/"], sends: "a=1"))),
    ]
}
