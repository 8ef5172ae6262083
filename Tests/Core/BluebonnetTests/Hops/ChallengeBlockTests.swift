// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct ChallengeBlockTests {
        // "user:secret" in Base64.
        private static let answer = "Basic dXNlcjpzZWNyZXQ="
        private static let right = URLCredential(user: "user", password: "secret", persistence: .none)
        private static let wrong = URLCredential(user: "user", password: "wrong", persistence: .none)

        private static let guarded: TestServer.Script = { request in
            if request.headers["Authorization"] == answer { return .response(body: "come in") }
            return .response(
                status: 401, headers: ["WWW-Authenticate": "Basic realm=\"the \\\"realm\\\"\""], body: "no")
        }

        private func run(
            _ url: URL, credential: URLCredential? = nil, _ block: @escaping RequestOperation.ChallengeBlock
        ) async -> HTTPRequestOperation {
            let operation = HTTPRequestOperation(request: URLRequest(url: url))
            operation.credential = credential
            operation.onChallenge = block
            return await operation.run()
        }

        @Test func blockReceivesTheChallenge() async throws {
            try await TestServer.serving(script: Self.guarded) { server in
                let seen = Observed([AuthenticationChallenge]())
                let operation = await run(server.url("/x")) { _, challenge in
                    #expect(!NetworkThread.isCurrent)
                    seen.append(challenge)
                    return .useCredential(Self.right)
                }
                #expect(operation.error == nil)
                #expect(operation.responseString == "come in")
                let challenge = try #require(seen.value.first)
                #expect(seen.value.count == 1)
                #expect(challenge.method == NSURLAuthenticationMethodHTTPBasic)
                #expect(challenge.realm == "the \"realm\"")
                #expect(challenge.scheme == "http")
                #expect(challenge.host == "127.0.0.1")
                #expect(challenge.port == server.url().port)
                #expect(challenge.previousFailureCount == 0)
                #expect(challenge.response?.statusCode == 401)
            }
        }

        @Test func atMostTwoCredentialsAreTried() async throws {
            try await TestServer.serving(script: Self.guarded) { server in
                let counts = Observed([Int]())
                let operation = await run(server.url()) { _, challenge in
                    counts.append(challenge.previousFailureCount)
                    return .useCredential(Self.wrong)
                }
                #expect(counts.value == [0, 1])
                #expect(operation.code == .authenticationRequired)
                #expect(operation.statusCode == 401)
                #expect(server.requests.count == 3)
            }
        }

        @Test func secondCredentialMaySucceed() async throws {
            try await TestServer.serving(script: Self.guarded) { server in
                let operation = await run(server.url()) { _, challenge in
                    .useCredential(challenge.previousFailureCount == 0 ? Self.wrong : Self.right)
                }
                #expect(operation.responseString == "come in")
                #expect(server.requests.count == 3)
            }
        }

        @Test func cancellingTheChallengeFailsTheOperation() async throws {
            try await TestServer.serving(script: Self.guarded) { server in
                let operation = await run(server.url()) { _, _ in .cancel }
                #expect(operation.code == .authenticationRequired)
                #expect(server.requests.count == 1)
            }
        }

        @Test func defaultIsTheOperationsCredential() async throws {
            try await TestServer.serving(script: Self.guarded) { server in
                let operation = await run(server.url(), credential: Self.right) { _, _ in .performDefault }
                #expect(operation.responseString == "come in")
                #expect(server.requests.count == 2)
            }
        }

        @Test func defaultWithoutACredentialDeliversThe401() async throws {
            try await TestServer.serving(script: Self.guarded) { server in
                let operation = await run(server.url()) { _, _ in .performDefault }
                #expect(operation.code == .unacceptableStatus)
                #expect(operation.responseString == "no")
                #expect(server.requests.count == 1)
            }
        }

        @Test func unanswerableChallengeDoesNotCallTheBlock() async throws {
            let reply = Reply.response(status: 401, headers: ["WWW-Authenticate": "Bearer realm=r"], body: "token?")
            try await TestServer.answering(reply) { server in
                let operation = await run(server.url()) { _, _ in
                    Issue.record("nothing to answer")
                    return .cancel
                }
                #expect(operation.responseString == "token?")
            }
        }

        @Test func challengeOfAnotherOriginGetsTheBlocksCredential() async throws {
            try await TestServer.serving(script: Self.guarded) { other in
                try await TestServer.answering(.redirect(to: other.url("/in").absoluteString)) { server in
                    let ports = Observed([Int]())
                    let operation = await run(server.url(), credential: Self.wrong) { _, challenge in
                        ports.append(challenge.port)
                        return .useCredential(Self.right)
                    }
                    #expect(operation.responseString == "come in")
                    #expect(ports.value == [other.url().port])
                    #expect(server.requests.allSatisfy { $0.headers["Authorization"] == nil })
                }
            }
        }

        @Test func withoutABlockTheCredentialStaysWithItsOrigin() async throws {
            try await TestServer.serving(script: Self.guarded) { other in
                try await TestServer.answering(.redirect(to: other.url("/in").absoluteString)) { server in
                    let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
                    operation.credential = Self.right
                    #expect(await operation.run().statusCode == 401)
                    #expect(other.requests.allSatisfy { $0.headers["Authorization"] == nil })
                }
            }
        }

        @Test(arguments: [true, false])
        func sharedStorageIsUsedOnlyIfAllowed(mayAsk: Bool) async throws {
            try await TestServer.serving(script: Self.guarded) { server in
                let space = URLProtectionSpace(
                    host: "127.0.0.1", port: server.url().port ?? 0, protocol: "http", realm: "the \"realm\"",
                    authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
                let stored = URLCredential(user: "user", password: "secret", persistence: .forSession)
                URLCredentialStorage.shared.set(stored, for: space)
                let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
                operation.shouldUseCredentialStorage = mayAsk
                #expect(await operation.run().statusCode == (mayAsk ? 200 : 401))
                #expect(server.requests.count == (mayAsk ? 2 : 1))
            }
        }

        @Test func staleNonceIsNoRefusal() async throws {
            let count = Observed([Int]())
            let script: TestServer.Script = { request in
                guard let field = request.headers["Authorization"] else {
                    return .response(status: 401, headers: ["WWW-Authenticate": "Digest realm=r, nonce=one"])
                }
                if field.contains("nonce=\"two\"") { return .response(body: "in") }
                return .response(status: 401, headers: ["WWW-Authenticate": "Digest realm=r, nonce=two, stale=true"])
            }
            try await TestServer.serving(script: script) { server in
                let operation = await run(server.url()) { _, _ in
                    count.append(1)
                    return .useCredential(Self.right)
                }
                #expect(operation.responseString == "in")
                #expect(count.value.count == 1)
            }
        }
    }
}
