// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct ProxyPerHopTests {
        private func options(proxy: TestServer, exceptions: [String] = []) throws -> TransferOptions {
            try TransferOptions {
                $0.proxyConfiguration = try ProxyConfiguration(environment: [
                    "http_proxy": "http://user:secret@127.0.0.1:\(proxy.port)",
                    "no_proxy": exceptions.joined(separator: ","),
                ])
            }
        }

        @Test func redirectToAnExceptionBypassesTheProxy() async throws {
            try await TestServer.answering(.response(body: "direct")) { target in
                let location = target.url("/end", host: "localhost").absoluteString
                try await TestServer.answering(.redirect(to: location)) { proxy in
                    let start = try #require(URL(string: "http://nowhere.invalid/start"))
                    let operation = await get(start, try options(proxy: proxy, exceptions: ["localhost"]))
                    #expect(operation.responseString == "direct")
                    #expect(proxy.requests.map(\.target) == ["http://nowhere.invalid/start"])
                    #expect(proxy.requests.first?.headers["Proxy-Authorization"] == "Basic dXNlcjpzZWNyZXQ=")
                    #expect(target.requests.map(\.target) == ["/end"])
                    #expect(target.requests.first?.headers["Proxy-Authorization"] == nil)
                }
            }
        }

        @Test func redirectFromAnExceptionUsesTheProxy() async throws {
            try await TestServer.answering(.response(body: "through")) { proxy in
                try await TestServer.answering(.redirect(to: "http://nowhere.invalid/end")) { origin in
                    let operation = await get(
                        origin.url("/start"), try options(proxy: proxy, exceptions: ["127.0.0.0/8"]))
                    #expect(operation.responseString == "through")
                    #expect(origin.requests.map(\.target) == ["/start"])
                    #expect(proxy.requests.map(\.target) == ["http://nowhere.invalid/end"])
                }
            }
        }

        @Test(.enabled(if: TinyproxyServer.isAvailable))
        func httpsProxyTunnelsHTTPSAndIgnoresHTTP() async throws {
            var serverOptions = TestServer.Options()
            serverOptions.certificate = .localhost
            try await TestServer.answering(.response(body: "end"), serverOptions) { target in
                try await TestServer.answering(.redirect(to: target.url("/end").absoluteString)) { origin in
                    let proxy = try await TinyproxyServer.start()
                    var options = try TransferOptions.trustingTestAuthority
                    options.proxyConfiguration = try ProxyConfiguration(
                        environment: ["HTTPS_PROXY": "127.0.0.1:\(proxy.port)"])
                    let operation = await get(origin.url("/start"), options)
                    let log = proxy.log
                    await proxy.stop()
                    #expect(operation.responseString == "end")
                    #expect(log.contains("CONNECT 127.0.0.1:\(target.port)"))
                    #expect(!log.contains("/start"))
                }
            }
        }
    }
}
