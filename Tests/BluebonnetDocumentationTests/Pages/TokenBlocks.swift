// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import Bluebonnet
import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

/// Replaces a program's key store.
private struct Vault: Sendable {
    func newKey(replacing old: String?) async throws -> String { "key" }
}

/// Replaces a program's signing code.
private struct Signer: Sendable {
    func signature(of request: URLRequest, digest: String) async throws -> String {
        "signed \(request.httpMethod ?? "") \(digest.prefix(8))"
    }
}

extension PageTests {
    @Test func tokensRun() async throws {
        try await Site.serving { site in
            let manager = site.manager
            // BLOCK Tokens.md
            // where site.server.url("/") is URL(string: "https://api.example.com/")!
            let endpoint = TokenEndpoint(
                URL(string: "https://login.example.com/token")!, clientID: "reports", clientSecret: "…")
            let token = BearerToken("…", refreshToken: "…", expiresIn: .seconds(3600))
            manager.authenticator = SharedAuthenticator(
                BearerAuthenticator(endpoint), credential: token, origins: [site.server.url("/")])
            let report: JSONValue = try await manager.get("reports/7")
            // END
            #expect(report["token"] == nil)
            #expect(site.server.history.requests.last?.headers["Authorization"] == "Bearer …")
            // BLOCK Tokens.md
            manager.authenticator?.setCredential(BearerToken("…", refreshToken: "…", expiresIn: .seconds(3600)))
            // END
            // BLOCK Tokens.md
            // where site.path("token") is "/var/lib/reports/token"
            // where site.server.url("/") is URL(string: "https://api.example.com/")!
            let file = TokenFile(site.path("token"))
            try file.write(token)
            manager.authenticator = SharedAuthenticator(
                BearerAuthenticator(endpoint, file: file), origins: [site.server.url("/")])
            // END
            _ = try await manager.get("reports/7") as JSONValue
            #expect(manager.authenticator?.credential(as: BearerToken.self)?.accessToken == "…")
        }
    }

    @Test func customAuthenticatorsRun() async throws {
        try await Site.serving { site in
            // BLOCK Tokens.md
            struct SessionAuthenticator: Authenticator {
                let login: RequestOperationManager

                var challengeScheme: String? { nil }

                func apply(_ session: String, to request: inout URLRequest) {
                    request.setValue(session, forHTTPHeaderField: "X-Session")
                }

                func refresh(_ session: String?) async throws -> String {
                    let answer: JSONValue = try await login.post("session", parameters: ["client": "reports"])
                    guard let session = answer["session"]?.string else {
                        throw NetworkingError(.badServerResponse, "no session")
                    }
                    return session
                }
            }
            // END
            // BLOCK Authenticator.swift
            struct KeyAuthenticator: Authenticator {
                let vault: Vault

                func apply(_ key: String, to request: inout URLRequest) {
                    request.setValue(key, forHTTPHeaderField: "X-Api-Key")
                }

                func refresh(_ key: String?) async throws -> String { try await vault.newKey(replacing: key) }
            }
            // END
            let manager = site.manager
            manager.authenticator = SharedAuthenticator(KeyAuthenticator(vault: Vault()), origins: [site.base])
            _ = try await manager.get("me") as JSONValue
            #expect(site.server.history.requests.last?.headers["X-Api-Key"] == "key")
            let session = SessionAuthenticator(login: site.manager)
            manager.authenticator = SharedAuthenticator(session, origins: [site.base])
            let error = await #expect(throws: NetworkingError.self) { try await manager.get("me") as JSONValue }
            #expect(error?.message.hasSuffix("no session") == true)
        }
    }

    @Test func referenceAuthenticatorsRun() throws {
        let manager = RequestOperationManager()
        let (token, secret) = (BearerToken("t"), "s")
        do {
            // BLOCK SharedAuthenticator.swift
            let endpoint = TokenEndpoint(URL(string: "https://login.example.com/token")!, clientID: "reports")
            manager.authenticator = SharedAuthenticator(
                BearerAuthenticator(endpoint), credential: token, origins: [URL(string: "https://api.example.com")!])
            // END
        }
        #expect(manager.authenticator?.credential(as: BearerToken.self) == token)
        // BLOCK BearerAuthenticator.swift
        let endpoint = TokenEndpoint(
            URL(string: "https://login.example.com/token")!, clientID: "reports", clientSecret: secret)
        let bearer = BearerAuthenticator(endpoint, file: TokenFile("/var/lib/reports/token"))
        manager.authenticator = SharedAuthenticator(bearer, origins: [URL(string: "https://api.example.com")!])
        // END
        #expect(bearer.file?.path == "/var/lib/reports/token")
    }

    @Test func requestAdaptersRun() async throws {
        try await Site.serving { site in
            let manager = site.manager
            let signer = Signer()
            // BLOCK Tokens.md
            manager.requestAdapters = [
                .block { request in
                    request.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID")
                },
                .block { request, body in
                    let signature = try await signer.signature(of: request, digest: body.sha256())
                    request.setValue(signature, forHTTPHeaderField: "X-Signature")
                },
            ]
            // END
            _ = try await manager.get("me") as JSONValue
            #expect(site.server.history.requests.last?.headers["X-Signature"] == "signed GET e3b0c442")
            // BLOCK RequestAdapter.swift
            manager.requestAdapters = [
                .block { $0.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID") },
                .block { request, body in
                    request.setValue(try await body.sha256(), forHTTPHeaderField: "X-Content-SHA256")
                },
            ]
            // END
            _ = try await manager.get("me") as JSONValue
            #expect(site.server.history.requests.last?.headers["X-Request-ID"]?.count == 36)
        }
    }
}
