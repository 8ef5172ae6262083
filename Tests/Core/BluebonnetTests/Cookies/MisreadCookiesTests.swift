// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

@Suite struct MisreadCookiesTests {
    private func misread(
        _ lines: [String], from text: String = "https://a.test/", listsSlash: Bool = false
    ) throws -> MisreadCookies {
        let url = try #require(URL(string: text))
        var reading = CookieFault.Reading.oldest
        reading.listsSlash = listsSlash
        var misread = MisreadCookies(url: url, origin: try #require(Origin(url)), by: reading)
        for line in lines { misread.add(line: "Set-Cookie: " + line) }
        return misread
    }

    private func cookie(_ name: String, path: String = "/") -> Cookie {
        Cookie(name: name, value: "v", domain: "a.test", path: path)
    }

    @Test func linesWithOneNameAndPathAreOneFault() throws {
        let misread = try misread((0..<50).map { "a=\($0); secure=1" } + ["a=1; httponly=1", "a=1; path=x", "b=1"])
        #expect(misread.count == 1)
        let corrected = try #require(misread.corrections(of: [cookie("a")]).first?.replacement)
        #expect(corrected.isSecure && corrected.isHTTPOnly)
    }

    @Test func namesAreComparedBytewise() throws {
        #expect(try misread(["\u{E9}=1; secure=1", "e\u{301}=1; httponly=1"]).count == 2)
    }

    @Test func cookiesOfOtherPathsAndHostsAreNotCorrected() throws {
        let misread = try misread(["a=1; path=/x; secure=1"])
        let other = Cookie(name: "a", value: "v", domain: "b.test", path: "/x")
        let corrections = misread.corrections(of: [cookie("a"), cookie("a", path: "/x"), other])
        #expect(corrections.map(\.cookie.path) == ["/x"])
        #expect(corrections.map(\.cookie.domain) == ["a.test"])
    }

    /// The first argument is the path that libcurl lists.
    @Test(arguments: [
        ("/x/y/", "path=/x/y"), ("\"/q/\"", "path=\"/q/\""), ("\"/q", "path=\"/q"), ("/q\"", "path=/q\""),
        ("/z", "path=/x; path=/z"), ("", "path=/u; path="), ("x", "path=x"), ("/", "path=/; path"), ("/d/e/", "b=1"),
        ("\"\"", "path=\"\""), ("//", "path=//"), ("/sp", "Path = /sp "),
    ])
    func pathsAreComparedAsByLibcurl(listed: String, attributes: String) throws {
        let misread = try misread(["a=1; httponly=1; \(attributes)"], from: "https://a.test/d/e/f?n=/y/z")
        #expect(misread.position(name: "a", path: listed) == 0)
    }

    /// The path that replaces `listed`: libcurl 8.14 lists the value of `Path`, 8.21 the path `/`.
    @Test(
        arguments: [
            ("x", "path=x", false, "/d"), ("/", "path=x", false, nil), ("", "path=", false, "/d"),
            ("/", "path=x", true, "/d"), ("/", "path=/", true, nil), ("/", "path=", true, nil),
            ("/d", "path=", true, nil), ("/", "path=x; path=/", true, nil), ("/", "path=/; path=x", true, "/d"),
        ] as [(String, String, Bool, String?)])
    func pathWithoutASlashBecomesTheRequestPath(
        listed: String, attributes: String, listsSlash: Bool, corrected: String?
    ) throws {
        let misread = try misread(["a=1; \(attributes)"], from: "https://a.test/d/f", listsSlash: listsSlash)
        let corrections = misread.corrections(of: [cookie("a", path: listed)])
        #expect(corrections.map { $0.replacement?.path } == (corrected.map { [$0] } ?? []))
    }

    @Test func emptyPathIsTheRequestPathIfLibcurlListsIt() throws {
        let misread = try misread(["a=1; path=/u; path=; secure=1"], from: "https://a.test/d/f", listsSlash: true)
        let corrections = misread.corrections(of: [cookie("a"), cookie("a", path: "/d")])
        #expect(corrections.map { $0.replacement?.path } == ["/d"])
    }

    @Test func sentDotSegmentsCountInThePath() throws {
        let misread = try misread(["a=1; secure=1"], from: "https://a.test/d/./../e/f")
        #expect(misread.position(name: "a", path: "/d/./../e/") == 0)
    }

    @Test func atMostFiftyCookiesAreCorrected() throws {
        let misread = try misread((0..<100).map { "c\($0)=1; secure=1" })
        let corrections = misread.corrections(of: (0..<100).map { cookie("c\($0)") })
        #expect(corrections.map(\.cookie.name) == (0..<50).map { "c\($0)" })
    }

    /// The second cookie is for a registry above, which only a program sets.
    @Test func publicSuffixNarrowsOnlyItsOwnCookie() throws {
        let misread = try misread(["a=1; domain=github.io"], from: "https://github.io/")
        let cookies = ["github.io", "io"].map {
            Cookie(name: "a", value: "v", domain: $0, includesSubdomains: true)
        }
        #expect(misread.corrections(of: cookies).map(\.cookie) == [cookies[0]])
    }

    @Test func correctCookieNeedsNoCorrection() throws {
        var cookie = cookie("a")
        cookie.isSecure = true
        #expect(try misread(["a=1; secure=1"]).corrections(of: [cookie]).isEmpty)
    }
}

extension NetworkTests {
    /// The work that one response causes in a full jar, however many cookies the response sets.
    @Suite struct ReceivedCookiesTests {
        private struct Work: Equatable {
            var listingCount = 0
            var commandCount = 0
        }

        private func work(of jar: CookieJar) async throws -> Work {
            try await onNetworkThread {
                Work(listingCount: jar.store.value.listingCount, commandCount: jar.store.value.commandCount)
            }
        }

        /// The work for one response with these lines. The jar has 2,900 cookies of the response's host.
        private func work(
            for lines: [String], host: String, cookie: (Int) -> (name: String, path: String)
        ) async throws -> (Work, CookieJar) {
            let jar = CookieJar()
            let cookies = (0..<2_900).map { index in
                Cookie(name: cookie(index).name, value: "v", domain: host, path: cookie(index).path)
            }
            try await onNetworkThread { jar.store.value.set(cookies) }
            let before = try await work(of: jar)
            let fields = WireFields(lines.map { ("Set-Cookie", $0) })
            try await TestServer.answering(.response(headers: fields)) { server in
                let options = TransferOptions {
                    $0.cookieJar = jar
                    $0.addressOverrides[host] = "127.0.0.1"
                }
                #expect(await get(server.url(host: host), options).error == nil)
            }
            let after = try await work(of: jar)
            let work = Work(
                listingCount: after.listingCount - before.listingCount,
                commandCount: after.commandCount - before.commandCount)
            return (work, jar)
        }

        /// libcurl accepts 50 of the 2,000 cookies, which are then removed: a secure cookie is set over TLS only.
        /// 8.23 accepts none.
        @Test func differentNamesNeedOneListing() async throws {
            let lines = (0..<2_000).map { "c\($0)=v; secure=1" }
            let (work, jar) = try await work(for: lines, host: "a.test") { ("n\($0)", "/") }
            #expect(await jar.cookies.allSatisfy { $0.name.hasPrefix("n") })
            #expect(work.commandCount == (CookieFault.UnreadValues.isPresent ? 50 : 0) && work.listingCount <= 1)
        }

        /// The cookies of the first lines are corrected, because libcurl accepts those lines.
        @Test func oneNameNeedsOneListing() async throws {
            let lines = (0..<2_000).map { "c=v; secure=1; path=/p\($0)" }
            let (work, jar) = try await work(for: lines, host: "a.test") { ("c", "/p\(2_899 - $0)") }
            let correctedCount = CookieFault.UnreadValues.isPresent ? 50 : 0
            #expect(work.commandCount == correctedCount && work.listingCount <= 1)
            #expect(await Set(jar.cookies.map(\.path)) == Set((correctedCount..<2_900).map { "/p\($0)" }))
        }

        /// Each cookie is for the host alone: with libcurl before 8.23 it is removed and set again.
        @Test func publicSuffixNeedsAListingForEachRead() async throws {
            let lines = (0..<2_000).map { "c\($0)=v; domain=github.io" }
            let (work, jar) = try await work(for: lines, host: "github.io") { ("n\($0)", "/") }
            #expect((1...50).contains(work.listingCount))
            #expect(await jar.cookies.allSatisfy { !$0.includesSubdomains })
            #expect([0, 100].contains(work.commandCount))
        }

        @Test func cookieAfterManyRejectedLinesIsCorrected() async throws {
            let lines = (0..<60).map { "z\($0)=1; domain=other.test" } + ["a=1; httponly=1"]
            let jar = CookieJar()
            try await TestServer.answering(.response(headers: WireFields(lines.map { ("Set-Cookie", $0) }))) { server in
                #expect(await get(server.url(), TransferOptions { $0.cookieJar = jar }).error == nil)
            }
            #expect(await jar.cookies.map(\.name) == ["a"])
            #expect(await jar.cookies.map(\.isHTTPOnly) == [true])
        }

        /// The cookies of a jar that had one cookie of `one.test`, after a response of that host without TLS.
        private static func cookies(after line: String, withKept kept: Cookie) async throws -> [Cookie] {
            let jar = CookieJar()
            try await jar.set(kept)
            try await TestServer.answering(.response(headers: ["Set-Cookie": line])) { server in
                let options = TransferOptions {
                    $0.cookieJar = jar
                    $0.addressOverrides["one.test"] = "127.0.0.1"
                }
                await get(server.url(host: "one.test"), options)
            }
            return await jar.cookies
        }

        /// Over HTTP, the line is from an insecure cookie that asks to be secure.
        @Test(arguments: ["a=2; path=/q; secure=1", "=1; a=2; path=/q"])
        func unwantedCookieDoesNotRemoveAnotherPathsCookie(line: String) async throws {
            let kept = Cookie(name: "a", value: "1", domain: "one.test", path: "/p")
            #expect(try await Self.cookies(after: line, withKept: kept) == [kept])
        }

        /// libcurl refuses these lines, so the secure cookie stays as it was set.
        @Test(arguments: ["__Host-a=2; path=/", "__Host-a=2; secure; path=/", "=1; __Host-a=2; path=/"])
        func lineWithoutTLSDoesNotChangeASecureCookie(line: String) async throws {
            let kept = Cookie(name: "__Host-a", value: "1", domain: "one.test", isSecure: true)
            #expect(try await Self.cookies(after: line, withKept: kept) == [kept])
        }

        @Test(arguments: [
            "path=/x/y/", "path=\"/q/\"", "path=\"/q", "path=/q\"", "path=/x; path=/z", "path=/u; path=", "path=x",
            "path=/; path", "domain=", "path=\"\"", "path=//", "Path = /sp ",
        ])
        func cookieOfAnyPathIsCorrected(attributes: String) async throws {
            let jar = CookieJar()
            let line = "a=1; httponly=1; \(attributes)"
            try await TestServer.answering(.response(headers: ["Set-Cookie": line])) { server in
                let operation = await get(server.url("/d/e/f?x=/y/z"), TransferOptions { $0.cookieJar = jar })
                #expect(operation.error == nil)
            }
            #expect(await jar.cookies.map(\.isHTTPOnly) == [true])
        }
    }
}
