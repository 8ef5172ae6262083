// Bluebonnet: HTTP operations for Swift on Linux.
// SPDX-License-Identifier: MIT

import BluebonnetTestServer
import Foundation
import FoundationNetworking
import RealServers
import Testing

@testable import Bluebonnet

extension NetworkTests {
    /// Redirects and challenges from a third-party server.
    @Suite(.enabled(if: HTTPBinServer.isAvailable)) struct HTTPBinTests {
        private func serving(_ body: (HTTPBinServer) async throws -> Void) async throws {
            let server = try await HTTPBinServer.start()
            do {
                try await body(server)
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }

        // A server takes a second to start, so one server serves all redirects and one serves all challenges.

        @Test func redirectsReachTheirTargets() async throws {
            try await serving { server in
                try await redirectsOfAllKindsAreFollowed(server)
                try await methodAndBodyFollowTheStatus(server)
                try await theRedirectBlockSeesEachHop(server)
            }
        }

        @Test func challengeBlockDecidesTheAnswer() async throws {
            try await serving { server in
                try await theChallengeBlockAnswers(server)
                try await aSecondAnswerMayBeTheRightOneAndAThirdIsNotAskedFor(server)
                try await aChallengeMayBeCancelledOrLeftAlone(server)
                try await aCredentialThatIsAskedForByARedirectIsGiven(server)
            }
        }

        private func redirectsOfAllKindsAreFollowed(_ server: HTTPBinServer) async throws {
            for path in ["/redirect/5", "/relative-redirect/5", "/absolute-redirect/5"] {
                let operation = await get(server.url(path))
                #expect(operation.error == nil)
                #expect(operation.statusCode == 200)
                #expect(operation.summary.redirectCount == 5)
                #expect(operation.response?.url == server.url("/get"))
            }
            #expect(await get(server.url("/redirect/21")).code == .tooManyRedirects)
        }

        private func methodAndBodyFollowTheStatus(_ server: HTTPBinServer) async throws {
            for (status, method, arrivesAs) in [
                (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"),
                (308, "POST", "POST"), (301, "PUT", "PUT"), (302, "DELETE", "DELETE"), (303, "PUT", "GET"),
                (307, "PATCH", "PATCH"), (308, "DELETE", "DELETE"),
            ] {
                let target = server.url("/anything").absoluteString
                let url = server.url("/redirect-to?status_code=\(status)&url=\(target)")
                let operation = await perform(URLRequest(method, url, body: "payload"))
                #expect(operation.error == nil)
                let echo = try JSONDecoder().decode(Echo.self, from: try #require(operation.responseData))
                #expect(echo.method == arrivesAs, "\(method) \(status)")
                #expect(echo.data == (arrivesAs == method ? "payload" : ""), "\(method) \(status)")
            }
        }

        private struct Echo: Decodable {
            let method: String
            let data: String
        }

        private func theRedirectBlockSeesEachHop(_ server: HTTPBinServer) async throws {
            let hops = Observed([String]())
            let operation = RequestOperation(request: URLRequest(url: server.url("/redirect/4")))
            operation.onRedirect = { _, proposed, response in
                hops.append("\(response.statusCode) \(proposed.url?.path ?? "")")
                return proposed
            }
            #expect(await operation.run().error == nil)
            #expect(
                hops.value == [
                    "302 /relative-redirect/3", "302 /relative-redirect/2", "302 /relative-redirect/1", "302 /get",
                ])
        }

        private static let guarded = [
            "/basic-auth/user/secret", "/digest-auth/auth/user/secret/MD5", "/digest-auth/auth/user/secret/SHA-256",
        ]

        /// Answers challenges with these passwords in turn, and then leaves the answer to the library.
        private func fetch(
            _ url: URL, method: String = "GET", passwords: [String], log: Observed<[AuthenticationChallenge]>
        ) async -> HTTPRequestOperation {
            let operation = HTTPRequestOperation(request: URLRequest(method, url))
            operation.onChallenge = { _, challenge in
                let number = log.value.count
                log.append(challenge)
                guard number < passwords.count else { return .performDefault }
                return .useCredential(URLCredential(user: "user", password: passwords[number], persistence: .none))
            }
            return await operation.run()
        }

        private func theChallengeBlockAnswers(_ server: HTTPBinServer) async throws {
            for path in Self.guarded {
                let log = Observed([AuthenticationChallenge]())
                let operation = await fetch(server.url(path), passwords: ["secret"], log: log)
                #expect(operation.statusCode == 200, "\(path)")
                #expect(operation.summary.transferCount == 2)
                let challenge = try #require(log.value.first)
                #expect(log.value.count == 1)
                #expect(challenge.host == "127.0.0.1")
                #expect(challenge.port == server.port)
                #expect(challenge.previousFailureCount == 0)
                #expect(!challenge.realm.isEmpty)
                let isBasic = path.hasPrefix("/basic")
                let method = isBasic ? NSURLAuthenticationMethodHTTPBasic : NSURLAuthenticationMethodHTTPDigest
                #expect(challenge.method == method)
            }
        }

        private func aSecondAnswerMayBeTheRightOneAndAThirdIsNotAskedFor(_ server: HTTPBinServer) async throws {
            for path in Self.guarded {
                let second = Observed([AuthenticationChallenge]())
                let right = await fetch(server.url(path), passwords: ["wrong", "secret"], log: second)
                #expect(right.statusCode == 200, "\(path)")
                #expect(second.value.map(\.previousFailureCount) == [0, 1])
                let never = Observed([AuthenticationChallenge]())
                let wrong = await fetch(server.url(path), passwords: ["1", "2", "3", "4"], log: never)
                #expect(wrong.code == .authenticationRequired, "\(path)")
                #expect(never.value.count == 2)
                #expect(wrong.summary.transferCount == 3)
            }
        }

        private func aChallengeMayBeCancelledOrLeftAlone(_ server: HTTPBinServer) async throws {
            for path in Self.guarded {
                let left = await fetch(server.url(path), passwords: [], log: Observed([]))
                #expect(left.code == .unacceptableStatus)
                #expect(left.statusCode == 401)
                let cancelled = HTTPRequestOperation(request: URLRequest(url: server.url(path)))
                cancelled.onChallenge = { _, _ in .cancel }
                #expect(await cancelled.run().code == .authenticationRequired)
                #expect(cancelled.summary.transferCount == 1)
            }
        }

        private func aCredentialThatIsAskedForByARedirectIsGiven(_ server: HTTPBinServer) async throws {
            for path in Self.guarded {
                let operation = HTTPRequestOperation(
                    request: URLRequest(url: server.url("/redirect-to?url=\(path)")))
                operation.credential = URLCredential(user: "user", password: "secret", persistence: .none)
                #expect(await operation.run().statusCode == 200, "\(path)")
            }
        }
    }
}
