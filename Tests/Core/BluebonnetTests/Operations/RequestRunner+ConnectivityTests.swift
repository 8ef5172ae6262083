// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import Bluebonnet

@Suite struct RequestRunnerConnectivityTests {
    private func target(_ host: String, _ options: TransferOptions = TransferOptions()) -> ReachabilityTarget? {
        URL(string: "http://\(host)/").flatMap(Origin.init).flatMap(options.connectivityTarget)
    }

    @Test func requestDoesNotWaitForConnectivityByDefault() {
        #expect(!TransferOptions().waitsForConnectivity)
        #expect(ResolvedOptions(TransferOptions()).timeouts.connectivity == .seconds(60))
    }

    @Test func connectivityTargetIsTheServer() {
        #expect(target("example.com") == .domain("example.com"))
        #expect(target("192.0.2.1") == .address(IPAddress(bytes: [192, 0, 2, 1])!))
        #expect(target("[::1]") == IPAddress("::1").map { .address($0) })
    }

    @Test func connectivityTargetIsTheProxyIfSet() throws {
        let options = try TransferOptions { $0.proxy = try Proxy("http://proxy.example.net:8080") }
        #expect(target("example.com", options) == .domain("proxy.example.net"))
    }

    @Test func connectivityTargetIsTheConfiguredProxyExceptForExceptions() throws {
        let proxy = try Proxy("http://proxy.example.net:8080")
        let options = TransferOptions {
            $0.proxyConfiguration = ProxyConfiguration(http: proxy, exceptions: ["example.org"])
        }
        #expect(target("example.com", options) == .domain("proxy.example.net"))
        #expect(target("example.org", options) == .domain("example.org"))
    }

    @Test func connectivityTargetIsTheOverriddenAddress() {
        let options = TransferOptions { $0.addressOverrides = ["example.com": "192.0.2.1"] }
        #expect(target("example.com", options) == .address(IPAddress(bytes: [192, 0, 2, 1])!))
    }

    @Test func unixSocketNeedsNoConnectivity() {
        let options = TransferOptions { $0.unixSocketPath = "/run/server.sock" }
        #expect(target("example.com", options) == nil)
    }
}
