// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet
@testable import BluebonnetNetwork

/// An OAuth 2 server for tests. It counts refreshes, and its access tokens can be made to expire. Any thread.
private final class OAuthServer: Sendable {
    struct State: Sendable {
        var generation = 0
        var refreshCount = 0
        var isRevoked = false
    }

    let state = Observed(State())
    /// Opened when a refresh may be answered.
    let gate = Gate()

    /// The currently valid token.
    var token: String { "access-\(state.value.generation)" }

    /// Answers `/token` as an endpoint does, and any other path as an API that requires the token.
    var script: TestServer.Script {
        { [self] request in
            guard request.path == "/token" else {
                return request.headers["Authorization"] == "Bearer \(token)"
                    ? .response(body: "fine")
                    : .response(
                        status: 401, headers: ["WWW-Authenticate": "Bearer error=\"invalid_token\""], body: "expired")
            }
            return refresh(request)
        }
    }

    private func refresh(_ request: ReceivedRequest) -> Reply {
        let answer = state.update { state -> (status: Int, text: String) in
            state.refreshCount += 1
            let isRight =
                request.headers["Authorization"] == "Basic Y2xpZW50OnNlY3JldA=="
                && request.bodyText == "grant_type=refresh_token&refresh_token=refresh-\(state.generation)"
            guard isRight, !state.isRevoked else {
                return (400, #"{"error":"invalid_grant","error_description":"sign in again"}"#)
            }
            state.generation += 1
            let number = state.generation
            let text = #""access_token":"access-\#(number)","refresh_token":"refresh-\#(number)""#
            return (200, #"{"token_type":"Bearer","expires_in":3600,\#(text)}"#)
        }
        let response = Reply.response(
            status: answer.status, headers: ["Content-Type": "application/json"], body: answer.text)
        return Reply([.wait(until: gate)] + response.steps)
    }

    /// An authenticator with a token that the server no longer accepts.
    func authenticator(_ server: TestServer, for origins: [URL], _ token: BearerToken? = nil) -> SharedAuthenticator {
        let endpoint = TokenEndpoint(server.url("/token"), clientID: "client", clientSecret: "secret")
        return SharedAuthenticator(
            BearerAuthenticator(endpoint), credential: token ?? BearerToken("expired", refreshToken: "refresh-0"),
            origins: origins)
    }
}

extension NetworkTests {
    @Suite struct TokenServerTests {
        private let oauth = OAuthServer()

        @Test(arguments: ["GET", "POST"])
        func thousandOperationsWithAnExpiredTokenRefreshOnce(method: String) async throws {
            try await TestServer.serving(script: oauth.script) { server in
                let manager = RequestOperationManager(baseURL: server.url("/"))
                manager.responseSerializer = HTTPResponseSerializer()
                let shared = oauth.authenticator(server, for: [server.url("/")])
                manager.authenticator = shared
                let operations = (0..<1000).map { manager.operation(method, "item/\($0)") }
                for operation in operations { manager.enqueue(operation) }
                await becomes(1000) { shared.waitingCount }
                oauth.gate.open()
                for operation in operations { await operation.ends() }
                #expect(operations.count { $0.error == nil && $0.responseString == "fine" } == 1000)
                #expect(oauth.state.value.refreshCount == 1)
                let tokens = server.requests.compactMap { $0.headers["Authorization"] }
                // Sent by the requests that had a slot when the first one was refused, and by no later request.
                #expect((1...64).contains(tokens.count { $0 == "Bearer expired" }))
                #expect(tokens.count { $0 == "Bearer access-1" } == 1000)
            }
        }

        @Test func expiringTokenIsRefreshedBeforeItIsSent() async throws {
            oauth.gate.open()
            try await TestServer.serving(script: oauth.script) { server in
                let token = BearerToken("expired", refreshToken: "refresh-0", expiresIn: .seconds(-1))
                let manager = RequestOperationManager(baseURL: server.url("/"))
                manager.responseSerializer = HTTPResponseSerializer()
                manager.authenticator = oauth.authenticator(server, for: [server.url("/")], token)
                let operations = (0..<100).map { _ in manager.operation("GET", "item") }
                for operation in operations { manager.enqueue(operation) }
                for operation in operations { await operation.ends() }
                #expect(operations.allSatisfy { $0.error == nil })
                #expect(oauth.state.value.refreshCount == 1 && server.requests.count == 101)
            }
        }

        @Test func refreshDoesNotNeedTheSlotsOfItsManager() async throws {
            oauth.gate.open()
            try await TestServer.serving(script: oauth.script) { server in
                var configuration = RequestOperationManager.Configuration()
                configuration.maximumConcurrentTransferCount = 1
                configuration.authenticator = oauth.authenticator(server, for: [server.url("/")])
                configuration.responseSerializer = HTTPResponseSerializer()
                let manager = RequestOperationManager(baseURL: server.url("/"), configuration: configuration)
                let operations = (0..<10).map { _ in manager.operation("GET", "item") }
                for operation in operations { manager.enqueue(operation) }
                for operation in operations { await operation.ends() }
                #expect(operations.allSatisfy { $0.error == nil } && oauth.state.value.refreshCount == 1)
            }
        }

        @Test func revokedRefreshTokenIsUsedOnce() async throws {
            oauth.state.update { $0.isRevoked = true }
            oauth.gate.open()
            try await TestServer.serving(script: oauth.script) { server in
                let shared = oauth.authenticator(server, for: [server.url("/")])
                for _ in 0..<3 {
                    let operation = await get(server.url("/item"), TransferOptions { $0.authenticator = shared })
                    #expect(operation.code == .authenticationRequired)
                    #expect((operation.error?.underlying as? TokenError)?.code == .invalidGrant)
                    #expect(operation.error?.message.contains("sign in again") == true)
                }
                #expect(oauth.state.value.refreshCount == 1)
            }
        }

        @Test(arguments: [false, true]) func bodyStreamIsReplayedOrFailsTheOperation(canBeMade: Bool) async throws {
            oauth.gate.open()
            try await TestServer.serving(script: oauth.script) { server in
                var request = URLRequest("PUT", server.url("/item"))
                request.httpBodyStream = InputStream(data: Data("streamed".utf8))
                let operation = HTTPRequestOperation(request: request)
                operation.authenticator = oauth.authenticator(server, for: [server.url("/")])
                if canBeMade { operation.onNeedNewBodyStream = { InputStream(data: Data("streamed".utf8)) } }
                _ = await operation.run()
                let sent = server.requests.filter { $0.path == "/item" }
                #expect(sent.count == (canBeMade ? 2 : 1) && sent.allSatisfy { $0.bodyText == "streamed" })
                #expect(operation.code == (canBeMade ? nil : .unacceptableStatus))
                #expect(canBeMade || operation.error?.message.contains("body stream cannot be created again") == true)
            }
        }
    }

    @Suite(.enabled(if: NginxServer.isAvailable)) struct TokenNginxTests {
        private let oauth = OAuthServer()

        @Test(arguments: [false, true]) func thousandOperationsRefreshOnce(usesHTTP2: Bool) async throws {
            let root = try TemporaryFolder()
            defer { root.remove() }
            let location = """
                location /token-api/ {
                    add_header WWW-Authenticate 'Bearer error="invalid_token"' always;
                    if ($http_authorization != "Bearer access-1") { return 401 "expired"; }
                    return 200 "fine $server_protocol";
                }
                """
            let nginx = try await NginxServer.start(documentRoot: root.url, directives: location)
            do {
                try await refreshOnce(nginx, usesHTTP2: usesHTTP2)
            } catch {
                await nginx.stop()
                throw error
            }
            await nginx.stop()
        }

        private func refreshOnce(_ nginx: NginxServer, usesHTTP2: Bool) async throws {
            let base = usesHTTP2 ? nginx.tlsURL("/token-api/") : nginx.url("/token-api/")
            try await TestServer.serving(script: oauth.script) { server in
                let manager = RequestOperationManager(baseURL: base)
                manager.responseSerializer = HTTPResponseSerializer()
                manager.transferOptions = try .trustingTestAuthority
                manager.authenticator = oauth.authenticator(server, for: [base])
                let operations = (0..<1000).map { manager.operation("GET", "item/\($0)") }
                oauth.gate.open()
                for operation in operations { manager.enqueue(operation) }
                for operation in operations { await operation.ends() }
                let expected = usesHTTP2 ? "fine HTTP/2.0" : "fine HTTP/1.1"
                #expect(operations.count { $0.error == nil && $0.responseString == expected } == 1000)
                #expect(oauth.state.value.refreshCount == 1)
            }
        }
    }
}
