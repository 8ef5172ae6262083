// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Hosts with made-up names lead to the test server, so that a cookie's host is distinct from its port.
    @Suite struct CookieJarTests {
        private func options(_ jar: CookieJar?, hosts: [String] = []) -> TransferOptions {
            TransferOptions {
                $0.cookieJar = jar
                for host in hosts { $0.addressOverrides[host] = "127.0.0.1" }
            }
        }

        /// Sets the cookie that the path contains, percent-escaped: `/set/a=b;%20path=/`.
        private static let setting: TestServer.Script = { request in
            guard request.path.hasPrefix("/set/") else { return .response(body: "fine") }
            let field = String(request.path.dropFirst(5)).removingPercentEncoding ?? ""
            return .response(headers: ["Set-Cookie": field])
        }

        private func path(setting cookie: String) -> String {
            "/set/" + (cookie.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
        }

        private func fields(_ server: TestServer) -> [String?] { server.requests.map { $0.headers["Cookie"] } }

        @Test func cookiesWithoutAJarAreNotKept() async throws {
            try await TestServer.serving(script: Self.setting) { server in
                await get(server.url(path(setting: "a=b")))
                await get(server.url())
                #expect(fields(server) == [nil, nil])
            }
        }

        @Test func cookieIsReturnedToTheServerThatSetIt() async throws {
            let jar = CookieJar()
            try await TestServer.serving(script: Self.setting) { server in
                await get(server.url(path(setting: "a=b; path=/")), options(jar))
                await get(server.url(), options(jar))
                #expect(fields(server) == [nil, "a=b"])
                #expect(await jar.cookies == [Cookie(name: "a", value: "b", domain: "127.0.0.1")])
            }
        }

        @Test func managerJarIsSharedByItsOperations() async throws {
            var configuration = RequestOperationManager.Configuration()
            let jar = CookieJar()
            configuration.cookieJar = jar
            let manager = RequestOperationManager(configuration: configuration)
            try await TestServer.serving(script: Self.setting) { server in
                for path in [path(setting: "a=b; path=/"), "/"] {
                    let operation = manager.operation(
                        with: URLRequest(url: server.url(path)), responseSerializer: HTTPResponseSerializer())
                    manager.operationQueue.addOperation(operation)
                    try await operation.waitUntilEnded()
                }
                #expect(fields(server) == [nil, "a=b"])
            }
        }

        @Test func jarIsSharedAcrossSecurityPolicies() async throws {
            let jar = CookieJar()
            var other = options(jar)
            other.securityPolicy = try SecurityPolicy(validatesDomainName: false)
            try await TestServer.serving(script: Self.setting) { server in
                await get(server.url(path(setting: "a=b; path=/")), options(jar))
                await get(server.url(), other)
                #expect(server.connectionCount == 2)
                #expect(fields(server) == [nil, "a=b"])
            }
        }

        @Test func jarsOnOneConnectionAreIndependent() async throws {
            let (first, second) = (CookieJar(), CookieJar())
            try await TestServer.serving(script: Self.setting) { server in
                await get(server.url(path(setting: "a=b; path=/")), options(first))
                await get(server.url(), options(second))
                await get(server.url())
                await get(server.url(), options(first))
                #expect(fields(server) == [nil, nil, nil, "a=b"])
                #expect(server.connectionCount == 1)
            }
        }

        @Test func reusedHandleKeepsNoCookiesWithoutAJar() async throws {
            let jar = CookieJar()
            try await TestServer.serving(script: Self.setting) { server in
                await get(server.url(), options(jar))
                await get(server.url(path(setting: "a=b; path=/")))
                await get(server.url())
                await get(server.url(), options(jar))
                #expect(fields(server) == [nil, nil, nil, nil])
                #expect(server.connectionCount == 1)
            }
        }

        @Test func requestMayOptOutOfCookies() async throws {
            let jar = CookieJar()
            try await TestServer.serving(script: Self.setting) { server in
                await get(server.url(path(setting: "a=b; path=/")), options(jar))
                var without = URLRequest(url: server.url(path(setting: "c=d; path=/")))
                without.httpShouldHandleCookies = false
                await perform(without, options(jar))
                #expect(fields(server) == [nil, nil])
                #expect(await jar.cookies.map(\.name) == ["a"])
            }
        }

        @Test func callerCookieFieldIsSentWithTheJarsCookies() async throws {
            let jar = CookieJar()
            try await TestServer.serving(script: Self.setting) { server in
                await get(server.url(path(setting: "a=b; path=/")), options(jar))
                await perform(URLRequest("GET", server.url(), headers: ["Cookie": "own=1"]), options(jar))
                #expect(server.requests.last?.headers.values(named: "Cookie") == ["a=b; own=1"])
            }
        }

        @Test func redirectSetsCookiesForTheNextHop() async throws {
            let jar = CookieJar()
            let script: TestServer.Script = { request in
                request.path == "/start"
                    ? .redirect(to: "/next", headers: ["Set-Cookie": "hop=1; path=/"]) : .response(body: "fine")
            }
            try await TestServer.serving(script: script) { server in
                #expect(await get(server.url("/start"), options(jar)).error == nil)
                #expect(fields(server) == [nil, "hop=1"])
            }
        }

        @Test func selfRedirectThatSetsACookieIsNoCycle() async throws {
            let script: TestServer.Script = { request in
                request.headers["Cookie"] == nil
                    ? .redirect(to: request.path, headers: ["Set-Cookie": "seen=1"]) : .response(body: "welcome")
            }
            try await TestServer.serving(script: script) { server in
                #expect(await get(server.url("/page"), options(CookieJar())).responseString == "welcome")
                #expect(await get(server.url("/page")).code == .tooManyRedirects)
            }
        }

        /// Also with cookies that the jar does not accept.
        @Test(arguments: ["seen=1; max-age=0", "seen=1; domain=other.example"])
        func endlessCookieRedirectsEnd(cookie: String) async throws {
            let script: TestServer.Script = { .redirect(to: $0.path, headers: ["Set-Cookie": cookie]) }
            try await TestServer.serving(script: script) { server in
                #expect(await get(server.url("/page"), options(CookieJar())).code == .tooManyRedirects)
                #expect(server.requests.count == 21)
            }
        }

        @Test func anotherHostGetsOnlyItsOwnCookies() async throws {
            let jar = CookieJar()
            let hosts = options(jar, hosts: ["one.test", "two.test"])
            let script: TestServer.Script = { request in
                request.path == "/leave"
                    ? .redirect(to: "http://two.test:\(request.query ?? "")/") : Self.setting(request)
            }
            try await TestServer.serving(script: script) { server in
                await get(server.url(path(setting: "one=1; path=/"), host: "one.test"), hosts)
                await get(server.url(path(setting: "two=2; path=/"), host: "two.test"), hosts)
                let leaving = URLRequest(
                    "GET", server.url("/leave?\(server.port)", host: "one.test"), headers: ["Cookie": "own=1"])
                #expect(await perform(leaving, hosts).error == nil)
                #expect(fields(server) == [nil, nil, "one=1; own=1", "two=2"])
            }
        }

        // libcurl treats the machine itself as secure, so the hosts have other names.
        @Test func secureCookieIsSentOnlyOverTLS() async throws {
            let jar = CookieJar()
            let cookie = Cookie(name: "s", value: "1", domain: "one.test", isSecure: true)
            try await jar.set(cookie)
            var hosts = options(jar, hosts: ["one.test"])
            hosts.securityPolicy = try SecurityPolicy(allowInvalidCertificates: true, validatesDomainName: false)
            var secured = TestServer.Options()
            secured.certificate = TestCertificate.localhost
            try await TestServer.answering(.response(), secured) { secure in
                await get(secure.url(host: "one.test"), hosts)
                #expect(fields(secure) == ["s=1"])
            }
            try await TestServer.serving(script: Self.setting) { plain in
                await get(plain.url(host: "one.test"), hosts)
                await get(plain.url(path(setting: "t=1; secure"), host: "one.test"), hosts)
                #expect(fields(plain) == [nil, nil])
            }
            #expect(await jar.cookies == [cookie])
        }

        @Test func cookieIsSentOnlyToItsPath() async throws {
            let jar = CookieJar()
            try await TestServer.serving(script: Self.setting) { server in
                await get(server.url(path(setting: "a=b; path=/deep")), options(jar))
                for path in ["/", "/deep", "/deep/er", "/deeper"] { await get(server.url(path), options(jar)) }
                #expect(fields(server) == [nil, nil, "a=b", "a=b", nil])
            }
        }

        @Test func expiredCookieIsRemoved() async throws {
            let jar = CookieJar()
            try await TestServer.serving(script: Self.setting) { server in
                await get(server.url(path(setting: "a=b; path=/; max-age=1000")), options(jar))
                #expect(await jar.cookies.count == 1)
                await get(server.url(path(setting: "a=b; path=/; max-age=0")), options(jar))
                await get(server.url(), options(jar))
                #expect(fields(server) == [nil, "a=b", nil])
                #expect(await jar.cookies.isEmpty)
            }
        }

        // co.uk is a public suffix; test has no rule and is a suffix by the default rule (publicsuffix.org/list).
        @Test(arguments: ["co.uk", "uk", "com", "github.io", "test"])
        func cookieForAPublicSuffixIsRefused(suffix: String) async throws {
            let jar = CookieJar()
            let host = "site.\(suffix)"
            try await TestServer.serving(script: Self.setting) { server in
                let url = server.url(path(setting: "evil=1; domain=\(suffix)"), host: host)
                #expect(await get(url, options(jar, hosts: [host])).error == nil)
                #expect(await jar.cookies.isEmpty)
                let own = server.url(path(setting: "fine=1; path=/; domain=\(host)"), host: host)
                await get(own, options(jar, hosts: [host, "www." + host]))
                await get(server.url(host: "www." + host), options(jar, hosts: [host, "www." + host]))
                #expect(fields(server) == [nil, nil, "fine=1"])
            }
        }

        @Test(arguments: ["other.test", "sub.one.test", "127.0.0.1"])
        func cookieForAnotherHostIsRefused(domain: String) async throws {
            let jar = CookieJar()
            try await TestServer.serving(script: Self.setting) { server in
                await get(
                    server.url(path(setting: "evil=1; domain=\(domain)"), host: "one.test"),
                    options(jar, hosts: ["one.test"]))
                #expect(await jar.cookies.isEmpty)
            }
        }

        @Test(arguments: ["one.test.", "one.test.co.uk."])
        func hostWithATrailingDotGetsAndSetsNoCookies(host: String) async throws {
            let jar = CookieJar()
            try await jar.set(Cookie(name: "a", value: "b", domain: "one.test", includesSubdomains: true))
            try await TestServer.serving(script: Self.setting) { server in
                await get(
                    server.url(path(setting: "evil=1; domain=co.uk."), host: host), options(jar, hosts: [host]))
                #expect(await jar.cookies.map(\.name) == ["a"])
                #expect(fields(server).allSatisfy { $0 == nil })
            }
        }

        @Test func requestWithAnotherHostHeaderUsesNoCookies() async throws {
            let jar = CookieJar()
            try await jar.set(Cookie(name: "a", value: "b", domain: "127.0.0.1"))
            try await jar.set(Cookie(name: "c", value: "d", domain: "other.test"))
            try await TestServer.serving(script: Self.setting) { server in
                let naming = URLRequest("GET", server.url(path(setting: "e=f")), headers: ["Host": "other.test"])
                #expect(await perform(naming, options(jar)).error == nil)
                #expect(fields(server) == [nil])
                #expect(await jar.cookies.count == 2)
                // The handle is reused and must have forgotten the other host.
                await get(server.url(), options(jar))
                #expect(fields(server) == [nil, "a=b"])
                #expect(server.connectionCount == 1)
            }
        }

        @Test(arguments: ["a=b\u{1}c", "a\u{7}=b", "a=b\u{7f}"])
        func cookieWithControlBytesIsDropped(cookie: String) async throws {
            let jar = CookieJar()
            try await TestServer.serving(script: Self.setting) { server in
                await get(server.url(path(setting: cookie)), options(jar))
                #expect(await jar.cookies.isEmpty)
            }
        }

        @Test func cookieNamesAreComparedByBytes() async throws {
            let jar = CookieJar()
            let fields = [("Set-Cookie", "\u{E9}=1; path=/"), ("Set-Cookie", "e\u{301}=2; httponly=x; path=/")]
            try await TestServer.answering(.response(headers: WireFields(fields))) { server in
                await get(server.url(), options(jar))
                let cookies = await jar.cookies
                #expect(Set(cookies.map { Array($0.name.utf8) }) == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]])
                #expect(cookies.filter(\.isHTTPOnly).map(\.value) == ["2"])
                #expect(Set(cookies).count == 2)
            }
        }

        @Test func numberOfCookiesIsBounded() async throws {
            let jar = CookieJar()
            try await jar.set(Cookie(name: "kept", value: "v", domain: "other.test"))
            let script: TestServer.Script = { request in
                let fields = (0..<50).map { ("Set-Cookie", "c\(request.query ?? "")x\($0)=v; path=/") }
                return .response(headers: WireFields(fields))
            }
            try await TestServer.serving(script: script) { server in
                for round in 0..<200 { await get(server.url("/?\(round)"), options(jar)) }
                await eventually(await jar.cookies.count) { $0 <= 3000 }
                let cookies = await jar.cookies
                #expect(cookies.count >= 2700)
                let names = Set(cookies.map(\.name))
                #expect(names.contains("kept"))
                #expect(names.contains("c199x49"))
                #expect(!names.contains("c0x0"))
            }
        }

        @Test func cookiesAreListedSetAndRemoved() async throws {
            let jar = CookieJar()
            let cookies = ["a", "b", "c"].map { Cookie(name: $0, value: "v", domain: "example.com") }
            for cookie in cookies { try await jar.set(cookie) }
            var lasting = Cookie(name: "d", value: "v", domain: "example.com", path: "/p")
            lasting.expires = Date(timeIntervalSince1970: 4_000_000_000)
            try await jar.set(#require(lasting.httpCookie))
            #expect(await Set(jar.cookies) == Set(cookies + [lasting]))
            let url = try #require(URL(string: "http://example.com/p/q"))
            #expect(await jar.cookies(for: url).map(\.name) == ["d", "a", "b", "c"])
            await jar.remove(cookies[1])
            #expect(await jar.cookies(for: url).map(\.name) == ["d", "a", "c"])
            await jar.removeSessionCookies()
            #expect(await jar.cookies == [lasting])
            await jar.removeAll()
            #expect(await jar.cookies.isEmpty)
        }

        @Test func removedCookieIsNotSent() async throws {
            let jar = CookieJar()
            let cookie = Cookie(name: "a", value: "b", domain: "127.0.0.1")
            try await jar.set(cookie)
            await jar.remove(cookie)
            try await TestServer.serving(script: Self.setting) { server in
                await get(server.url(), options(jar))
                #expect(fields(server) == [nil])
            }
        }

        @Test func invalidCookieIsNotSet() async {
            let jar = CookieJar()
            await #expect(throws: NetworkingError.self) {
                try await jar.set(Cookie(name: "a", value: "b\r\nX: y", domain: "example.com"))
            }
            #expect(await jar.cookies.isEmpty)
        }

        @Test func savedJarIsLoadedByAnother() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let file = URL(fileURLWithPath: folder.path("jar"))
            let jar = CookieJar()
            try await TestServer.serving(script: Self.setting) { server in
                await get(server.url(path(setting: "a=b c; path=/; httponly; max-age=9999")), options(jar))
                try await jar.save(to: file)
                let copy = CookieJar()
                try await copy.load(from: file)
                #expect(await copy.cookies == jar.cookies)
                #expect(await copy.cookies.first?.isHTTPOnly == true)
                await get(server.url(), options(copy))
                #expect(fields(server) == [nil, "a=b c"])
            }
        }

        @Test func damagedFileAddsNoCookies() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let path = try folder.write("jar", "a.test\tFALSE\t/\tFALSE\t0\tn\tv\nbroken\n")
            let jar = CookieJar()
            await #expect(throws: NetworkingError.self) { try await jar.load(from: URL(fileURLWithPath: path)) }
            #expect(await jar.cookies.isEmpty)
        }

        @Test func fullFileIsRead() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let lines = (0..<3000).map { "a.test\tFALSE\t/\tFALSE\t0\tn\($0)\tv\n" }
            let path = try folder.write("jar", lines.joined())
            let jar = CookieJar()
            try await jar.load(from: URL(fileURLWithPath: path))
            #expect(await jar.cookies.count == 3000)
        }

        @Test func jarMayBeReleasedWhileItsOperationRuns() async throws {
            try await TestServer.serving(script: Self.setting) { server in
                let operation = RequestOperation(
                    request: URLRequest(url: server.url(path(setting: "a=b"))), options: options(CookieJar()))
                #expect(await operation.run().error == nil)
            }
            await networkThreadAnswers()
        }
    }
}
