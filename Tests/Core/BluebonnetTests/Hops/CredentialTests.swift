// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import COpenSSL
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    @Suite struct CredentialTests {
        private static let right = URLCredential(user: "user", password: "secret", persistence: .none)
        private static let wrong = URLCredential(user: "user", password: "wrong", persistence: .none)

        /// Challenges every request whose Authorization field is not this one.
        private func guarding(with challenge: String, accepting field: String) -> TestServer.Script {
            { request in
                if request.headers["Authorization"] == field { return .response(body: "come in") }
                return .response(status: 401, headers: ["WWW-Authenticate": challenge], body: "who are you?")
            }
        }

        private func fetch(_ url: URL, _ credential: URLCredential?) async -> HTTPRequestOperation {
            let options = TransferOptions { $0.credential = credential }
            return await HTTPRequestOperation(request: URLRequest(url: url), options: options).run()
        }

        // "user:secret" in Base64; and RFC 7616 without a quality of protection, where the response is
        // H(H(user:realm:password):nonce:H(method:target)), computed with md5sum and sha256sum.
        private static let exchanges: [(challenge: String, answer: String)] = [
            ("Basic realm=\"test\"", "Basic dXNlcjpzZWNyZXQ="),
            (
                "Digest realm=\"test\", nonce=\"abc\"",
                #"Digest username="user", realm="test", nonce="abc", uri="/secret", response="f77a220948407b2486ec256f6e31db5b""#
            ),
            (
                "Digest realm=\"test\", nonce=\"abc\", algorithm=SHA-256",
                #"Digest username="user", realm="test", nonce="abc", uri="/secret", "#
                    + #"response="7f46e0563b8d0a2a82b2ee8e30b79c38c715040b0f29ad283e18c68bbf68ba2e", algorithm=SHA-256"#
            ),
        ]

        /// As with OpenSSL configured for FIPS 140: the response that asks for MD5 is the result.
        @Test func processWithoutMD5SurvivesAnMD5Challenge() async {
            await #expect(processExitsWith: .success) {
                // The digest and a first request come before, because no FIPS provider need be installed here.
                _ = MessageDigest(.sha256)
                try await TestServer.answering(.response()) { _ = await get($0.url()) }
                EVP_set_default_properties(nil, "fips=yes")
                precondition(!MessageDigest.Algorithm.md5.isAvailable)
                let challenge = "Digest realm=\"test\", nonce=\"abc\""
                let reply = Reply.response(status: 401, headers: ["WWW-Authenticate": challenge], body: "who are you?")
                try await TestServer.answering(reply) { server in
                    let options = TransferOptions { $0.credential = CredentialTests.right }
                    let operation = HTTPRequestOperation(request: URLRequest(url: server.url("/")), options: options)
                    _ = await operation.run()
                    precondition(operation.statusCode == 401 && operation.code == .unacceptableStatus)
                    precondition(server.requests.count == 1)
                }
            }
        }

        @Test(arguments: exchanges)
        func challengeIsAnsweredOnce(challenge: String, answer: String) async throws {
            try await TestServer.serving(script: guarding(with: challenge, accepting: answer)) { server in
                let operation = await fetch(server.url("/secret"), Self.right)
                #expect(operation.error == nil)
                #expect(operation.responseString == "come in")
                #expect(server.requests.map { $0.headers["Authorization"] } == [nil, answer])
            }
        }

        @Test(arguments: exchanges.map(\.challenge))
        func wrongPasswordIsTriedOnce(challenge: String) async throws {
            try await TestServer.serving(script: guarding(with: challenge, accepting: "no field at all")) { server in
                let operation = await fetch(server.url("/secret"), Self.wrong)
                #expect(operation.code == .authenticationRequired)
                #expect(operation.statusCode == 401)
                #expect(server.requests.count == 2)
            }
        }

        @Test func alwaysStaleNonceEndsTheOperation() async throws {
            let challenge = "Digest realm=\"test\", nonce=\"abc\", stale=true"
            try await TestServer.serving(script: guarding(with: challenge, accepting: "no field at all")) { server in
                #expect(await fetch(server.url("/secret"), Self.right).code == .authenticationRequired)
                #expect(server.requests.count == 3)
            }
        }

        @Test(arguments: exchanges.map(\.challenge))
        func statusIsTheErrorWithoutACredential(challenge: String) async throws {
            try await TestServer.serving(script: guarding(with: challenge, accepting: "no field at all")) { server in
                let operation = await fetch(server.url("/secret"), nil)
                #expect(operation.code == .unacceptableStatus)
                #expect(operation.error?.body == Data("who are you?".utf8))
                #expect(server.requests.count == 1)
            }
        }

        @Test(arguments: exchanges.map(\.challenge))
        func challengeOfAnotherOriginIsNotAnswered(challenge: String) async throws {
            try await TestServer.serving(script: guarding(with: challenge, accepting: "no field at all")) { other in
                let elsewhere = Reply.redirect(to: other.url("/secret").absoluteString)
                try await TestServer.answering(elsewhere) { server in
                    let operation = await fetch(server.url("/start"), Self.right)
                    #expect(operation.code == .unacceptableStatus)
                    #expect(other.requests.map { $0.headers["Authorization"] } == [nil])
                }
            }
        }

        @Test func authorizationDoesNotFollowToAnotherOrigin() async throws {
            try await TestServer.answering(.response(body: "there")) { other in
                let url = other.url("/end").absoluteString
                let script: TestServer.Script = { request in
                    guard request.headers["Authorization"] == nil else { return .redirect(to: url) }
                    return .response(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"test\""])
                }
                try await TestServer.serving(script: script) { server in
                    let operation = await fetch(server.url("/start"), Self.right)
                    #expect(operation.responseString == "there")
                    #expect(server.requests.count == 2)
                    #expect(other.requests.map { $0.headers["Authorization"] } == [nil])
                }
            }
        }

        @Test(
            .enabled(if: HTTPBinServer.isAvailable),
            arguments: [
                "/basic-auth/user/secret", "/digest-auth/auth/user/secret/MD5", "/digest-auth/auth/user/secret/SHA-256",
            ])
        func anotherImplementationAcceptsTheAnswer(path: String) async throws {
            let server = try await HTTPBinServer.start()
            let accepted = await fetch(server.url(path), Self.right)
            let refused = await fetch(server.url(path), Self.wrong)
            await server.stop()
            #expect(accepted.error == nil)
            #expect(accepted.statusCode == 200)
            #expect(accepted.summary.transferCount == 2)
            #expect(refused.code == .authenticationRequired)
            #expect(refused.summary.transferCount == 2)
        }
    }
}
