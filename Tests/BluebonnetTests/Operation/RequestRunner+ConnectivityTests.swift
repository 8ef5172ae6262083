// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Testing

@testable import Bluebonnet

@Suite struct RequestRunnerConnectivityTests {
    private func target(_ host: String, _ change: (inout TransferOptions) throws -> Void = { _ in }) rethrows
        -> ReachabilityTarget?
    {
        try TransferOptions(change).connectivityTarget(host: host)
    }

    @Test func nothingWaitsUnlessItIsTold() {
        #expect(!TransferOptions().waitsForConnectivity)
        #expect(TransferOptions().connectivityTimeout == .seconds(60))
    }

    @Test func theServerHasToBeReachable() {
        #expect(target("example.com") == .domain("example.com"))
        #expect(target("192.0.2.1") == .address(IPAddress(bytes: [192, 0, 2, 1])!))
        #expect(target("[::1]") == IPAddress("::1").map { .address($0) })
    }

    @Test func withAProxyOnlyTheProxyHasTo() throws {
        #expect(
            try target("example.com") { $0.proxy = try Proxy("http://proxy.example.net:8080") }
                == .domain("proxy.example.net"))
    }

    @Test func theAddressThatIsConnectedToCounts() {
        #expect(
            target("example.com") { $0.addressOverrides = ["example.com": "192.0.2.1"] }
                == .address(IPAddress(bytes: [192, 0, 2, 1])!))
    }

    @Test func aSocketOnThisMachineNeedsNoNetwork() {
        #expect(target("example.com") { $0.unixSocketPath = "/run/server.sock" } == nil)
    }
}
