// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct ProxyTests {
        private func options(_ proxy: TestServer, credential: String = "") throws -> TransferOptions {
            try TransferOptions.trustingTestAuthority.through("http://\(credential)127.0.0.1:\(proxy.port)")
        }

        @Test func plainRequestReachesTheProxyWithItsWholeURL() async throws {
            try await TestServer.answering(.response(body: "from the proxy")) { proxy in
                let url = try #require(URL(string: "http://origin.example:8080/path?query=1"))
                let operation = await get(url, try options(proxy, credential: "us%20er:p%40ss@"))
                #expect(operation.error == nil)
                #expect(operation.responseString == "from the proxy")
                let request = try #require(proxy.requests.first)
                #expect(request.target == "http://origin.example:8080/path?query=1")
                #expect(request.headers["Host"] == "origin.example:8080")
                // "us er:p@ss" in Base64.
                #expect(request.headers["Proxy-Authorization"] == "Basic dXMgZXI6cEBzcw==")
                #expect(request.headers["Authorization"] == nil)
            }
        }

        @Test func proxyWithoutACredentialGetsNone() async throws {
            try await TestServer.answering(.response()) { proxy in
                let url = try #require(URL(string: "http://origin.example/"))
                let operation = await get(url, try options(proxy))
                #expect(operation.error == nil)
                #expect(proxy.requests.map { $0.headers["Proxy-Authorization"] } == [nil])
            }
        }

        @Test func proxyCredentialIsSentOnlyToTheProxy() async throws {
            try await TestServer.answering(.response()) { server in
                let through = try options(server, credential: "user:secret@")
                #expect(await get(server.url("/through"), through).error == nil)
                #expect(await get(server.url("/direct")).error == nil)
                let fields = server.requests.map { $0.headers["Proxy-Authorization"] }
                #expect(fields == ["Basic dXNlcjpzZWNyZXQ=", nil])
                #expect(server.requests.map(\.target) == [server.url("/through").absoluteString, "/direct"])
            }
        }

        @Test func tunnelHidesTheProxyCredentialFromTheOrigin() async throws {
            try await servingOrigin { origin in
                let established = Reply.raw("HTTP/1.1 200 Connection established\r\n\r\n")
                try await TestServer.answering(established.then(.tunnel(toPort: origin.port))) { proxy in
                    let operation = await get(origin.url("/secret"), try options(proxy, credential: "user:secret@"))
                    #expect(operation.error == nil)
                    #expect(operation.responseString == "origin")
                    let request = try #require(proxy.requests.first)
                    #expect(request.method == "CONNECT")
                    #expect(request.target == "127.0.0.1:\(origin.port)")
                    #expect(request.headers["Proxy-Authorization"] == "Basic dXNlcjpzZWNyZXQ=")
                    #expect(origin.requests.map(\.target) == ["/secret"])
                    #expect(origin.requests.first?.headers["Proxy-Authorization"] == nil)
                }
            }
        }

        @Test(arguments: ["", "user:wrong@"])
        func tunnelRefusedWith407RequiresAuthentication(credential: String) async throws {
            try await servingOrigin { origin in
                try await TestServer.answering(refusal) { proxy in
                    let operation = await get(origin.url(), try options(proxy, credential: credential))
                    #expect(operation.code == .authenticationRequired)
                    #expect(operation.statusCode == nil)
                    #expect(origin.connectionCount == 0)
                    #expect(proxy.requests.count <= 2)
                }
            }
        }

        @Test func plainRequestRefusedWith407RequiresAuthentication() async throws {
            try await TestServer.answering(refusal) { proxy in
                let url = try #require(URL(string: "http://origin.example/"))
                let operation = HTTPRequestOperation(request: URLRequest(url: url), options: try options(proxy))
                #expect(await operation.run().code == .authenticationRequired)
                #expect(proxy.requests.count == 1)
            }
        }

        /// A kept connection to a proxy serves all hosts, names and IPv6 addresses, in any order.
        @Test(arguments: [false, true]) func hostFieldMatchesTheURLOnAKeptConnection(usesJar: Bool) async throws {
            try await TestServer.answering(.response()) { proxy in
                var options = try options(proxy)
                if usesJar { options.cookieJar = CookieJar() }
                let origins = [
                    ("http://[2001::1]:8080", "[2001::1]:8080"), ("http://example.org", "example.org"),
                    ("http://[2001::2]", "[2001::2]"), ("http://example.org:8081", "example.org:8081"),
                    ("http://EXAMPLE.com:80", "example.com"), ("http://user@127.0.0.1:81", "127.0.0.1:81"),
                ]
                var expected: [String] = []
                for number in 0..<200 {
                    let (origin, host) = origins[(number * number / 3 + number) % origins.count]
                    let url = try #require(URL(string: "\(origin)/\(number)"))
                    #expect(await get(url, options).error == nil)
                    expected.append(host)
                }
                #expect(proxy.requests.map { $0.headers.values(named: "Host").joined(separator: "|") } == expected)
                #expect(proxy.connectionCount < 10)
            }
        }

        @Test func jarSeparatesForwardedHosts() async throws {
            let script: TestServer.Script = { request in
                request.path.hasSuffix("/set")
                    ? .response(headers: ["Set-Cookie": "name=\(request.headers["Host"] ?? "")"]) : .response()
            }
            try await TestServer.serving(script: script) { proxy in
                var options = try options(proxy)
                options.cookieJar = CookieJar()
                let hosts = ["one.example", "[2001::1]", "two.example", "[2001::2]"]
                for path in ["set", "get", "get"] {
                    for host in hosts {
                        #expect(await get(try #require(URL(string: "http://\(host)/\(path)")), options).error == nil)
                    }
                }
                let sent = proxy.requests.dropFirst(hosts.count).map { $0.headers.values(named: "Cookie") }
                #expect(sent == (hosts + hosts).map { ["name=\($0)"] })
            }
        }

        @Test func callerHostFieldReachesTheProxyUnchanged() async throws {
            try await TestServer.answering(.response()) { proxy in
                let url = try #require(URL(string: "http://[2001::1]/"))
                let request = URLRequest("GET", url, headers: ["Host": "other.example"])
                #expect(await perform(request, try options(proxy)).error == nil)
                #expect(proxy.requests.map { $0.headers.values(named: "Host") } == [["other.example"]])
            }
        }

        private var refusal: Reply {
            .response(status: 407, headers: ["Proxy-Authenticate": "Basic realm=\"proxy\""], body: "who are you?")
        }

        private func servingOrigin(_ body: (TestServer) async throws -> Void) async throws {
            var options = TestServer.Options()
            options.certificate = .localhost
            try await TestServer.answering(.response(body: "origin"), options, body)
        }
    }

    @Suite struct AddressTests {
        @Test func unixSocketReplacesTheHost() async throws {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            var options = TestServer.Options()
            options.unixSocketPath = folder.path("socket")
            try await TestServer.answering(.response(body: "by socket"), options) { server in
                let url = try #require(URL(string: "http://service.example/path"))
                let operation = await get(url, TransferOptions { $0.unixSocketPath = folder.path("socket") })
                #expect(operation.error == nil)
                #expect(operation.responseString == "by socket")
                #expect(server.requests.map(\.target) == ["/path"])
                #expect(server.requests.first?.headers["Host"] == "service.example")
            }
        }

        @Test func addressOverrideResolvesAMadeUpName() async throws {
            try await TestServer.answering(.response(body: "here")) { server in
                let options = TransferOptions { $0.addressOverrides = ["made-up.example": "127.0.0.1"] }
                let operation = await get(server.url("/path", host: "made-up.example"), options)
                #expect(operation.error == nil)
                #expect(operation.responseString == "here")
                #expect(server.requests.first?.headers["Host"] == "made-up.example:\(server.port)")
            }
        }

        @Test(arguments: [
            ("trail.example", "trail.example."), ("trail.example.", "trail.example"),
            ("Trail.Example", "trail.example"),
            ("b\u{FC}cher.example", "xn--bcher-kva.example"), ("xn--bcher-kva.example.", "xn--bcher-kva.example"),
        ])
        func addressOverrideAppliesToEverySpellingOfTheHost(key: String, host: String) async throws {
            try await TestServer.answering(.response(body: "here")) { server in
                let options = TransferOptions { $0.addressOverrides = [key: "127.0.0.1"] }
                let operation = await get(server.url("/path", host: host), options)
                #expect(operation.error == nil && operation.responseString == "here")
            }
        }

        @Test(arguments: [
            "http://p:99999", "http://u:secret@p:0/", "https://p:65536", "socks5h://p:18446744073709551616",
        ])
        func proxyWithAnInvalidPortIsRefused(url: String) {
            let error = #expect(throws: NetworkingError.self) { try Proxy(url) }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains("secret") == false && error?.message.contains("proxy") == true)
        }

        @Test func errorNamesTheInvalidProxyPort() {
            let error = #expect(throws: NetworkingError.self) { try Proxy("http://p:99999") }
            #expect(error?.message.contains("the port 99999, which is not from 1 to 65535") == true)
        }

        @Test func addressOverrideKeepsTheHostNameCheck() async throws {
            var options = TestServer.Options()
            options.certificate = .localhost
            try await TestServer.answering(.response(), options) { server in
                var options = try TransferOptions.trustingTestAuthority
                options.addressOverrides = ["made-up.example": "127.0.0.1"]
                #expect(await get(server.url(host: "made-up.example"), options).code == .serverNotTrusted)
                #expect(server.requests.isEmpty)
            }
        }
    }
}

extension TransferOptions {
    /// A copy of the options with a proxy.
    func through(_ proxy: String) throws -> TransferOptions {
        var options = self
        options.proxy = try Proxy(proxy)
        return options
    }
}
