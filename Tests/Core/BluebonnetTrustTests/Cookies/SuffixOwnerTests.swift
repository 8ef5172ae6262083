// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import RealServers
import Testing

@testable import Bluebonnet

extension CertificateTests {
    /// A host that is itself a public suffix and sets a cookie for all hosts below it.
    @Suite struct SuffixOwnerTests {
        /// Lets the first host set a cookie for its own name. Returns the `Cookie` fields of the requests to all
        /// hosts, and the jar's cookies.
        private func fields(_ hosts: [String], setting attributes: String) async throws -> ([String?], [Cookie]) {
            let jar = CookieJar()
            let script: TestServer.Script = { request in
                request.path.hasSuffix("/set")
                    ? .response(headers: ["Set-Cookie": "a=1; Path=/; " + attributes]) : .response(body: "fine")
            }
            return try await TestServer.serving(script: script) { proxy in
                var options = TransferOptions()
                (options.cookieJar, options.proxy) = (jar, try Proxy("http://127.0.0.1:\(proxy.port)"))
                for url in ["http://\(hosts[0])/set"] + hosts.map({ "http://\($0)/" }) {
                    #expect(await get(try #require(URL(string: url)), options).error == nil)
                }
                return (proxy.requests.dropFirst().map { $0.headers["Cookie"] }, await jar.cookies)
            }
        }

        @Test(arguments: ["github.io", "com", "co.uk", "wild.ck", "xn--od0alg.cn"])
        func publicSuffixCookieIsHostOnly(host: String) async throws {
            for domain in [host, host.uppercased(), "." + host] {
                let (fields, cookies) = try await fields(
                    [host, "site." + host, "a.site." + host], setting: "Domain=\(domain)")
                #expect(fields == ["a=1", nil, nil], "\(domain)")
                #expect(cookies == [Cookie(name: "a", value: "1", domain: host)])
            }
        }

        @Test(arguments: ["example.com", "site.github.io", "www.ck"])
        func ordinaryDomainCookieIncludesSubdomains(host: String) async throws {
            let (fields, cookies) = try await fields([host, "below." + host], setting: "Domain=\(host)")
            #expect(fields == ["a=1", "a=1"])
            #expect(cookies.map(\.includesSubdomains) == [true])
        }

        @Test func publicSuffixCookieReplacesNoOtherCookie() async throws {
            let jar = CookieJar()
            try await jar.set(Cookie(name: "b", value: "2", domain: "github.io"))
            try await jar.set(Cookie(name: "c", value: "3", domain: "site.github.io", includesSubdomains: true))
            try await TestServer.answering(.response(headers: ["Set-Cookie": "a=1; Domain=github.io"])) { proxy in
                var options = TransferOptions()
                (options.cookieJar, options.proxy) = (jar, try Proxy("http://127.0.0.1:\(proxy.port)"))
                await get(try #require(URL(string: "http://github.io/")), options)
            }
            let kept = await jar.cookies.sorted { $0.name < $1.name }
            #expect(kept.map(\.name) == ["a", "b", "c"])
            #expect(kept.map(\.includesSubdomains) == [false, false, true])
        }
    }
}
