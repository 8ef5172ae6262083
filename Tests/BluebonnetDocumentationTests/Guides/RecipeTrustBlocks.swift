// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

// Recipes about trust, credentials and proxies.
extension PageTests {
    @Test func recipeRefreshesTokenOnce() async throws {
        let script: TestServer.Script = { request in
            let json: WireFields = ["Content-Type": "application/json"]
            if request.path == "/token" {
                return .response(headers: json, body: #"{"access_token": "new", "token_type": "bearer"}"#)
            }
            guard request.headers["Authorization"] == "Bearer new" else {
                return .response(status: 401, headers: ["WWW-Authenticate": "Bearer"])
            }
            return .response(headers: json, body: #"{"pages": 3}"#)
        }
        try await Site.scripted(script) { site in
            let manager = site.manager
            // BLOCK Recipes.md
            // where site.server.url("/token") is URL(string: "https://login.example.com/token")!
            let endpoint = TokenEndpoint(
                site.server.url("/token"),
                clientID: "reports", clientSecret: "…")
            manager.authenticator = SharedAuthenticator(
                BearerAuthenticator(endpoint),
                credential: BearerToken("…", refreshToken: "…"),
                origins: [manager.baseURL!])
            let report: JSONValue = try await manager.get("reports/7")
            print(report)
            // END
            #expect(report["pages"] == 3)
            #expect(site.server.requests.map(\.path) == ["/v1/reports/7", "/token", "/v1/reports/7"])
        }
    }

    @Test func recipePresentsClientCertificate() async throws {
        var options = TestServer.Options()
        (options.certificate, options.requiresClientCertificate) = (.localhost, true)
        let (clientCertificatePath, clientKeyPath) = (
            try TestCertificate.client.certificatePath, try TestCertificate.client.keyPath
        )
        let authorityPath = try TestCertificate.localhost.caPath
        let script: TestServer.Script = { _ in .response() }
        try await Site.scripted(script, options: options) { site in
            let manager = site.manager
            // BLOCK Recipes.md
            // where clientCertificatePath is "client.pem"
            // where clientKeyPath is "client.key"
            // where authorityPath is "authority.pem"
            manager.transferOptions.tls.clientIdentity = .files(
                certificate: clientCertificatePath, key: clientKeyPath)
            manager.securityPolicy = try SecurityPolicy(
                authorities: .file(authorityPath))
            let response = try await manager.get("me")
            print(response.statusCode)
            // END
            #expect(response.statusCode == 200)
        }
    }

    @Test func recipeAcceptsServerWithPinnedKey() async throws {
        try await Site.serving(tls: .localhost) { site in
            let manager = site.manager
            manager.securityPolicy.authorities = .file(try TestCertificate.localhost.caPath)
            let file = URL(fileURLWithPath: try TestCertificate.localhost.leafPath)
            let certificate = try #require(ServerCertificate.certificates(in: Data(contentsOf: file)).first)
            let firstPin = certificate.publicKeyPin.description
            let secondPin = "sha256/4bm5+7pRHIcGeBVFfPrkJV4sBoV6pYMTkyDvVcUDfs0="
            // BLOCK Recipes.md
            // where firstPin is "sha256/…"
            // where secondPin is "sha256/…"
            let pins = try PinSet(keys: [firstPin], backupKeys: [secondPin])
            manager.securityPolicy.pinningMode = .publicKey
            manager.securityPolicy.pins = pins
            let response = try await manager.get("me")
            print(response.statusCode)
            // END
            #expect(response.statusCode == 200)
            manager.securityPolicy.pins = try PinSet(keys: [secondPin])
            await #expect(throws: NetworkingError.self) { try await manager.get("me") }
            #expect(site.server.requests.count == 1)
        }
    }

    @Test func recipeSendsRequestToProxy() async throws {
        let proxy = try await TestServer.start { _ in .response() }
        let proxyURL = "http://user:password@127.0.0.1:\(proxy.port)"
        try await Site.serving { site in
            let manager = site.manager
            // BLOCK Recipes.md
            // where proxyURL is "http://user:password@proxy.example.com:3128"
            manager.transferOptions.proxy = try Proxy(
                proxyURL)
            let response = try await manager.get("me")
            print(response.statusCode)
            // END
            #expect(response.statusCode == 200 && site.server.requests.isEmpty)
            #expect(proxy.requests.map(\.target) == [site.server.url("/v1/me").absoluteString])
        }
        await proxy.stop()
    }
}
