// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct DotSegmentTests {
        static let paths = [
            ("/a/../b", "/b"), ("/../../x", "/x"), ("/./a/.", "/a/"), ("/a/%2e%2E/b?c=/../d#/./e", "/b?c=/../d"),
            ("/a/..", "/"), ("//a//../b", "//a/b"), ("/a/..;x/b", "/a/..;x/b"), ("/a|/../b|", "/b%7C"),
        ]

        @Test(arguments: paths)
        func dotSegmentsAreRemovedFromRequestPaths(path: String, target: String) async throws {
            try await TestServer.answering(.response()) { server in
                for host in ["127.0.0.1", "LOCALHOST"] {  // parsed by the library, and by libcurl
                    let operation = await get(server.url(path, host: host))
                    #expect(operation.error == nil)
                    let answered = operation.response?.url?.absoluteString.prefix { $0 != "#" }
                    #expect(answered.map(String.init) == server.url(target, host: host).absoluteString)
                    #expect(operation.request?.url == operation.response?.url)
                }
                #expect(server.requests.map(\.target) == [target, target])
            }
        }

        @Test(arguments: [
            ("/a/../b", "/b"), ("/../../x", "/x"), ("../b", "/b"), ("../../../b", "/b"), ("x/%2e%2e/../b", "/b"),
            (".", "/folder/"), ("%2E%2E", "/"), ("x/..?q=/../y", "/folder/?q=/../y"),
            ("?q=../y", "/folder/start?q=../y"),
        ])
        func dotSegmentsAreRemovedFromRedirectTargets(location: String, target: String) async throws {
            for isAbsolute in [false, location.hasPrefix("/")] {
                let script: TestServer.Script = { request in
                    guard request.target == "/folder/start" else { return .response() }
                    let host = request.headers["Host"] ?? ""
                    return .redirect(to: isAbsolute ? "http://\(host)\(location)" : location)
                }
                try await TestServer.serving(script: script) { server in
                    let operation = await get(server.url("/folder/start"))
                    #expect(operation.error == nil)
                    #expect(server.requests.map(\.target) == ["/folder/start", target])
                    #expect(operation.response?.url == server.url(target))
                }
            }
        }

        @Test(arguments: paths.map(\.0))
        func keptDotSegmentsAreSentUnchanged(path: String) async throws {
            let escaped = path.replacingOccurrences(of: "|", with: "%7C")
            let target = String(escaped.prefix { $0 != "#" })
            let script: TestServer.Script = { request in
                let host = request.headers["Host"] ?? ""
                switch request.target {
                case "/relative": return .redirect(to: target)
                case "/absolute": return .redirect(to: "http://\(host)\(target)")
                default: return .response()
                }
            }
            try await TestServer.serving(script: script) { server in
                let options = TransferOptions { $0.keepsDotSegments = true }
                for host in ["127.0.0.1", "LOCALHOST"] {
                    let operation = await get(server.url(path, host: host), options)
                    #expect(operation.response?.url == server.url(escaped, host: host))
                }
                #expect(await get(server.url("/absolute"), options).response?.url == server.url(target))
                // "//a" names a host.
                if !path.hasPrefix("//") { await get(server.url("/relative"), options) }
                let seen = server.requests.map(\.target).filter { !["/relative", "/absolute"].contains($0) }
                #expect(seen.count >= 3 && Set(seen) == [target])
            }
        }

        @Test func redirectBlockPathKeepsDotSegments() async throws {
            let script: TestServer.Script = { $0.target == "/start" ? .redirect(to: "/end") : .response() }
            try await TestServer.serving(script: script) { server in
                let options = TransferOptions { $0.keepsDotSegments = true }
                let operation = RequestOperation(request: URLRequest(url: server.url("/start")), options: options)
                let chosen = server.url("/a/../b")
                operation.onRedirect = { _, _, _ in URLRequest(url: chosen) }
                #expect(await operation.run().response?.url == chosen)
                #expect(server.requests.map(\.target) == ["/start", "/a/../b"])
            }
        }

        @Test func pathsThatDifferInKeptDotSegmentsFormNoCycle() async throws {
            let script: TestServer.Script = { $0.target == "/b" ? .redirect(to: "/a/../b") : .response(body: "there") }
            try await TestServer.serving(script: script) { server in
                let options = TransferOptions { $0.keepsDotSegments = true }
                #expect(await get(server.url("/b"), options).responseString == "there")
            }
        }

        @Test func methodFieldsAndBodyAreSentWithTheReducedPath() async throws {
            try await TestServer.answering(.response()) { server in
                var streamed = URLRequest("PUT", server.url("/a/../b"), headers: ["X-A": "1", "Content-Length": "5"])
                streamed.httpBodyStream = InputStream(data: Data("hello".utf8))
                let inMemory = URLRequest("PUT", server.url("/a/../b"), headers: ["X-A": "1"], body: "hello")
                for request in [streamed, inMemory] { #expect(await perform(request).error == nil) }
                #expect(server.requests.map(\.bodyText) == ["hello", "hello"])
                #expect(server.requests.map(\.method) == ["PUT", "PUT"])
                #expect(server.requests.map { $0.headers["X-A"] } == ["1", "1"])
                #expect(server.requests.map(\.target) == ["/b", "/b"])
            }
        }

        @Test func redirectToTheSameReducedPathIsACycle() async throws {
            try await TestServer.answering(.redirect(to: "/x/../start")) { server in
                #expect(await get(server.url("/start")).code == .tooManyRedirects)
                #expect(await get(server.url("/y/../start")).code == .tooManyRedirects)
                #expect(server.requests.map(\.target) == ["/start", "/start"])
            }
        }

        @Test func digestAnswerUsesTheSentTarget() async throws {
            let script: TestServer.Script = { request in
                guard request.headers["Authorization"] == nil else { return .response() }
                return .response(status: 401, headers: ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\""])
            }
            try await TestServer.serving(script: script) { server in
                let options = TransferOptions {
                    $0.credential = URLCredential(user: "user", password: "secret", persistence: .none)
                }
                #expect(await get(server.url("/a/../b?c=../d"), options).error == nil)
                #expect(server.requests.map(\.target) == ["/b?c=../d", "/b?c=../d"])
                #expect(server.requests.last?.headers["Authorization"]?.contains(#"uri="/b?c=../d""#) == true)
            }
        }

        @Test func responseCacheTreatsDotSegmentSpellingsAsEqual() async throws {
            try await TestServer.answering(.response(headers: ["Cache-Control": "max-age=1000"])) { server in
                let options = TransferOptions { $0.responseCache = InMemoryResponseCache() }
                for path in ["/a/../b", "/b", "/./b", "/%2e/b"] { await get(server.url(path), options) }
                #expect(server.requests.map(\.target) == ["/b"])
            }
        }

        @Test func redirectBlockPathIsSentWithoutDotSegments() async throws {
            let script: TestServer.Script = { $0.target == "/start" ? .redirect(to: "/end") : .response() }
            try await TestServer.serving(script: script) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url("/start")))
                let chosen = server.url("/a/../b")
                operation.onRedirect = { _, _, _ in URLRequest(url: chosen) }
                #expect(await operation.run().response?.url == server.url("/b"))
                #expect(server.requests.map(\.target) == ["/start", "/b"])
            }
        }

        @Test func proxyReceivesThePathWithoutDotSegments() async throws {
            try await TestServer.answering(.response()) { proxy in
                let options = try TransferOptions { $0.proxy = try Proxy("http://127.0.0.1:\(proxy.port)") }
                #expect(await get(try #require(URL(string: "http://origin.test/a/../b")), options).error == nil)
                #expect(proxy.requests.map(\.target) == ["http://origin.test/b"])
            }
        }

        @Test(arguments: [(false, "b=2"), (true, "a=1")])
        func jarCookiesMatchTheSentPath(keepsDotSegments: Bool, cookies: String) async throws {
            let script: TestServer.Script = { request in
                request.target == "/set"
                    ? .response(headers: WireFields(["a=1; Path=/a", "b=2; Path=/b"].map { ("Set-Cookie", $0) }))
                    : .response()
            }
            try await TestServer.serving(script: script) { server in
                let jar = CookieJar()
                let options = TransferOptions { ($0.cookieJar, $0.keepsDotSegments) = (jar, keepsDotSegments) }
                for path in ["/set", "/a/../b"] { await get(server.url(path), options) }
                #expect(server.requests.last?.headers["Cookie"] == cookies)
                #expect(await jar.cookies(for: server.url("/a/../b")).map(\.name) == ["b"])
            }
        }
    }
}
