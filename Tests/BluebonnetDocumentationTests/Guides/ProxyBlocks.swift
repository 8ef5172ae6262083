// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import Testing

extension PageTests {
    @Test func requestWithProxiesCredentialsAndLimitsSucceeds() async throws {
        try await Site.serving { site in
            let manager = site.manager
            // BLOCK ProxiesAndLimits.md
            // where ProxyConfiguration(environment: [:]) is .environment
            // where Netrc(text: "default login ada password secret") is .ofUser
            manager.transferOptions.proxyConfiguration = try ProxyConfiguration(environment: [:])
            manager.transferOptions.netrc = try Netrc(text: "default login ada password secret")
            manager.transferOptions.maximumBytesPerSecond = 1_000_000
            manager.transferOptions.lowSpeedLimit = LowSpeedLimit(
                bytesPerSecond: 100, duration: .seconds(30))
            manager.transferOptions.connectionLimits.maximumAge = .seconds(600)
            let secret = try await manager.get("secret")
            // END
            #expect(secret.statusCode == 200)
            #expect(site.server.history.requests.map(\.path) == ["/v1/secret", "/v1/secret"])
        }
    }
}
