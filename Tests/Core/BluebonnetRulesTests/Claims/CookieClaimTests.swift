// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

extension RulesTests {
    /// The scope that a server may give its cookies. The made-up host names resolve to the test server.
    @Suite struct CookieClaimTests {
        /// Lets `setter` set `cookie`. Returns the `Cookie` fields of a request to `sender`, and the jar's cookies.
        private func field(
            _ cookie: String, setBy setter: String, sentTo sender: String, path: String = "/"
        ) async throws -> (sent: [String], kept: [Cookie]) {
            var options = TransferOptions.to(setter, sender)
            let jar = CookieJar()
            options.cookieJar = jar
            let script: TestServer.Script = { request in
                request.path == "/set" ? .response(headers: ["Set-Cookie": cookie]) : .response()
            }
            return try await TestServer.scripted(script) { server in
                await get(server.url("/set", host: setter), options)
                await get(server.url(path, host: sender), options)
                return (server.sent("Cookie"), await jar.cookies)
            }
        }

        @Test(arguments: ["Co.UK", "CO.UK", "cO.uK", ".Co.Uk"])
        func publicSuffixDomainIsRefusedInAnyCase(suffix: String) async throws {
            let (sent, kept) = try await field(
                "evil=1; path=/; domain=\(suffix)", setBy: "one.co.uk", sentTo: "two.co.uk")
            #expect(sent == [])
            #expect(kept == [])
        }

        @Test func cookieDomainMatchesHostCaseInsensitively() async throws {
            let (sent, _) = try await field("a=1; path=/; domain=ONE.Co.Uk", setBy: "one.co.uk", sentTo: "one.co.uk")
            #expect(sent == ["a=1"])
        }

        @Test(arguments: ["0.0.1", ".0.0.1", "1", "0.1", "7.0.0.1"])
        func addressSuffixIsRefusedAsCookieDomain(domain: String) async throws {
            let (sent, kept) = try await field(
                "evil=1; path=/; domain=\(domain)", setBy: "127.0.0.1", sentTo: "127.0.0.1")
            #expect(sent == [])
            #expect(kept == [])
        }

        @Test(arguments: ["s=evil; path=/", "s=evil; path=/; domain=one.test", "s=evil; path=/login"])
        func insecureResponseDoesNotReplaceSecureCookie(cookie: String) async throws {
            let jar = CookieJar()
            let secure = Cookie(name: "s", value: "good", domain: "one.test", isSecure: true)
            try await jar.set(secure)
            var options = TransferOptions.to("one.test")
            options.cookieJar = jar
            try await TestServer.answering(.response(headers: ["Set-Cookie": cookie])) { server in
                #expect(await get(server.url(host: "one.test"), options).error == nil)
                #expect(await jar.cookies == [secure])
            }
        }

        /// RFC 6265bis, 4.1.3: the prefix is matched in any case.
        @Test(arguments: [
            "__Secure-a=1; path=/", "__Host-a=1; path=/; secure", "__Host-a=1; path=/; secure; domain=one.test",
            "__Host-a=1; secure; path=/deep", "__SECURE-a=1; path=/", "__host-a=1; path=/",
            "__HOST-a=1; path=/; secure; domain=one.test",
        ])
        func cookieNamePrefixIsEnforcedOverHTTP(cookie: String) async throws {
            let (_, kept) = try await field(cookie, setBy: "one.test", sentTo: "one.test")
            #expect(kept == [])
        }

        @Test(arguments: [
            ("__Secure-a=1; secure; path=/", true), ("__Host-a=1; secure; path=/", true),
            ("__Secure-a=1; path=/", false), ("__Host-a=1; secure; path=/deep", false),
            ("__Host-a=1; secure; path=/; domain=one.test", false),
            // libcurl 8.14 compares prefixes case-sensitively and cannot remove such a cookie.
            ("__host-a=1; secure; path=/deep", CookieFault.CaseOfPromise.isPresent),
            ("__SECURE-a=1; path=/", false), ("__HOST-a=1; path=/", false), ("__hostile=1; path=/", true),
        ])
        func cookieNamePrefixIsEnforcedOverTLS(cookie: String, isKept: Bool) async throws {
            var options = TransferOptions.to("one.test")
            options.securityPolicy = try SecurityPolicy(allowInvalidCertificates: true, validatesDomainName: false)
            let jar = CookieJar()
            options.cookieJar = jar
            try await TestServer.answering(.response(headers: ["Set-Cookie": cookie]), tls: .localhost) { server in
                #expect(await get(server.url(host: "one.test"), options).error == nil)
                #expect(await jar.cookies.isEmpty == !isKept)
            }
        }

        @Test func trailersSetNoCookie() async throws {
            let jar = CookieJar()
            let reply = Reply.chunked(chunks: ["hello"], trailers: ["Set-Cookie": "late=1; path=/"])
            try await TestServer.answering(reply) { server in
                let operation = await get(server.url(), TransferOptions { $0.cookieJar = jar })
                #expect(operation.end == "hello")
                #expect(await jar.cookies == [])
            }
        }

        @Test(.enabled(if: HTTP2WireServer.isAvailable)) func http2TrailersSetNoCookie() async throws {
            let jar = CookieJar()
            try await HTTP2WireServer.serving { server in
                var options = try TransferOptions.trustingTestAuthority
                options.cookieJar = jar
                let url = server.url([
                    .head([(":status", "200")]), .data("hello"), .head([("set-cookie", "late=1; path=/")], ends: true),
                ])
                #expect(await get(url, options).end == "hello")
                #expect(await jar.cookies == [])
            }
        }

        /// RFC 6265, section 3, lets clients ignore `Set-Cookie` in responses with 1xx status codes.
        @Test func interimResponseSetsOnlyCookiesOfItsHost() async throws {
            let jar = CookieJar()
            let reply = Reply.raw(
                "HTTP/1.1 103 Early Hints\r\nSet-Cookie: early=1; path=/\r\nSet-Cookie: x=1; domain=other.test\r\n\r\n"
                    + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            var options = TransferOptions.to("one.test")
            options.cookieJar = jar
            try await TestServer.answering(reply) { server in
                let operation = await get(server.url(host: "one.test"), options)
                #expect(operation.error == nil)
                #expect(operation.responseHeaders["Set-Cookie"] == nil)
                #expect(await jar.cookies == [Cookie(name: "early", value: "1", domain: "one.test")])
            }
        }
    }
}
