// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// From one origin to another and back. The secrets of the first origin never leave it, and are not sent again
    /// when the chain returns.
    @Suite struct RedirectSecretTests {
        /// How the second origin differs from the first.
        enum Difference: CaseIterable { case port, host, scheme }

        /// The two origins. `/1` redirects to `/away` on the second, which redirects back to `/2`, which redirects to
        /// `/3` on the first.
        private struct Origins {
            let first: TestServer
            let second: TestServer
            let difference: Difference

            func seen(_ path: String) -> ReceivedRequest? {
                (first.requests + second.requests).first { $0.path == path && $0.headers["Authorization"] != nil }
                    ?? (first.requests + second.requests).last { $0.path == path }
            }
        }

        private func serving(
            _ difference: Difference, wantsCredential: Bool, status: Int = 302,
            _ body: (Origins, TransferOptions) async throws -> Void
        ) async throws {
            let places = Observed([String]())
            let script: TestServer.Script = { request in
                let isRefused = wantsCredential && request.headers["Authorization"] == nil
                let refusal = Reply.response(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"all\""])
                switch request.path {
                case "/1": return isRefused ? refusal : .redirect(to: places.value[1] + "/away", status: status)
                case "/away": return .redirect(to: places.value[0] + "/2", status: status)
                case "/2": return .redirect(to: "/3", status: status)
                default: return isRefused ? refusal : .response(body: "end")
                }
            }
            var options = try TransferOptions.trustingTestAuthority
            options.addressOverrides = ["other.example": "127.0.0.1"]
            options.allowsInsecureRedirects = true
            let second = try await TestServer.start(tls: difference == .scheme ? .localhost : nil, script)
            try await TestServer.serving(script: script) { first in
                places.append("http://127.0.0.1:\(first.port)")
                switch difference {
                case .host: places.append("http://other.example:\(first.port)")
                case .port: places.append("http://127.0.0.1:\(second.port)")
                case .scheme: places.append("https://127.0.0.1:\(second.port)")
                }
                try await body(Origins(first: first, second: second, difference: difference), options)
            }
            await second.stop()
        }

        private static let secrets = [
            "Authorization": "Bearer secret", "Cookie": "session=secret", "X-Api-Key": "secret", "X-Anything": "secret",
            "Proxy-Authorization": "Basic secret", "Cookie2": "secret", "X-Forwarded-For": "secret",
            "Referer": "http://secret/", "Origin": "http://secret",
        ]

        @Test(arguments: Difference.allCases, [301, 302, 303, 307, 308])
        func callerFieldsStayWithTheirOrigin(difference: Difference, status: Int) async throws {
            try await serving(difference, wantsCredential: false, status: status) { origins, options in
                let operation = await perform(
                    URLRequest("POST", origins.first.url("/1"), headers: Self.secrets, body: "payload"), options)
                #expect(operation.responseString == "end")
                for (name, value) in Self.secrets {
                    #expect(origins.seen("/1")?.headers[name] == value)
                    for path in ["/away", "/2", "/3"] {
                        let request = try #require(origins.seen(path))
                        #expect(request.headers[name] == nil, "\(name) at \(path)")
                        #expect(!request.headText.contains("secret"))
                        #expect(request.bodyText == (status < 304 ? "" : "payload"))
                    }
                }
            }
        }

        /// The source of a credential.
        enum Source: CaseIterable { case property, url, both }

        @Test(arguments: Difference.allCases, Source.allCases)
        func credentialStaysWithItsOrigin(difference: Difference, source: Source) async throws {
            try await serving(difference, wantsCredential: source == .property) { origins, options in
                var options = options
                options.usesCredentialStorage = false
                if source != .url {
                    options.credential = URLCredential(user: "user", password: "secret", persistence: .none)
                }
                let userInfo = source == .property ? "" : "user:secret@"
                let url = try #require(URL(string: "http://\(userInfo)127.0.0.1:\(origins.first.port)/1"))
                let operation = await get(url, options)
                // The first origin asks for the credential again at the end, so the response is its refusal.
                #expect(operation.statusCode == (source == .property ? 401 : 200))
                // "user:secret" in Base64.
                #expect(origins.seen("/1")?.headers["Authorization"] == "Basic dXNlcjpzZWNyZXQ=")
                for path in ["/away", "/2", "/3"] {
                    let request = try #require(origins.seen(path))
                    #expect(request.headers["Authorization"] == nil, "\(path)")
                }
            }
        }

        @Test(arguments: Difference.allCases)
        func challengeBlockReceivesTheChallengingOrigin(difference: Difference) async throws {
            try await serving(difference, wantsCredential: true) { origins, options in
                let asked = Observed([String]())
                let operation = RequestOperation(
                    request: URLRequest(url: origins.first.url("/1")), options: options)
                operation.onChallenge = { _, challenge in
                    asked.append("\(challenge.scheme)://\(challenge.host):\(challenge.port)")
                    let credential = URLCredential(user: "user", password: "secret", persistence: .none)
                    return asked.value.count == 1 ? .useCredential(credential) : .performDefault
                }
                #expect(await operation.run().statusCode == 401)
                #expect(asked.value == Array(repeating: "http://127.0.0.1:\(origins.first.port)", count: 2))
                for path in ["/away", "/2", "/3"] {
                    let request = try #require(origins.seen(path))
                    #expect(request.headers["Authorization"] == nil, "\(path)")
                }
            }
        }

        /// A field set by the redirect block goes to the origin of that request and no further.
        @Test(arguments: Difference.allCases)
        func fieldSetByTheBlockGoesOnlyToThatOrigin(difference: Difference) async throws {
            try await serving(difference, wantsCredential: false) { origins, options in
                let request = URLRequest("GET", origins.first.url("/1"), headers: Self.secrets)
                let operation = RequestOperation(request: request, options: options)
                operation.onRedirect = { _, proposed, _ in
                    var proposed = proposed
                    if proposed.url?.path == "/away" { proposed.setValue("for you", forHTTPHeaderField: "X-Api-Key") }
                    return proposed
                }
                #expect(await operation.run().responseString == "end")
                #expect(origins.seen("/away")?.headers["X-Api-Key"] == "for you")
                for path in ["/2", "/3"] { #expect(origins.seen(path)?.headers["X-Api-Key"] == nil) }
                for path in ["/away", "/2", "/3"] { #expect(origins.seen(path)?.headText.contains("secret") == false) }
            }
        }

        /// A server that challenges every request gets two answers.
        @Test(arguments: [
            "Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"n\", stale=true", "Digest realm=\"x\", nonce=\"n\"",
        ])
        func repeatedChallengesAreAnsweredTwice(challenge: String) async throws {
            let reply = Reply.response(status: 401, headers: ["WWW-Authenticate": challenge], body: "who?")
            try await TestServer.answering(reply) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url()))
                operation.onChallenge = { _, _ in
                    .useCredential(URLCredential(user: "user", password: "secret", persistence: .none))
                }
                #expect(await operation.run().statusCode == 401)
                #expect(server.requests.count == 3)
            }
        }

        /// The digest state of one origin is not used for another one with the same realm and nonce.
        @Test func digestOfOneOriginIsNotSentToAnother() async throws {
            let challenge = "Digest realm=\"x\", nonce=\"n\", qop=\"auth,auth-int\""
            let script: TestServer.Script = { request in
                guard request.headers["Authorization"] != nil else {
                    return .response(status: 401, headers: ["WWW-Authenticate": challenge])
                }
                return request.query.map { .redirect(to: "http://127.0.0.1:\($0)/next") } ?? .response(body: "in")
            }
            let other = try await TestServer.start(script)
            try await TestServer.serving(script: script) { server in
                let operation = RequestOperation(request: URLRequest(url: server.url("/start?\(other.port)")))
                operation.credential = URLCredential(user: "user", password: "secret", persistence: .none)
                #expect(await operation.run().statusCode == 401)
                #expect(server.requests.last?.headers["Authorization"]?.contains("qop=auth,") == true)
                #expect(other.requests.map { $0.headers["Authorization"] } == [nil])
            }
            await other.stop()
        }
    }
}
